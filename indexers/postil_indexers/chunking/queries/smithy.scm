(structure_statement (identifier) @name) @struct
(union_statement (identifier) @name) @type
(service_statement (identifier) @name) @interface
(resource_statement (identifier) @name) @class
(operation_statement (identifier) @name) @method
(simple_shape_statement (identifier) @name) @type
(list_statement (identifier) @name) @type
(map_statement (identifier) @name) @type
(enum_statement (identifier) @name) @enum
(comment) @leading
(root_shape_id (identifier) @reference)
