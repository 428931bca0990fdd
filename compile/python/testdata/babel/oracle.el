;; Prints what ob-python makes of each case of a JSON file, as JSON, one line
;; each. Usage: emacs -Q --batch [-L ORG] -l oracle.el CASES
(require 'ob-python)
(require 'json)

(setq org-babel-python-command-nonsession "python3")
(setenv "PYTHONHASHSEED" "0")

(defun oracle-plain (v)
  "V with symbols as text and lists as vectors."
  (cond ((eq v 'hline) '(("$hline" . t)))
        ((null v) nil)
        ((consp v)
         (let (items)
           (while (consp v) (push (oracle-plain (pop v)) items))
           (vconcat (nreverse items))))
        ((vectorp v) (vconcat (mapcar #'oracle-plain v)))
        ((symbolp v) (symbol-name v))
        (t v)))

(defun oracle-lisp (v)
  "V as a variable's value: :hline is the rule between rows."
  (cond ((equal v ":hline") 'hline)
        ((vectorp v) (mapcar #'oracle-lisp v))
        (t v)))

(defun oracle-run (case)
  (let* ((words (split-string (alist-get 'results case)))
         (vars (mapcar (lambda (v) (cons :var (cons (intern (aref v 0)) (oracle-lisp (aref v 1))))) (alist-get 'vars case)))
         (args (mapcar (lambda (a) (cons (intern (format ":%s" (car a))) (cdr a))) (alist-get 'args case))))
    (condition-case e
        (oracle-plain
         (org-babel-execute:python
          (alist-get 'body case)
          `(,@args (:session . "none") (:result-type . ,(if (member "output" words) 'output 'value))
            (:result-params . ,words) ,@vars)))
      (error (vector "error" (error-message-string e))))))

(let ((json-array-type 'vector) (json-null nil))
  (dolist (case (append (json-read-file (pop command-line-args-left)) nil))
    (princ (concat (json-encode (oracle-run case)) "\n"))))
