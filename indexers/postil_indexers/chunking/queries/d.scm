(module_declaration (module_fqn) @name) @module
(function_declaration (identifier) @name) @function
(constructor (this) @name) @method
(destructor (this) @name) @method
(struct_declaration (identifier) @name) @struct
(union_declaration (identifier) @name) @struct
(class_declaration (identifier) @name) @class
(interface_declaration (identifier) @name) @interface
(enum_declaration (identifier) @name) @enum
(template_declaration (identifier) @name) @macro
(alias_declaration (alias_initializer . (identifier) @name)) @type
(manifest_constant (manifest_declarator . (identifier) @name)) @constant
(comment) @leading
(call_expression . (identifier) @reference)
(type (identifier) @reference)
(base_class (identifier) @reference)
