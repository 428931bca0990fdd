;;; org.el --- blocks of Org and Calc, and the formulas of tables  -*- lexical-binding: t -*-

(require 'ob-org)
(require 'ob-calc)

;; Calc reports its progress in the echo area, which nobody sees here.
(defvar calc-display-working-message)

(defun wb--quietly (function &rest arguments)
  "Call FUNCTION with ARGUMENTS, without Calc's reports of progress."
  (let ((calc-display-working-message nil))
    (apply function arguments)))

(defun wb--babel (request)
  "Execute the block of REQUEST by the function that Org has for its language."
  (condition-case err
      (progn
        (when (plist-get request :document)
          (wb--document (plist-get request :document)))
        (when (plist-get request :point)
          (wb--return (plist-get request :point)))
        (wb--enter request)
        (list :value
              (wb--plain
               (wb--quietly (intern (concat "org-babel-execute:" (plist-get request :lang)))
                        (plist-get request :code)
                        (cons (cons :results (or (plist-get request :results) ""))
                              (mapcar (lambda (var) (cons :var var)) (plist-get request :vars))))
               0)))
    ((debug quit error) (wb--failure err nil ""))))

(defun wb--recalculate (places)
  "Recalculate the tables at PLACES of the current buffer, one after the other.
Return for each a list of t and its text, or of nil and the error."
  (mapcar #'wb--recalculate-table (mapcar #'copy-marker places)))

(defun wb--recalculate-table (marker)
  "Recalculate the table at MARKER as `org-table-recalculate-buffer-tables' does."
  (goto-char marker)
  (let ((before (buffer-substring (org-table-begin) (org-table-end))))
    (condition-case err
        (progn
          (org-table-recalculate t t)
          (org-table-align)
          (goto-char marker)
          (list t (buffer-substring-no-properties (org-table-begin) (org-table-end))))
      (error
       (goto-char marker)
       (delete-region (org-table-begin) (org-table-end))
       (save-excursion (insert before))
       (list nil (wb--message err))))))
;;; org.el ends here
