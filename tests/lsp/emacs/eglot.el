;;; eglot.el --- Postil under Emacs: hovers, completes, runs a command  -*- lexical-binding: t -*-
;; emacs --batch -Q -l eglot.el SERVER FILE TEXT; prints one JSON object of what Emacs was told
;; of a file that is not saved yet.

(require 'json)
(load (expand-file-name "find_eglot.el" (file-name-directory load-file-name)) nil t)

(define-derived-mode note-mode text-mode "Note")
(let* ((server-command (pop command-line-args-left))
       (file (pop command-line-args-left))
       (text (pop command-line-args-left)))
  (setq eglot-connect-timeout 60
        eglot-sync-connect 60
        eglot-autoshutdown nil)
  (add-to-list 'eglot-server-programs
               `((note-mode :language-id "markdown") . (,server-command "serve")))
  (find-file file)
  (insert text)
  (note-mode)
  (call-interactively #'eglot)
  (let ((server (eglot-current-server)))
    (unless server (error "No server"))
    (cl-flet ((ask (method) (jsonrpc-request server method (eglot--TextDocumentPositionParams) :timeout 60)))
      (goto-char (point-min))
      (search-forward "[[gloss")
      (let ((hover (ask :textDocument/hover))
            (completion (ask :textDocument/completion)))
        (search-forward "𝄞 ")  ; beyond the first plane of Unicode: positions must agree
        (search-forward "[[leas")
        (let ((definition (ask :textDocument/definition))
              (status (jsonrpc-request server :workspace/executeCommand
                                       '(:command "postil.server.status" :arguments []) :timeout 60)))
          (princ (json-encode (list :hover hover
                                    :completion completion
                                    :definition definition
                                    :status status
                                    :info (eglot--server-info server)))))))
    (eglot-shutdown server)
    (set-buffer-modified-p nil)))
