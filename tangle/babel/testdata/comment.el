;; Comment texts in the mode of each language and print the results.
;; Arguments: a file of languages, one a line, and a file of texts in Lisp.
(require 'org) (require 'org-src) (require 'newcomment)
(set-language-environment "UTF-8")
(let ((languages (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
      (texts (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (read (current-buffer)))))
  (dolist (lang languages)
    (dolist (text texts)
      (with-temp-buffer
        (let ((inhibit-message t)) (funcall (org-src-get-lang-mode lang)))
        (princ (condition-case nil
                   (progn (comment-region (point) (progn (insert text) (point))) (buffer-string))
                 (error "ERROR")))
        (princ "\0")))))
