;;; agenda-oracle.el --- what the custom commands of an init file show  -*- lexical-binding: t -*-

;; Usage: emacs --batch -l agenda-oracle.el INIT FILE...
;;
;; Evaluates INIT, form by form as far as it goes, and prints what each command of
;; org-agenda-custom-commands shows of the FILEs: "\f", the key, a line end, and the
;; text, or "\v" and an error.

(require 'org)
(require 'org-agenda)
(require 'use-package nil t)
(setq use-package-ensure-function #'ignore
      warning-minimum-level :emergency
      vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      enable-local-variables nil
      inhibit-message t)
(set-language-environment "UTF-8")

(let ((init (pop command-line-args-left))
      (files command-line-args-left)
      (load-path load-path))
  (setq command-line-args-left nil)
  (with-temp-buffer
    (insert-file-contents init)
    (let (form)
      (while (setq form (ignore-errors (list (read (current-buffer)))))
        (ignore-errors (eval (car form) t)))))
  (dolist (hook '(find-file-hook text-mode-hook outline-mode-hook org-mode-hook
                  org-agenda-mode-hook org-agenda-finalize-hook))
    (dolist (function (ensure-list (default-value hook)))
      (when (and (symbolp function) (not (eq function t)) (not (fboundp function)))
        (remove-hook hook function))))
  (setq org-agenda-files files
        org-agenda-window-setup 'current-window
        org-agenda-sticky nil
        org-agenda-skip-unavailable-files t)
  (when (eq org-agenda-tags-column 'auto)
    (setq org-agenda-tags-column -80))
  (dolist (command org-agenda-custom-commands)
    (unless (stringp (cdr command))
      (princ (concat "\f" (car command) "\n"))
      (condition-case err
          (progn
            (org-agenda nil (car command))
            (princ (with-current-buffer org-agenda-buffer-name
                     (buffer-substring-no-properties (point-min) (point-max)))))
        (error (princ (concat "\v" (error-message-string err))))))))
;;; agenda-oracle.el ends here
