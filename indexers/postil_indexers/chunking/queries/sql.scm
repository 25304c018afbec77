(create_table (object_reference) @name) @struct
(create_view (object_reference) @name) @type
(create_materialized_view (object_reference) @name) @type
(create_function (object_reference) @name) @function
(create_trigger . (keyword_create) (object_reference) @name . [(keyword_before) (keyword_after) (keyword_instead)]) @function
(create_type (object_reference) @name) @type
(create_index column: (identifier) @name) @constant
(create_schema (identifier) @name) @module
(create_sequence (object_reference) @name) @constant
(comment) @leading
(marginalia) @leading
(relation (object_reference name: (identifier) @reference))
(invocation (object_reference name: (identifier) @reference))
