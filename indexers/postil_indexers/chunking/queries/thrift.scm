(struct_definition . type: (identifier) @name) @struct
(union_definition . type: (identifier) @name) @struct
(exception_definition . (identifier) @name) @struct
(enum_definition . type: (identifier) @name) @enum
(typedef_definition (typedef_identifier) @name) @type
(const_definition (identifier) @name) @constant
(service_definition . type: (identifier) @name) @interface
(function_definition (identifier) @name) @method
(comment) @leading
(field (type type: (identifier) @reference))
