(value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter))) @function
(value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name body: [(fun_expression) (function_expression)])) @function
(value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name)) @constant
(type_definition (type_binding name: (_) @name)) @type
(exception_definition (constructor_declaration (constructor_name) @name)) @type
(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @interface
(class_definition (class_binding (class_name) @name)) @class
(class_type_definition (class_type_binding (class_type_name) @name)) @interface
(method_definition (method_name) @name) @method
(external (value_name) @name) @function
(value_specification [(value_name) (parenthesized_operator)] @name) @function
(comment) @leading
(attribute) @leading
(application_expression function: (value_path (value_name) @reference))
(type_constructor_path (type_constructor) @reference)
(module_path (module_name) @reference)
