;;; agenda.el --- the commands of people's own agendas  -*- lexical-binding: t -*-

(defvar wb--left-out nil "What of an init file could not be evaluated, the last first.")

(defun wb--init (text lexical)
  "Evaluate TEXT of an init file form by form: what it loads may not be here.
LEXICAL is as `eval' takes it.  Return messages about forms that failed."
  (let ((outside (current-buffer)))
    (setq wb--left-out nil)
    (with-temp-buffer
      (insert text)
      (goto-char (point-min))
      (with-syntax-table emacs-lisp-mode-syntax-table
        (condition-case err
            (while (progn (forward-comment (buffer-size)) (not (eobp)))
              (let ((form (read (current-buffer))))
                (with-current-buffer outside
                  (wb--init-form form lexical))))
          ((end-of-file invalid-read-syntax)
           (push (format "up to line %d: %s" (line-number-at-pos) (wb--message err)) wb--left-out)))))
    (nreverse wb--left-out)))

(defun wb--init-form (form lexical)
  "Evaluate FORM of an init file with LEXICAL, or note what it lacks."
  (pcase form
    (`(progn . ,body)
     (dolist (form body) (wb--init-form form lexical)))
    (`(,(or 'with-eval-after-load 'after!) ,what . ,body)
     (when (wb--here-p what)
       (dolist (form body) (wb--init-form form lexical))))
    (`(,(or 'use-package 'use-package!) ,name . ,arguments)
     (wb--init-package name arguments lexical))
    (_
     (condition-case err
         (eval form lexical)
       ((debug quit error)
        (push (format "%s: %s" (truncate-string-to-width (format "%S" form) 40 nil nil "…") (wb--message err))
              wb--left-out))))))

(defun wb--here-p (what)
  "Whether WHAT, a library's name or a list of them, is part of this Emacs."
  (pcase what
    (`',name (wb--here-p name))
    ((pred consp) (cl-every #'wb--here-p (remq :and (remq :or what))))
    ((pred stringp) (wb--here-p (intern what)))
    (_ (require what nil t))))

(defun wb--init-package (name arguments lexical)
  "Evaluate what `use-package' with NAME and ARGUMENTS would, but keys, hooks and faces."
  (let ((here (wb--here-p (if (stringp name) (intern name) name))) section)
    (dolist (argument arguments)
      (cond
       ((keywordp argument) (setq section argument))
       ((memq section '(:init :preface))
        (wb--init-form argument lexical))
       ((eq section :config)
        (when here (wb--init-form argument lexical)))
       ((and (eq section :custom) (consp argument))
        (dolist (pair (if (consp (car argument)) argument (list argument)))
          (wb--init-form `(customize-set-variable ',(car pair) ,(cadr pair)) lexical)))))))

(defmacro use-package (name &rest arguments)
  "Evaluate what ARGUMENTS for package NAME say, inside of other forms."
  `(wb--init-package ',name ',arguments t))
(defalias 'use-package! 'use-package)
(provide 'use-package)

(defmacro after! (what &rest body)
  "Evaluate BODY where WHAT is part of this Emacs."
  `(when (wb--here-p ',what) ,@body))

(defun wb--directory-variables (classes)
  "Set what CLASSES, the contents of .dir-locals.el, say for Org files."
  (dolist (class classes)
    (when (memq (car-safe class) '(nil org-mode text-mode outline-mode))
      (dolist (variable (cdr class))
        (unless (memq (car variable) '(eval mode unibyte coding))
          (set (car variable) (cdr variable)))))))

(cl-defun wb--agenda-world (&key home dir init init-file lexical locals todo files fallback)
  "Make the world of an agenda: what the init file INIT and .dir-locals.el, LOCALS,
set.  Agenda files are FILES, those that are set, or FALLBACK.  Return what was
left out, and the commands."
  (require 'org-agenda)
  (setenv "HOME" home)
  (setq default-directory (file-name-as-directory dir))
  (let ((left-out (when init
                    (setq user-init-file init-file
                          user-emacs-directory (file-name-directory init-file))
                    (let ((load-file-name init-file))
                      (wb--init init lexical)))))
    (when todo
      (setq org-todo-keywords (mapcar (lambda (line) (cons 'sequence (split-string line))) todo)))
    (when locals
      (wb--directory-variables (car (read-from-string locals))))
    (setq org-agenda-files (or files org-agenda-files fallback))
    (list left-out (wb--agenda-commands))))

(defun wb--agenda-commands ()
  "The keys of the agenda's commands with what they show."
  (append
   (delq nil (mapcar (lambda (command)
                       (unless (stringp (cdr command)) ; the description of a prefix
                         (list (car command)
                               (if (stringp (nth 1 command)) (nth 1 command) (format "%s" (or (nth 2 command) (nth 1 command)))))))
                     org-agenda-custom-commands))
   '(("a" "agenda") ("t" "all tasks") ("#" "stuck projects"))))

(defun wb--undefined-p (function)
  "Whether FUNCTION of a hook belongs to a library that is not here."
  (and (symbolp function) (not (eq function t)) (not (fboundp function))))

(defun wb--agenda (key)
  "The text that the agenda's command KEY shows, as `org-batch-agenda' prints it."
  (dolist (hook '(find-file-hook text-mode-hook outline-mode-hook org-mode-hook
                  org-agenda-mode-hook org-agenda-finalize-hook))
    (set-default hook (cl-remove-if #'wb--undefined-p (ensure-list (default-value hook)))))
  (when (eq org-agenda-tags-column 'auto)
    (setq org-agenda-tags-column -80))
  (let ((org-agenda-sticky nil)
        (org-agenda-window-setup 'current-window)
        (org-agenda-skip-unavailable-files t))
    (cl-letf (((symbol-function 'window-width) (lambda (&rest _) 80)))
      (org-agenda nil key)))
  (with-current-buffer org-agenda-buffer-name
    (buffer-substring-no-properties (point-min) (point-max))))

;;; agenda.el ends here
