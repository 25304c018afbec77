(field name: (field_name (variable) @name)) @function
(function name: (variable) @name) @clause
(function name: (prefix_id) @name) @clause
(function (infix operator: (operator) @name)) @clause
(function (infix operator: (infix_id (variable) @name))) @clause
(declarations (bind name: (variable) @name) @clause)
(class_declarations (signature name: (variable) @name) @method)
(type_synomym name: (name) @name) @type
(newtype name: (name) @name) @type
(data_type name: (name) @name) @type
(type_family name: (name) @name) @type
(class name: (name) @name) @interface
(instance name: (name) @name) @impl
(pattern_synonym (signature synonym: (_) @name)) @constant
(header module: (module) @name) @module
(declarations (signature) @leading)
(comment) @leading
(haddock) @leading
(pragma) @leading
(apply function: (variable) @reference)
(apply function: (qualified id: (variable) @reference))
(name) @reference
(import_name variable: (variable) @reference)
