(package_declaration name: (_) @name) @module
(package_body name: (_) @name) @module
(subprogram_body (procedure_specification name: (_) @name)) @function
(subprogram_body (function_specification name: (_) @name)) @function
(subprogram_declaration (procedure_specification name: (_) @name)) @function
(subprogram_declaration (function_specification name: (_) @name)) @function
(expression_function_declaration (function_specification name: (_) @name)) @function
(generic_subprogram_declaration (procedure_specification name: (_) @name)) @function
(generic_subprogram_declaration (function_specification name: (_) @name)) @function
(full_type_declaration (identifier) @name (record_type_definition)) @struct
(full_type_declaration (identifier) @name (enumeration_type_definition)) @enum
(full_type_declaration . (identifier) @name) @type
(full_type_declaration (task_type_declaration . (identifier) @name)) @class
(full_type_declaration (protected_type_declaration . (identifier) @name)) @class
(private_type_declaration . (identifier) @name) @type
(subtype_declaration . (identifier) @name) @type
(entry_declaration . (identifier) @name) @method
(task_body (identifier) @name) @class
(protected_body (identifier) @name) @class
(object_declaration name: (identifier) @name "constant") @constant
(comment) @leading
(procedure_call_statement name: (_) @reference)
(function_call name: (_) @reference)
(with_clause (_) @reference)
