(interface_definition (identifier) @name) @interface
(trait_definition (identifier) @name) @trait
(primitive_definition (identifier) @name) @class
(class_definition (identifier) @name) @class
(actor_definition (identifier) @name) @class
(struct_definition (identifier) @name) @struct
(type_alias (identifier) @name) @type
(method . (identifier) @name) @method
(constructor . (identifier) @name) @method
(behavior . (identifier) @name) @method
(line_comment) @leading
(block_comment) @leading
(base_type name: (identifier) @reference)
(call_expression callee: (_) @reference)
