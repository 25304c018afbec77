((list . (symbol) @_def . (list . (symbol) @name)) @function
  (#any-of? @_def "define" "define/public" "define/contract" "define/override" "define/private"))
((list . (symbol) @_def . (list . (list . (symbol) @name))) @function
  (#eq? @_def "define"))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_lambda)) @function
  (#eq? @_def "define") (#any-of? @_lambda "lambda" "case-lambda" "λ"))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)]) @macro
  (#any-of? @_def "define-syntax" "define-syntax-rule" "define-syntax-parser" "define-simple-macro"))
((list . (symbol) @_def . (symbol) @name) @struct
  (#any-of? @_def "struct" "define-struct"))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_class)) @class
  (#eq? @_def "define") (#any-of? @_class "class" "class*"))
((list . (symbol) @_def . (symbol) @name) @module
  (#any-of? @_def "module" "module*" "module+"))
((list . (symbol) @_def . (symbol) @name) @constant
  (#eq? @_def "define"))
(comment) @leading
(list . (symbol) @reference)
