;;; Exports each file named in a list to FILE.exported.html, beside it. -*- lexical-binding: t -*-
(require 'org)
(require 'ox-html)
(require 'oc-basic)
(require 'ox-texinfo) ; macros of Org's manual
(setq org-confirm-babel-evaluate t
      org-html-postamble nil
      org-html-mathjax-template ""
      org-html-checkbox-type 'unicode
      org-html-htmlize-output-type nil
      org-html-head-include-default-style nil
      org-export-with-section-numbers nil
      org-export-with-toc nil
      org-export-headline-levels 40
      org-id-track-globally nil
      make-backup-files nil)

;; Results stay as they are recorded: nothing is evaluated.
(advice-add 'org-babel-check-confirm-evaluate :override #'ignore)
(fset 'yes-or-no-p #'ignore)
(fset 'y-or-n-p #'ignore)

(defun wb-plain-broken-links (tree _backend info)
  "Make text of the links of TREE that lead nowhere.
INFO is the export's plist.  Org would stop, or show the target alone."
  (setq info (append (list :parse-tree tree) (copy-sequence info)))
  (org-element-map tree 'link
    (lambda (link)
      (condition-case nil
          (pcase (org-element-property :type link)
            ((or "custom-id" "id") (org-export-resolve-id-link link info))
            ("fuzzy" (org-export-resolve-fuzzy-link link info))
            ("coderef" (org-export-resolve-coderef (org-element-property :path link) info)))
        (org-link-broken
         (let ((text (or (org-element-contents link) (list (org-element-property :path link)))))
           (dolist (piece text)
             (org-element-insert-before piece link))
           (let ((blank (or (org-element-property :post-blank link) 0)))
             (when (> blank 0)
               (org-element-insert-before (make-string blank ?\s) link)))
           (org-element-extract link)))))
    info nil nil t)
  tree)
(add-hook 'org-export-filter-parse-tree-functions #'wb-plain-broken-links)

(defun wb-mark-formula (text _backend _info)
  "Tell the formula TEXT from text."
  (concat "<x-tex>" (string-trim text) "</x-tex>" (and (string-match "[ \t\n]+\\'" text) " ")))
(add-hook 'org-export-filter-latex-fragment-functions #'wb-mark-formula)
(add-hook 'org-export-filter-latex-environment-functions #'wb-mark-formula)

(dolist (file (with-temp-buffer
                (insert-file-contents (car command-line-args-left))
                (split-string (buffer-string) "\n" t)))
  (with-temp-buffer
    (insert-file-contents file)
    (setq buffer-file-name file default-directory (file-name-directory file))
    (set-buffer-modified-p nil)
    (condition-case err
        (let* ((org-inhibit-startup t)
               (out (progn (org-mode) (org-export-as 'html))))
          (set-buffer-modified-p nil)
          (with-temp-file (concat file ".exported.html")
            (insert out)))
      (error
       (set-buffer-modified-p nil)
       (princ (format "%s\t%s\n" file (replace-regexp-in-string "[\n\t]+" " " (error-message-string err))))))))
