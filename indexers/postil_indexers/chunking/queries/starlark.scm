(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @constant))
((module (expression_statement (call arguments: (argument_list (keyword_argument name: (identifier) @_name value: (string) @name))) @module)) (#eq? @_name "name"))
(comment) @leading
(call function: (identifier) @reference)
(call function: (attribute attribute: (identifier) @reference))
