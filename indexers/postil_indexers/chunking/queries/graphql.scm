(object_type_definition (name) @name) @struct
(interface_type_definition (name) @name) @interface
(enum_type_definition (name) @name) @enum
(input_object_type_definition (name) @name) @struct
(union_type_definition (name) @name) @type
(scalar_type_definition (name) @name) @type
(directive_definition (name) @name) @macro
(object_type_extension (name) @name) @impl
(operation_definition (name) @name) @function
(fragment_definition (fragment_name) @name) @type
(comment) @leading
(named_type (name) @reference)
