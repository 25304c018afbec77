(source_file (def name: (symbol) @name) @constant)
(source_file (var name: (symbol) @name) @constant)
(extra_defs ["defmacro" "defmacro-"] name: (symbol) @name) @macro
(extra_defs name: (symbol) @name) @function
(line_comment) @leading
(tuple . item: (symbol) @reference)
