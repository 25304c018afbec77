(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @constant
  (#match? @_modifiers "static[^a-z]+final|final[^a-z]+static"))
(interface_body (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant)
(module_declaration name: (_) @name) @module
(line_comment) @leading
(block_comment) @leading
(method_invocation name: (identifier) @reference)
(type_identifier) @reference
(import_declaration (scoped_identifier name: (identifier) @reference))
(annotation name: (identifier) @reference)
(marker_annotation name: (identifier) @reference)
