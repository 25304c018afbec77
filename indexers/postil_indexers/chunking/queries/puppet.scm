(class_definition [(identifier) (class_identifier)] @name) @class
(defined_resource_type [(identifier) (class_identifier)] @name) @type
(node_definition (node_name) @name) @module
(comment) @leading
(resource_declaration type: (identifier) @reference)
