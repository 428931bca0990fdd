;;; check.el --- Byte-compile and checkdoc the package  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run by emacs_test.go: emacs -Q --batch -L . -l test/check.el FILES.
;; Exits with 1 when there is a warning.  Compiled files go to a temporary
;; directory, since the checkout is not a place for them.

;;; Code:

(require 'bytecomp)
(require 'checkdoc)
(require 'cl-lib)

(defvar check-found nil "Whether there was a warning.")

(let* ((files command-line-args-left)
       (output (make-temp-file "wb-elc" t))
       (byte-compile-error-on-warn t)
       (byte-compile-dest-file-function
        (lambda (file)
          (expand-file-name (concat (file-name-base file) ".elc") output))))
  (setq command-line-args-left nil)
  (dolist (file files)
    (unless (byte-compile-file file)
      (setq check-found t))
    (let ((checkdoc-autofix-flag 'never)
          (checkdoc-create-error-function
           (lambda (text start _end &optional _unfixable)
             (setq check-found t)
             (message "%s:%d: %s" file (if start (line-number-at-pos start) 1) text)
             nil)))
      (with-current-buffer (find-file-noselect file)
        (checkdoc-current-buffer t))))
  (delete-directory output t)
  (kill-emacs (if check-found 1 0)))

;;; check.el ends here
