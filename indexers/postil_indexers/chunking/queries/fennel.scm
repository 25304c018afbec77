(fn name: (_) @name) @function
(lambda name: (_) @name) @function
((list . (symbol) @_def . (symbol) @name) @macro
  (#any-of? @_def "macro"))
(program (local . (binding (symbol) @name)) @constant)
(program (global . (binding (symbol) @name)) @constant)
(comment) @leading
(list . (symbol) @reference)
