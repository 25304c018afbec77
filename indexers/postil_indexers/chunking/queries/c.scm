((function_definition type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @test
  (#match? @_macro "^[A-Z][A-Z0-9_]*$"))
(function_definition declarator: (_) @declarator) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(type_definition type: (struct_specifier body: (_)) declarator: (_) @declarator) @struct
(type_definition type: (union_specifier body: (_)) declarator: (_) @declarator) @struct
(type_definition type: (enum_specifier body: (_)) declarator: (_) @declarator) @enum
(type_definition declarator: (_) @declarator) @type
(preproc_function_def name: (identifier) @name) @macro
(preproc_def name: (identifier) @name value: (_)) @constant
(comment) @leading
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(type_identifier) @reference
