(derived_type_procedures (procedure_statement declarator: [(method_name) @name (binding (binding_name (_) @name))]) @method)
(module (module_statement (name) @name)) @module
(submodule (submodule_statement (name) @name)) @module
(program (program_statement (name) @name)) @module
(subroutine (subroutine_statement name: (name) @name)) @function
(function (function_statement name: (name) @name)) @function
(derived_type_definition (derived_type_statement (type_name) @name)) @struct
(interface (interface_statement (name) @name)) @interface
(module_procedure (module_procedure_statement name: (name) @name)) @function
((variable_declaration attribute: (type_qualifier) @_qualifier declarator: (init_declarator left: (identifier) @name)) @constant
  (#match? @_qualifier "(?i)^parameter$"))
(comment) @leading
(subroutine_call subroutine: (identifier) @reference)
(call_expression . (identifier) @reference)
(use_statement (module_name) @reference)
