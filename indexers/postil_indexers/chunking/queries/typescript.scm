(function_declaration name: (identifier) @name) @function
(function_signature name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(function_expression name: (identifier) @name) @function
(class_declaration name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(type_alias_declaration name: (type_identifier) @name) @type
(module name: (_) @name) @module
(internal_module name: (_) @name) @module
(method_definition name: (_) @name) @method
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: [(member_expression) (identifier)] @name right: [(arrow_function) (function_expression) (generator_function)]) @function
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(program (ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
((call_expression function: (identifier) @_call arguments: (arguments . [(string) (template_string)] @name)) @test
  (#any-of? @_call "describe" "it" "test" "suite" "context"))
((call_expression function: (member_expression object: (identifier) @_call) arguments: (arguments . [(string) (template_string)] @name)) @test
  (#any-of? @_call "describe" "it" "test"))
(comment) @leading
(decorator) @leading
(call_expression function: (identifier) @reference)
(call_expression function: (member_expression property: (property_identifier) @reference))
(new_expression constructor: (identifier) @reference)
(type_identifier) @reference
(class_heritage (extends_clause value: (identifier) @reference))
(import_specifier name: (identifier) @reference)
(import_clause (identifier) @reference)
