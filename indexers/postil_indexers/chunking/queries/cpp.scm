; inherits: c
((function_definition !type declarator: (function_declarator declarator: (identifier) @_macro) @name) @test
  (#match? @_macro "^([A-Z]+_)*TEST(_[A-Z]+)*$"))
(function_definition declarator: (qualified_identifier name: (operator_cast) @name)) @method
(function_definition declarator: (operator_cast) @name) @method
((function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @method
  (#match? @name "(^|::)[A-Z]\\w*(<.*>)?::~?\\w+$"))
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: [(template_type) (qualified_identifier)] @name body: (_)) @struct
(enum_specifier name: (qualified_identifier) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(call_expression function: (qualified_identifier name: (identifier) @reference))
(call_expression function: (template_function name: (identifier) @reference))
