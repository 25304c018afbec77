(constant_definition (identifier) @name) @constant
(variable_definition (identifier) @name) @constant
(mapping_definition . (identifier) @name) @type
(function_signature . (identifier) @name) @function
(trait_definition (identifier) @name) @trait
(comment) @leading
(contract_function_call (identifier) @reference)
