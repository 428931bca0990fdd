;;; Exports each file named in a list to HTML, beside it. -*- lexical-binding: t -*-
(require 'org)
(require 'ox-html)
(require 'oc-basic)
(setq org-export-with-toc nil
      org-export-with-section-numbers nil
      org-export-headline-levels 5
      org-export-with-broken-links 'mark
      org-export-with-latex 'verbatim
      org-html-with-latex 'verbatim
      org-html-htmlize-output-type nil
      org-html-inline-images t
      org-confirm-babel-evaluate nil
      org-id-track-globally nil
      make-backup-files nil)
(with-temp-buffer
  (insert-file-contents (car command-line-args-left))
  (dolist (file (split-string (buffer-string) "\n" t))
    (with-temp-buffer
      (insert-file-contents file)
      (setq buffer-file-name file default-directory (file-name-directory file))
      (set-buffer-modified-p nil)
      (let ((org-inhibit-startup t)) (org-mode))
      (let ((out (condition-case err
                     (org-export-as 'html nil nil t)
                   (error (concat "ERROR " (error-message-string err))))))
        (set-buffer-modified-p nil)
        (with-temp-file (concat file ".html")
          (insert out))))))
