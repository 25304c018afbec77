(source_file (def name: (symbol) @name) @constant)
(source_file (var name: (symbol) @name) @constant)
(extra_defs ["defmacro" "defmacro-"] name: (symbol) @name) @macro
(extra_defs name: (symbol) @name) @function
(line_comment) @leading
((tuple . item: (symbol) @reference)
  (#not-match? @reference "^(def|let|if|when|cond|do$|lambda|fn|ns$|set|loop|begin|require|quote|and$|or$|not$|case|struct|cl-def|progn|module)"))
