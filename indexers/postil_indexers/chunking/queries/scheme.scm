((list . (symbol) @_def . (list . (symbol) @name)) @function
  (#any-of? @_def "define" "define*" "define-public" "define-inline"))
((list . (symbol) @_def . (list . (list . (symbol) @name))) @function
  (#eq? @_def "define"))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_lambda)) @function
  (#any-of? @_def "define" "define-public") (#any-of? @_lambda "lambda" "case-lambda" "λ"))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)]) @macro
  (#any-of? @_def "define-syntax" "define-syntax-rule" "define-macro"))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)]) @struct
  (#eq? @_def "define-record-type"))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)]) @class
  (#eq? @_def "define-class"))
((list . (symbol) @_def . (list) @name) @module
  (#any-of? @_def "define-library" "library" "define-module"))
((list . (symbol) @_def . (symbol) @name) @constant
  (#any-of? @_def "define" "define-public"))
(comment) @leading
(list . (symbol) @reference)
