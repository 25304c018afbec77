(fun_decl (function_clause name: (atom) @name)) @clause
(module_attribute name: (atom) @name) @module
(pp_define lhs: (macro_lhs name: (_) @name)) @macro
(record_decl name: (atom) @name) @struct
(type_alias name: (type_name name: (atom) @name)) @type
(opaque name: (type_name name: (atom) @name)) @type
(callback fun: (atom) @name) @method
(spec) @leading
(comment) @leading
(call expr: (atom) @reference)
(call expr: (remote fun: (atom) @reference))
(macro_call_expr name: (_) @reference)
(record_expr name: (record_name name: (atom) @reference))
