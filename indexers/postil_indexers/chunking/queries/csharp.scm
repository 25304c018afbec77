(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(delegate_declaration name: (identifier) @name) @type
(namespace_declaration name: (_) @name) @module
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(destructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
((field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))) @constant
  (#eq? @_modifier "const"))
(comment) @leading
(invocation_expression function: (identifier) @reference)
(invocation_expression function: (member_access_expression name: (identifier) @reference))
(object_creation_expression type: (identifier) @reference)
(base_list (identifier) @reference)
(using_directive (_) @reference)
(attribute name: (identifier) @reference)
