(subroutine_declaration_statement name: (_) @name) @function
(method_declaration_statement name: (_) @name) @method
(package_statement name: (_) @name (block)) @module
(package_statement name: (_) @name) @module @rest
(class_statement name: (_) @name) @class
(comment) @leading
(pod) @leading
(function_call_expression function: (function) @reference)
(ambiguous_function_call_expression function: (function) @reference)
(method_call_expression method: (method) @reference)
(use_statement module: (package) @reference)
