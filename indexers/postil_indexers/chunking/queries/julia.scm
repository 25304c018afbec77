(function_definition (signature (call_expression . (_) @name))) @function
(function_definition (signature (where_expression (call_expression . (_) @name)))) @function
(function_definition (signature (typed_expression (call_expression . (_) @name)))) @function
(function_definition (signature (where_expression (typed_expression (call_expression . (_) @name))))) @function
(function_definition (signature (identifier) @name)) @function
(assignment . (call_expression . [(identifier) (field_expression) (operator) (parametrized_type_expression)] @name)) @function
(assignment . (typed_expression . (call_expression . [(identifier) (field_expression) (parametrized_type_expression)] @name))) @function
(assignment . (where_expression . (call_expression . [(identifier) (field_expression) (parametrized_type_expression)] @name))) @function
(macro_definition (signature (call_expression . (identifier) @name))) @macro
(module_definition name: (identifier) @name) @module
(struct_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @struct
(abstract_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])) @type
(primitive_definition (type_head [(identifier) @name (_ . (identifier) @name)])) @type
(const_statement (assignment . (identifier) @name)) @constant
(line_comment) @leading
(block_comment) @leading
(_ (string_literal) @leading . [(function_definition) (struct_definition) (assignment) (macro_definition) (abstract_definition) (const_statement) (identifier)])
(call_expression . (identifier) @reference)
(call_expression . (field_expression (identifier) @reference .))
(macrocall_expression . (macro_identifier (identifier) @reference))
(using_statement (identifier) @reference)
(using_statement (selected_import (identifier) @reference))
(import_statement (selected_import (identifier) @reference))
