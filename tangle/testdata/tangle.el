;; Tangle every org file named in a list, each in its own directory.
;; What goes wrong is written beside the document, to NAME.error.
(setq enable-local-variables nil enable-local-eval nil vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      org-confirm-babel-evaluate nil)
(set-language-environment "UTF-8")
(require 'org) (require 'ob-tangle)
(dolist (f (directory-files (file-name-directory (locate-library "ob-core")) nil "\\`ob-.*\\.el\\'"))
  (ignore-errors (require (intern (file-name-sans-extension f)))))
(setq org-babel-clojure-backend 'babashka)
(defun wb-tangle (file)
  (let ((default-directory (file-name-directory file)) (inhibit-message t))
    (setq org-babel-expand-noweb-references--cache nil
          org-babel-expand-noweb-references--cache-buffer nil)
    (condition-case err
        (with-current-buffer (find-file-noselect file)
          (unwind-protect (let ((org-babel-pre-tangle-hook nil)) (org-babel-tangle))
            (set-buffer-modified-p nil)
            (kill-buffer)))
      (error (with-temp-file (concat (file-name-sans-extension file) ".error")
               (insert (error-message-string err)))))))
(dolist (file (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
  (wb-tangle file))
