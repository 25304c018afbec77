(defun (defun_header keyword: (defun_keyword "defmacro") function_name: (_) @name)) @macro
(defun (defun_header keyword: (defun_keyword "defmethod") function_name: (_) @name)) @method
(defun (defun_header function_name: (_) @name)) @function
((list_lit . value: (sym_lit) @_def . value: [(sym_lit) @name (list_lit . value: (sym_lit) @name)]) @struct
  (#any-of? @_def "defstruct"))
((list_lit . value: (sym_lit) @_def . value: (sym_lit) @name) @class
  (#any-of? @_def "defclass" "define-condition"))
((list_lit . value: (sym_lit) @_def . value: (sym_lit) @name) @type
  (#eq? @_def "deftype"))
((list_lit . value: (sym_lit) @_def . value: [(sym_lit) (kwd_lit) (str_lit)] @name) @module
  (#any-of? @_def "defpackage" "defsystem" "uiop:define-package"))
((list_lit . value: (sym_lit) @_def . value: (sym_lit) @name) @constant
  (#any-of? @_def "defparameter" "defvar" "defconstant"))
(comment) @leading
(block_comment) @leading
(list_lit . value: (sym_lit) @reference)
