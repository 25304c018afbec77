(value_specification [(value_name) (parenthesized_operator)] @name) @function
(external (value_name) @name) @function
(type_definition (type_binding name: (_) @name)) @type
(exception_definition (constructor_declaration (constructor_name) @name)) @type
(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @interface
(class_definition (class_binding (class_name) @name)) @class
(comment) @leading
(type_constructor_path (type_constructor) @reference)
