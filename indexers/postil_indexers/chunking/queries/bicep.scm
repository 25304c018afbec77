(parameter_declaration (identifier) @name) @constant
(variable_declaration . (identifier) @name) @constant
(output_declaration . (identifier) @name) @constant
(resource_declaration . (identifier) @name) @module
(module_declaration . (identifier) @name) @module
(type_declaration . (identifier) @name) @type
(user_defined_function name: (identifier) @name) @function
(comment) @leading
(call_expression function: (_) @reference)
