;; Prints what ob-lua makes of each line of a file of bodies, as JSON, one line
;; each. Usage: emacs -Q --batch [-L ORG] -l oracle.el BODIES
(require 'ob-lua)
(require 'json)

(defun oracle-plain (v)
  "V with symbols as text and lists as vectors."
  (cond ((null v) [])
        ((consp v)
         (let (items)
           (while (consp v) (push (oracle-plain (pop v)) items))
           (vconcat (nreverse items))))
        ((vectorp v) (vconcat (mapcar #'oracle-plain v)))
        ((symbolp v) (symbol-name v))
        (t v)))

(defun oracle-run (line)
  (let* ((parts (split-string line "\t"))
         (words (split-string (car parts) "," t))
         (lisp (mapconcat #'identity (cddr parts) "\t"))
         (vars (and (cddr parts) (mapcar (lambda (v) (cons :var v)) (read lisp))))
         (body (cadr parts)))
    (condition-case e
        (oracle-plain
         (org-babel-execute:lua
          body `((:session . "none") (:result-type . ,(if (member "output" words) 'output 'value))
                 (:result-params . ,words) ,@vars)))
      (error (vector "error" (error-message-string e))))))

(with-temp-buffer
  (insert-file-contents (pop command-line-args-left))
  (dolist (line (split-string (buffer-string) "\n" t))
    (princ (concat (json-encode (oracle-run line)) "\n"))))
