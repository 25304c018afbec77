(fn_define (function_header name: (global_var) @name)) @function
(global_type (local_var) @name) @type
(global_global (global_var) @name) @constant
(comment) @leading
(instruction_call callee: (value (var (global_var) @reference)))
