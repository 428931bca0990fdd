;;; oracle.el --- what Org's agenda shows, on any day  -*- lexical-binding: t -*-

;; Usage: emacs --batch -L ORG -l oracle.el JOBS FILE...
;;
;; Each line of JOBS is a form (NOW START SPAN): the time to look from, the first
;; day or nil, and day, week, a number of days, or todo.  The output is a line
;; "\fN" and then the text of the agenda, for each.

;;; Code:

(require 'org)
(require 'org-agenda)
(require 'org-habit)

(setq org-agenda-tags-column -80
      org-agenda-sticky nil
      org-inhibit-startup t
      vc-handled-backends nil
      enable-local-variables nil
      make-backup-files nil
      org-agenda-window-setup 'current-window
      calendar-date-style 'american)

(defvar wb-now nil "The time that it is taken to be.")

(advice-add 'format-time-string :around
            (lambda (f format &optional time zone) (funcall f format (or time wb-now) zone)))
(advice-add 'time-subtract :around (lambda (f a b) (funcall f (or a wb-now) (or b wb-now))))
(advice-add 'time-to-days :around (lambda (f time) (funcall f (or time wb-now))))
(advice-add 'org-today :override (lambda () (time-to-days wb-now)))
(advice-add 'current-time :override (lambda () wb-now))

(let ((jobs (pop command-line-args-left)) (n 0) (standard-output t))
  (setq org-agenda-files (mapcar #'expand-file-name command-line-args-left)
        command-line-args-left nil)
  (with-temp-buffer
    (insert-file-contents jobs)
    (goto-char (point-min))
    (let (job)
      (while (setq job (ignore-errors (read (current-buffer))))
        (setq wb-now (encode-time (parse-time-string (nth 0 job))))
        (save-window-excursion
          (if (eq (nth 2 job) 'todo)
              (org-todo-list)
            (org-agenda-list nil (nth 1 job) (nth 2 job)))
          (with-current-buffer org-agenda-buffer-name
            (princ (format "\f%d\n%s\n" n (buffer-substring-no-properties (point-min) (point-max))))))
        (setq n (1+ n))))))

;;; oracle.el ends here
