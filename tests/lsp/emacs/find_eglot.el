;;; find_eglot.el --- load eglot: built in from Emacs 29 on, else from Debian's elpa-eglot  -*- lexical-binding: t -*-
(unless (require 'eglot nil t)
  (require 'package)
  (add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
  (package-initialize)
  (require 'eglot))
