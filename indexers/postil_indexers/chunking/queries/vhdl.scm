(entity_declaration name: (identifier) @name) @class
(architecture_body name: (identifier) @name entity: (_) @scope) @impl
(package_declaration name: (identifier) @name) @module
(package_body package: (_) @name) @module
(component_declaration name: (identifier) @name) @interface
(function_body designator: (_) @name) @function
(function_declaration designator: (_) @name) @function
(procedure_body designator: (_) @name) @function
(procedure_declaration designator: (_) @name) @function
(process_statement (label (identifier) @name)) @function
(full_type_declaration name: (identifier) @name) @type
(constant_declaration (identifier_list (identifier) @name)) @constant
(comment) @leading
(function_call function: (_) @reference)
(type_mark (simple_name) @reference)
