(function_definition name: (_) @name) @function
(program ((command name: (word) @_set argument: (word) argument: (word) @name) @constant (#eq? @_set "set")))
(comment) @leading
(command name: (word) @reference)
