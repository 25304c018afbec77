(function_def (function_command (argument_list . (argument) @name))) @function
(macro_def (macro_command (argument_list . (argument) @name))) @macro
((normal_command (identifier) @_command (argument_list . (argument) @name)) @module
  (#match? @_command "(?i)^(add_library|add_executable|add_custom_target|project)$"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @test
  (#match? @_command "(?i)^add_test$"))
((source_file (normal_command (identifier) @_command (argument_list . (argument) @name)) @constant)
  (#match? @_command "(?i)^(set|option)$"))
(line_comment) @leading
(bracket_comment) @leading
(normal_command . (identifier) @reference)
