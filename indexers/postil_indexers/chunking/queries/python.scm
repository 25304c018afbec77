(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type
(module (assignment left: (identifier) @name) @constant)
(class_definition body: (block (assignment left: (identifier) @name) @constant))
(comment) @leading
(decorator) @leading
(decorator (identifier) @reference)
(call function: (identifier) @reference)
(call function: (attribute attribute: (identifier) @reference))
(type (identifier) @reference)
(class_definition superclasses: (argument_list (identifier) @reference))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @reference)))
(import_statement name: (dotted_name) @reference)
(import_statement name: (aliased_import name: (dotted_name) @reference))
(import_from_statement name: (dotted_name) @reference)
(import_from_statement name: (aliased_import name: (dotted_name) @reference))
