(class_definition name: (identifier) @name) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name) @module
(trait_definition name: (identifier) @name) @trait
(enum_definition name: (identifier) @name) @enum
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(type_definition name: (type_identifier) @name) @type
(given_definition name: (_) @name) @constant
(val_definition pattern: (identifier) @name) @constant
(val_declaration name: (identifier) @name) @constant
(comment) @leading
(block_comment) @leading
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (identifier) @reference))
(type_identifier) @reference
(import_declaration path: (identifier) @reference .)
(namespace_selectors (identifier) @reference)
