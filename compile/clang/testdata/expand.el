;; Writes what org-babel expands C blocks to: for each NAME.org in the directory
;; given, NAME.c is the expansion of its first source block.
;; Run by `go test ./compile/clang -run TestExpand -update`.
(require 'ob-C)
(setq org-confirm-babel-evaluate nil)
(dolist (file (directory-files (car command-line-args-left) t "\\.org\\'"))
  (with-current-buffer (find-file-noselect file)
    (goto-char (point-min))
    (org-babel-next-src-block)
    (let ((text (org-babel-expand-src-block)))
      (with-temp-file (concat (file-name-sans-extension file) ".c")
        (insert text)))))
