(function_declaration name: (identifier) @name) @function
(struct_declaration name: (identifier) @name) @struct
(type_alias_declaration (identifier) @name) @type
(global_constant_declaration (variable_identifier_declaration name: (identifier) @name)) @constant
(line_comment) @leading
(block_comment) @leading
(type_constructor_or_function_call_expression (type_declaration (identifier) @reference))
