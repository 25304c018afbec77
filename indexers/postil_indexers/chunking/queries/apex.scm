(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(trigger_declaration name: (identifier) @name) @function
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(line_comment) @leading
(block_comment) @leading
(method_invocation name: (identifier) @reference)
(type_identifier) @reference
