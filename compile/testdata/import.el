;; Prints what org-babel makes of program output: for each file FILE.txt in the
;; directory given, FILE.want holds the value as JSON-like text.
;; Run by `go test ./compile -run TestImportTable -update` when emacs is there.
(require 'ob-core)
(require 'org-table)
(defun wb-show (v)
  (cond ((null v) "nil")
        ((stringp v) (format "%S" v))
        ((numberp v) (number-to-string v))
        ((listp v) (concat "(" (mapconcat #'wb-show v " ") ")"))
        (t (format "%S" v))))
(dolist (file (directory-files (car command-line-args-left) t "\\.txt\\'"))
  (let ((copy (make-temp-file "wb"))
        (want (concat (file-name-sans-extension file) ".want")))
    (copy-file file copy t)
    (let ((value (org-babel-import-elisp-from-file copy)))
      (with-temp-file want (insert (wb-show value) "\n")))))
