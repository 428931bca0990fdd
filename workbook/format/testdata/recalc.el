;; Recompute and align every table of each file named in a list.
(setq enable-local-variables nil enable-local-eval nil vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      inhibit-message t)
(set-language-environment "UTF-8")
(require 'org-table)
(require 'org)
(dolist (file (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
  (with-current-buffer (find-file-noselect file)
    (goto-char (point-min))
    (while (re-search-forward "^#\\+TBLFM:" nil t)
      (save-excursion
        (forward-line -1)
        (condition-case err
            (progn (org-table-recalculate 'iterate t) (org-table-align))
          (error (write-region (format "%s\n" (error-message-string err)) nil (concat (file-name-sans-extension file) ".error") t 'quiet)))))
    (write-region nil nil file nil 'quiet)
    (set-buffer-modified-p nil)
    (kill-buffer)))
