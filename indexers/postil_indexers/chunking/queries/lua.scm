(function_declaration name: (_) @name) @function
(assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_definition))) @function
(assignment_statement (variable_list . name: (_) @name) (expression_list . value: (function_call arguments: (arguments . (function_definition))))) @function
(field name: [(identifier) (string)] @name value: (function_definition)) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name) (expression_list))) @constant)
(comment) @leading
(function_call name: (identifier) @reference)
(function_call name: (dot_index_expression field: (identifier) @reference))
(function_call name: (method_index_expression method: (identifier) @reference))
