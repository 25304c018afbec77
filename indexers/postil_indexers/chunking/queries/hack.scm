(class_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(trait_declaration name: (identifier) @name) @trait
(enum_declaration name: (identifier) @name) @enum
(alias_declaration . (identifier) @name) @type
(function_declaration name: (identifier) @name) @function
(method_declaration name: (identifier) @name) @method
(const_declaration (const_declarator name: (identifier) @name)) @constant
(comment) @leading
(call_expression function: (qualified_identifier (identifier) @reference .))
(call_expression function: (selection_expression (qualified_identifier (identifier) @reference) .))
(new_expression . (qualified_identifier (identifier) @reference .))
(type_specifier (qualified_identifier (identifier) @reference .))
