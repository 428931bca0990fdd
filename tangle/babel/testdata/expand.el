;; Expand bodies as org-babel-tangle does and print the results.
;; Argument: a file of forms (LANG BODY PARAMS), one a line.
(require 'org) (require 'ob-core)
(dolist (f (directory-files (file-name-directory (locate-library "ob-core")) nil "\\`ob-.*\\.el\\'"))
  (ignore-errors (require (intern (file-name-sans-extension f)))))
(setq org-babel-clojure-backend 'babashka) ; any: it decides nothing here
(set-language-environment "UTF-8")
(defun wb-expand (lang body params)
  (let ((expand (intern (concat "org-babel-expand-body:" lang)))
        (assign (intern (concat "org-babel-variable-assignments:" lang)))
        (case-fold-search t))
    (if (fboundp expand) (funcall expand body params)
      (org-babel-expand-body:generic body params (and (fboundp assign) (funcall assign params))))))
(with-temp-buffer
  (setq default-directory "/d/")
  (org-mode)
  (dolist (line (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
    (princ (condition-case err (apply #'wb-expand (read line)) (error "ERROR")))
    (princ "\0")))
