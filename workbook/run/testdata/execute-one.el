;; Execute the source block at a line of a file and write the file: FILE LINE OUT.
;; There are no programs to start.
(setq org-confirm-babel-evaluate nil enable-local-variables nil enable-local-eval nil make-backup-files nil create-lockfiles nil
      auto-save-default nil vc-handled-backends nil inhibit-message t exec-path nil)
(setenv "PATH" "/nonexistent")
(set-language-environment "UTF-8")
(require 'org)
(require 'ob-emacs-lisp)
(setq org-modules nil) ; links of mail readers, which take as long to load as all the rest
(let ((file (pop command-line-args-left)) (line (string-to-number (pop command-line-args-left))) (out (pop command-line-args-left))
      (org-inhibit-startup t))
  (find-file file)
  (let ((document (current-buffer)))
    (goto-char (point-min))
    (forward-line (1- line))
    (org-babel-execute-src-block t) ; whatever :cache says
    (with-current-buffer document
      (write-region nil nil out nil 'quiet))))
