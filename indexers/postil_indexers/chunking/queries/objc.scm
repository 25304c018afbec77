; inherits: c
(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @impl
(protocol_declaration . (identifier) @name) @interface
(method_declaration . (method_type) . ((identifier) @selector . (method_parameter)?)+) @method
(method_definition . (method_type) . ((identifier) @selector . (method_parameter)?)+) @method
(message_expression method: (identifier) @reference)
