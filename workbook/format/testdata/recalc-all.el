;; Recalculate every table with formulas of each file named in a list, once, as
;; org-table-recalculate-buffer-tables does. A table that fails stays as it was.
(setq enable-local-variables nil enable-local-eval nil vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      inhibit-message t org-confirm-babel-evaluate nil coding-system-for-read 'utf-8 coding-system-for-write 'utf-8)
(set-language-environment "UTF-8")
(require 'org)
(require 'org-table)
(setq org-babel-python-command "python3")
(org-babel-do-load-languages 'org-babel-load-languages
                             '((emacs-lisp . t) (python . t) (shell . t) (js . t) (awk . t) (sed . t) (C . t) (lua . t) (calc . t) (org . t)))
(dolist (file (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
  (with-temp-buffer
    (insert-file-contents file)
    (let ((org-inhibit-startup t)) (org-mode))
    (org-table-map-tables
     (lambda ()
       (when (save-excursion (goto-char (org-table-end)) (looking-at "[ \t]*#\\+TBLFM:"))
         (let* ((start (copy-marker (org-table-begin)))
                (text (buffer-substring start (org-table-end))))
           (condition-case err
               (progn (org-table-recalculate t t) (org-table-align))
             (error
              (goto-char start)
              (delete-region (org-table-begin) (org-table-end))
              (save-excursion (insert text)))))))
     t)
    (write-region nil nil (concat file ".want") nil 'quiet)))
