;; Write what the exporters of org see of each file named in a list, in its
;; place: org-babel-exp-process-buffer without running anything.
(setq enable-local-variables nil enable-local-eval nil vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      org-confirm-babel-evaluate nil org-element-use-cache nil)
(set-language-environment "UTF-8")
(require 'ox)
;; Results are those in the document.
(defun org-babel-exp-results (&rest _) nil)
(dolist (file (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
  (with-current-buffer (let ((inhibit-message t)) (find-file-noselect file))
    (condition-case err
        (let ((inhibit-message t)) (org-babel-exp-process-buffer))
      (error (write-region (error-message-string err) nil (concat (file-name-sans-extension file) ".error") nil 'quiet)))
    (write-region nil nil file nil 'quiet)
    (set-buffer-modified-p nil)
    (kill-buffer)))
