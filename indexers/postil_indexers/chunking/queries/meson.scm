((operatorunit . (identifier) @name) @constant)
((normal_command command: (identifier) @_command . (variableunit (string) @name)) @module (#any-of? @_command "project" "executable" "library" "static_library" "shared_library"))
(comment) @leading
(normal_command command: (identifier) @reference)
