(function_definition (function_declaration name: (_) @name)) @function
(command_statement name: (command_name) @name) @macro
((augroup_statement (augroup_name) @name) @module (#not-match? @name "^(END|end)$"))
(script_file (let_statement . (scoped_identifier) @name) @constant)
(comment) @leading
(call_expression function: (_) @reference)
