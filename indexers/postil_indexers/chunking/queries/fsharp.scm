(function_or_value_defn (function_declaration_left . (_) @name)) @function
(function_or_value_defn (value_declaration_left (identifier_pattern (long_identifier_or_op) @name)) body: [(fun_expression) (function_expression)]) @function
(function_or_value_defn (value_declaration_left (identifier_pattern (long_identifier_or_op) @name))) @constant
(type_definition (union_type_defn (type_name type_name: (_) @name))) @type
(type_definition (record_type_defn (type_name type_name: (_) @name))) @type
(type_definition (enum_type_defn (type_name type_name: (_) @name))) @enum
(type_definition (interface_type_defn (type_name type_name: (_) @name))) @interface
(type_definition (type_abbrev_defn (type_name type_name: (_) @name))) @type
(type_definition (anon_type_defn (type_name type_name: (_) @name))) @class
(exception_definition exception_name: (_) @name) @type
(member_defn (method_or_prop_defn name: (property_or_ident method: (identifier) @name))) @method
(member_defn (method_or_prop_defn name: (property_or_ident . (identifier) @name .))) @method
(named_module name: (_) @name) @module
(module_defn (identifier) @name) @module
(namespace name: (_) @name) @module
(line_comment) @leading
(block_comment) @leading
(attributes) @leading
(application_expression . (long_identifier_or_op) @reference)
(simple_type (long_identifier) @reference)
(import_decl (long_identifier) @reference)
