(function_definition (signature) @name) @function
(module_definition name: (identifier) @name) @module
(comment) @leading
