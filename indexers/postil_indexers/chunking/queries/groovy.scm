((command (unit (identifier) @_def) . (unit (identifier) @name)) @class (#any-of? @_def "class" "trait"))
((command (unit (identifier) @_def) . (block . (unit (identifier) @name))) @class (#any-of? @_def "class" "trait"))
((command (unit (identifier) @_def) . (block . (unit (identifier) @name))) @interface (#eq? @_def "interface"))
((command (unit (identifier) @_def) . (unit (identifier) @name)) @interface (#eq? @_def "interface"))
((command (unit (identifier) @_def) . (block . (unit (identifier) @name))) @enum (#eq? @_def "enum"))
((command (unit (identifier) @_def) . (unit (identifier) @name)) @enum (#eq? @_def "enum"))
(command (unit (identifier)) (block . (unit (func . (identifier) @name)))) @function
((command (unit (identifier)) . (unit (func . (identifier) @name)) .) @function)
(line_comment) @leading
(block_comment) @leading
(func . (identifier) @reference)
