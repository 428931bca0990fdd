;; Execute every org file named in a list as org-babel-execute-buffer does, and
;; save it. A block that fails does not stop the others; what it said is written
;; beside the document, to NAME.error. With WB_PLAIN in the environment Emacs does
;; it all its own way: its bugs stay, and the first error ends the run.
(defvar wb-plain (getenv "WB_PLAIN"))
(setq enable-local-variables nil enable-local-eval nil vc-handled-backends nil make-backup-files nil create-lockfiles nil auto-save-default nil
      org-confirm-babel-evaluate nil org-id-track-globally nil org-element-use-cache nil)
(set-language-environment "UTF-8")
(require 'org)
(dolist (lang '(emacs-lisp shell python js awk sed C org))
  (require (intern (format "ob-%s" lang))))

;; "say" evaluates its body as one Lisp expression: what is judged is what
;; becomes of a value, not how a language finds it.
(defvar org-babel-default-header-args:say nil)
(defun org-babel-execute:say (body params)
  (let* ((vars (mapcar (lambda (v) (list (car v) (list 'quote (cdr v)))) (org-babel--get-vars params)))
         (value (eval `(let ,vars ,(car (read-from-string (concat "(progn " body "\n)")))) t)))
    (org-babel-result-cond (cdr (assq :result-params params))
      (if (stringp value) value (prin1-to-string value))
      (org-babel-reassemble-table value
        (org-babel-pick-name (cdr (assq :colname-names params)) (cdr (assq :colnames params)))
        (org-babel-pick-name (cdr (assq :rowname-names params)) (cdr (assq :rownames params)))))))

;; Org 9.8 to 9.8.12 swallow the blank line after #+end_example.
(defun wb-keep-blank-line (examplify beg end &rest more)
  (let ((blank (save-excursion (goto-char end) (eolp))))
    (apply examplify beg end more)
    (save-excursion
      (goto-char beg)
      (when (and blank (looking-at "#\\+begin_example"))
        (re-search-forward "^#\\+end_example")
        (insert "\n")))))
(when (and (not wb-plain) (version<= "9.8" (org-version)) (version<= (org-version) "9.8.12"))
  (advice-add 'org-babel-examplify-region :around #'wb-keep-blank-line))

(defun wb-note (file err)
  (write-region (format "%d: %s\n" (line-number-at-pos) (error-message-string err)) nil
                (concat (file-name-sans-extension file) ".error") t 'quiet))

(defun wb-execute-buffer (file)
  "Run what the author wrote, and nothing that a result brings along."
  (let (places)
    (org-babel-map-executables nil
      (unless (org-element-lineage-map (org-element-at-point) (lambda (e) (org-element-property :results e)) nil t t)
        (push (copy-marker (point) t) places)))
    (dolist (place (nreverse places))
      (goto-char place)
      (condition-case err
          (if (org-element-type-p (org-element-context) '(babel-call inline-babel-call))
              (org-babel-lob-execute-maybe)
            (org-babel-execute-src-block))
        (error (wb-note file err))))))

(defun wb-execute (file)
  (let ((default-directory (file-name-directory file)) (inhibit-message t))
    (setq org-babel-expand-noweb-references--cache nil
          org-babel-expand-noweb-references--cache-buffer nil
          org-babel-library-of-babel nil)
    (with-current-buffer (find-file-noselect file)
      (unwind-protect
          (progn
            (if wb-plain
                (condition-case err (org-babel-execute-buffer)
                  (error (wb-note file err)))
              (wb-execute-buffer file))
            (write-region nil nil file nil 'quiet))
        (set-buffer-modified-p nil)
        (kill-buffer)))))
(dolist (file (split-string (with-temp-buffer (insert-file-contents (pop command-line-args-left)) (buffer-string)) "\n" t))
  (wb-execute file))
