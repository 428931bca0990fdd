;; What the oracles of lanes share: they print what Emacs makes of each line of
;; a file of bodies, as JSON, one line each.
(require 'ob)
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

(defun oracle-print (run)
  "Print what RUN makes of each line of the file named on the command line."
  (with-temp-buffer
    (insert-file-contents (pop command-line-args-left))
    (dolist (line (split-string (buffer-string) "\n" t))
      (princ (concat (json-encode (condition-case e
                                      (oracle-plain (funcall run line))
                                    (error (vector "error" (error-message-string e)))))
                     "\n")))))

(defun oracle-babel (execute)
  "Print what EXECUTE makes of lines that have words of :results with commas
between them, a body and, in the notation of Emacs Lisp, variables, with tabs
between the three."
  (oracle-print
   (lambda (line)
     (let* ((parts (split-string line "\t"))
            (words (split-string (car parts) "," t))
            (lisp (mapconcat #'identity (cddr parts) "\t"))
            (vars (and (cddr parts) (mapcar (lambda (v) (cons :var v)) (read lisp)))))
       (funcall execute (cadr parts)
                `((:session . "none") (:result-type . ,(if (member "output" words) 'output 'value))
                  (:result-params . ,words) ,@vars))))))
