;; Prints what ob-sqlite makes of each line of a file of bodies, as JSON, one
;; line each. A line is header arguments in the notation of Emacs Lisp, a tab
;; and a body. Usage: emacs -Q --batch [-L ORG] -l oracle.el BODIES
(require 'org)
(require 'org-table)
(require 'ob-sqlite)
(require 'json)

(defun oracle-plain (v)
  "V with symbols as text and lists as vectors."
  (cond ((null v) [])
        ((consp v) (vconcat (mapcar #'oracle-plain v)))
        ((symbolp v) (symbol-name v))
        (t v)))

(defun oracle-run (line)
  (let* ((parts (split-string line "\t"))
         (params (car (read-from-string (car parts)))))
    (condition-case e
        (oracle-plain (org-babel-execute:sqlite (cadr parts) params))
      (error (vector "error" (error-message-string e))))))

(with-temp-buffer
  (insert-file-contents (pop command-line-args-left))
  (dolist (line (split-string (buffer-string) "\n" t))
    (princ (concat (json-encode (oracle-run line)) "\n"))))
