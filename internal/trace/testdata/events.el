;; Prints what org sees in an events.org file: level, RUN, tags and CALL of
;; every headline, then every element or object that could do something.
(require 'org)
(require 'org-element)
(with-current-buffer (find-file-noselect (car command-line-args-left))
  (org-mode)
  (org-map-entries
   (lambda ()
     (princ (format "%d %s %s %s\n" (org-outline-level) (org-entry-get nil "RUN")
                    (mapcar #'substring-no-properties (org-get-tags nil t))
                    (org-entry-get nil "CALL")))))
  (princ (format "acts: %S\n"
                 (org-element-map (org-element-parse-buffer)
                     '(keyword babel-call inline-babel-call inline-src-block src-block macro radio-target
                       target link timestamp clock planning diary-sexp table footnote-definition dynamic-block)
                   (lambda (e)
                     ;; a plain web address opens a browser, no more
                     (unless (member (org-element-property :type e) '("http" "https"))
                       (list (org-element-type e) (org-element-property :begin e))))))))
(setq command-line-args-left nil)
