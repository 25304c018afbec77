(function_definition name: (symbol) @name) @function
(macro_definition name: (symbol) @name) @macro
(special_form . ["defvar" "defconst"] . (symbol) @name) @constant
((list . (symbol) @_def . (symbol) @name) @function
  (#any-of? @_def "cl-defun" "cl-defgeneric" "cl-defmethod" "define-minor-mode" "define-derived-mode" "define-inline" "defalias" "defadvice"))
((list . (symbol) @_def . (symbol) @name) @macro
  (#eq? @_def "cl-defmacro"))
((list . (symbol) @_def . (symbol) @name) @struct
  (#any-of? @_def "cl-defstruct" "defclass"))
((list . (symbol) @_def . (list . (symbol) @name)) @struct
  (#eq? @_def "cl-defstruct"))
((list . (symbol) @_def . (symbol) @name) @constant
  (#any-of? @_def "defcustom" "defface" "defgroup" "defvar-local" "defvar-keymap"))
((list . (symbol) @_def . (symbol) @name) @test
  (#eq? @_def "ert-deftest"))
(comment) @leading
(list . (symbol) @reference)
