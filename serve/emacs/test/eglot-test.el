;;; eglot-test.el --- Eglot speaks with wb lsp  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run by emacs_test.go, which puts a real wb on the PATH.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'eglot)
(require 'wb)

(defun wb-eglot-test-wait (condition)
  "Wait until CONDITION returns non-nil, a minute at most."
  (let ((until (+ (float-time) 60)) value)
    (while (and (not (setq value (funcall condition)))
                (< (float-time) until))
      (accept-process-output nil 0.02))
    (or value (error "It never came: %S" condition))))

(ert-deftest wb-eglot-test ()
  "Diagnostics, xref, rename, completion and runs through Eglot."
  (let* ((directory (file-name-as-directory (make-temp-file "wb-eglot" t)))
         (file (expand-file-name "test.org" directory))
         (text "* Ä𝒳\n#+NAME: sales\n| 1 |\n\n#+NAME: total\n#+begin_src js :var rows=sales :reslts value\nreturn rows[0][0] + 41\n#+end_src\n")
         (eglot-sync-connect 60)
         (eglot-connect-timeout 60)
         (eglot-autoshutdown nil)
         (eglot-confirm-server-initiated-edits nil))
    (with-temp-file file (insert text))
    (wb-eglot-setup)
    (unwind-protect
        (with-current-buffer (find-file-noselect file)
          (apply #'eglot--connect (eglot--guess-contact))
          (let ((server (eglot-current-server)) found)
            (should server)
            (should (eglot-managed-p))
            ;; What lint finds arrives by itself.
            (eglot-flymake-backend (lambda (list &rest _) (setq found list)))
            (wb-eglot-test-wait (lambda () found))
            (should (string-match-p "unknown header argument :reslts"
                                    (flymake-diagnostic-text (car found))))
            (should (equal ":reslts" (buffer-substring
                                      (flymake-diagnostic-beg (car found))
                                      (flymake-diagnostic-end (car found)))))
            ;; Names lead to their definition.
            (goto-char (point-min))
            (search-forward "rows=sal")
            (let ((places (xref-backend-definitions 'eglot "sales")))
              (should (= 1 (length places)))
              (should (= 2 (xref-location-line (xref-item-location (car places))))))
            ;; Renaming changes every place.
            (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
              (eglot-rename "umsätze"))
            (should (string-match-p "#\\+NAME: umsätze\n" (buffer-string)))
            (should (string-match-p ":var rows=umsätze " (buffer-string)))
            ;; Header arguments complete.
            (goto-char (point-min))
            (search-forward ":reslts")
            (replace-match ":resu")
            (let ((completion (eglot-completion-at-point)))
              (should (member ":results" (all-completions ":resu" (nth 2 completion)))))
            (insert "lts")
            ;; A block runs, its result arrives in the buffer, the file stays.
            (let ((answer nil))
              (jsonrpc-async-request
               server :workspace/executeCommand
               (list :command "wb.runBlock"
                     :arguments (vector (plist-get (eglot--TextDocumentIdentifier) :uri)
                                        (1- (line-number-at-pos))))
               :success-fn (lambda (result) (setq answer result))
               :error-fn (lambda (err) (setq answer (list :error err)))
               :timeout 60)
              (eglot--signal-textDocument/didChange)
              (wb-eglot-test-wait (lambda () answer))
              (should (equal 1 (plist-get answer :ran))))
            (should (string-match-p "#\\+RESULTS: total\n: 42\n" (buffer-string)))
            (should (equal text (with-temp-buffer (insert-file-contents file)
                                                  (buffer-string))))
            (eglot-shutdown server nil 20)
            (should-not (process-live-p (jsonrpc--process server)))))
      (delete-directory directory t))))

(provide 'eglot-test)
;;; eglot-test.el ends here
