;;; orgql.el --- put queries to org-ql itself  -*- lexical-binding: t -*-

;; Evaluates queries with org-ql, which has to be on the load path with what it
;; needs, and prints the headings that it finds:
;;
;;   emacs -Q --batch -L ORG-QL -L DASH ... -l orgql.el -f wb-orgql QUERIES FILE...
;;
;; QUERIES holds a query a line, an s-expression or words.  The output is "query
;; N", for words "means SEXP", and then a line "FILE:LINE" per heading.
;; WB_ORACLE_NOW is the time it is, such as "2018-06-15 12:00".  With
;; WB_ORGQL_PREAMBLE=no every heading is tested, and not only where the regexp
;; matches that org-ql makes of a query to be fast.

;;; Code:

(require 'org-ql)

(setq org-inhibit-startup t
      org-enforce-todo-dependencies t
      vc-handled-backends nil
      enable-local-variables nil
      large-file-warning-threshold nil
      warning-minimum-log-level :error)
(add-hook 'org-blocker-hook #'org-block-todo-from-children-or-siblings-or-parent)

(let ((now (ts-parse (getenv "WB_ORACLE_NOW"))))
  (advice-add 'ts-now :override (lambda () (copy-ts now))))

(when (equal (getenv "WB_ORGQL_PREAMBLE") "no")
  (advice-add 'org-ql--query-preamble :override (lambda (query) (list :query query))))

(defun wb-orgql ()
  "Answer the queries in the file named first over the files named next."
  (let* ((lines (with-temp-buffer
                  (insert-file-contents (pop command-line-args-left))
                  (split-string (buffer-string) "\n" t)))
         (n -1)
         (buffers (mapcar (lambda (file)
                            (with-current-buffer (find-file-noselect file t)
                              (unless (derived-mode-p 'org-mode) (org-mode))
                              (current-buffer)))
                          command-line-args-left)))
    (setq command-line-args-left nil)
    (dolist (line lines)
      (princ (format "query %d\n" (cl-incf n)))
      (condition-case err
          (let ((query (if (string-prefix-p "(" line)
                           (read line)
                         (org-ql--query-string-to-sexp line))))
            (unless (string-prefix-p "(" line)
              (princ (format "means %S\n" query)))
            (dolist (place (org-ql-select buffers query
                             :action (lambda () (format "%s:%d" (buffer-file-name) (line-number-at-pos nil t)))))
              (princ (format "%s\n" place))))
        (error (princ (format "error %S\n" err)))))))

;;; orgql.el ends here
