(procedure name: (_) @name) @function
(namespace (word_list . (simple_word) . (simple_word) @name)) @module
(source_file (set (id) @name) @constant)
(comment) @leading
(command name: (simple_word) @reference)
