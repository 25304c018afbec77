(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(function_declaration name: (identifier) @name) @function
(method_declaration name: (identifier) @name) @method
(line_comment) @leading
(block_comment) @leading
(call_expression function: (identifier) @reference)
(type_hint type: (identifier) @reference)
