((block . (identifier) @_block . (string_lit (template_literal) @name) . (block_start)) @constant (#any-of? @_block "variable" "output"))
(block . (identifier) . (string_lit (template_literal) @name) . (block_start)) @module
(block . (identifier) . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name)) @module
(block . (identifier) @name . (block_start)) @module
(config_file (body (attribute . (identifier) @name) @constant))
((block . (identifier) @_block (body (attribute . (identifier) @name) @constant)) (#eq? @_block "locals"))
(comment) @leading
(function_call . (identifier) @reference)
(get_attr (identifier) @reference)
