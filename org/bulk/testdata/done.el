;;; done.el --- what Org does when tasks are done  -*- lexical-binding: t -*-

;; Usage: emacs --batch -L ORG -l done.el NOW LOG FILE...
;;
;; Marks every open headline of the files as DONE, the last one first, at the time
;; NOW, with `org-log-done' set to LOG, and saves them.

;;; Code:

(require 'org)

(setq org-inhibit-startup t
      vc-handled-backends nil
      enable-local-variables nil
      make-backup-files nil)

(defvar wb-now (encode-time (parse-time-string (pop command-line-args-left))))
(setq org-log-done (intern (pop command-line-args-left)))

(advice-add 'format-time-string :around
            (lambda (f format &optional time zone) (funcall f format (or time wb-now) zone)))
(dolist (name '(time-subtract time-less-p))
  (advice-add name :around (lambda (f a b) (funcall f (or a wb-now) (or b wb-now)))))
(dolist (name '(time-to-days float-time decode-time))
  (advice-add name :around (lambda (f &optional time &rest more) (apply f (or time wb-now) more))))
(advice-add 'org-today :override (lambda () (time-to-days wb-now)))
(advice-add 'current-time :override (lambda () wb-now))
(advice-add 'y-or-n-p :override (lambda (&rest _) t))

(dolist (file command-line-args-left)
  (with-current-buffer (find-file-noselect file)
    (goto-char (point-max))
    (while (re-search-backward org-outline-regexp-bol nil t)
      (save-excursion
        (when (and (org-get-todo-state) (not (org-entry-is-done-p)))
          (condition-case err
              (progn (org-todo "DONE")
                     (run-hooks 'post-command-hook))
            (error (princ (format "%s: %s: %S\n" file (org-get-heading) err)))))))
    (let ((save-silently t)) (save-buffer))))
(setq command-line-args-left nil)

;;; done.el ends here
