(module_clause (module_identifier) @name) @module
(function_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @scope (pointer_type (type_identifier) @scope)])) name: (_) @name) @method
(function_declaration name: (_) @name) @function
(struct_declaration name: (type_identifier) @name) @struct
(interface_declaration name: (type_identifier) @name) @interface
(interface_spec name: (_) @name) @method
(enum_declaration name: (type_identifier) @name) @enum
(type_declaration name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @constant
(comment) @leading
(call_expression function: (identifier) @reference)
(call_expression function: (selector_expression field: (_) @reference))
(type_identifier) @reference
