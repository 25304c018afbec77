(proc_declaration name: [(identifier) @name (exported_symbol (_) @name) (accent_quoted) @name]) @function
(func_declaration name: [(identifier) @name (exported_symbol (_) @name) (accent_quoted) @name]) @function
(method_declaration name: [(identifier) @name (exported_symbol (_) @name)]) @method
(iterator_declaration name: [(identifier) @name (exported_symbol (_) @name)]) @function
(converter_declaration name: [(identifier) @name (exported_symbol (_) @name)]) @function
(template_declaration name: [(identifier) @name (exported_symbol (_) @name) (accent_quoted) @name]) @macro
(macro_declaration name: [(identifier) @name (exported_symbol (_) @name)]) @macro
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)]) (enum_declaration)) @enum
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)]) [(object_declaration) (ref_type (object_declaration))]) @struct
(type_declaration (type_symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)])) @type
(source_file (const_section (variable_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (exported_symbol (_) @name)]))) @constant))
((call function: (identifier) @_test (argument_list . (_) @name)) @test (#any-of? @_test "test" "suite"))
(comment) @leading
(call function: (identifier) @reference)
(call function: (dot_expression right: (identifier) @reference))
(type_expression (identifier) @reference)
