(function name: (identifier) @name) @function
(external_function name: (identifier) @name) @function
(type_definition (type_name name: (type_identifier) @name)) @type
(type_alias (type_name name: (type_identifier) @name)) @type
(constant name: (identifier) @name) @constant
(comment) @leading
(statement_comment) @leading
(module_comment) @leading
(attribute) @leading
(function_call function: (identifier) @reference)
(function_call function: (field_access field: (label) @reference))
(type name: (type_identifier) @reference)
