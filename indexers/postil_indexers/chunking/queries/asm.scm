(label (ident) @name) @function
(label (word) @name) @function
(line_comment) @leading
((instruction kind: (word) @_kind (ident) @reference) (#any-of? @_kind "call" "jmp" "bl" "b"))
