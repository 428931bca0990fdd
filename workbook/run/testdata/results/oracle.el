;;; oracle.el --- what Emacs makes of the documents in this directory
;;
;; Each NAME.out.org is NAME.in.org after org-babel-execute-buffer. To make them
;; again, with Org 9.8 in DIR:
;;
;;   emacs -Q --batch -L DIR/lisp -l oracle.el *.in.org
;;
;; Org 9.8 to 9.8.9 lose the line end after #+end_example; it is put back.

(require 'org)
(require 'ob-shell)

(setq org-confirm-babel-evaluate nil)

(defun oracle-line-end (beg &rest _)
  "Put back the line end behind the example block at BEG."
  (save-excursion
    (goto-char beg)
    (when (looking-at "#\\+begin_example")
      (re-search-forward "^#\\+end_example")
      (insert "\n"))))

(when (and (version<= "9.8" (org-version)) (version<= (org-version) "9.8.9"))
  (advice-add 'org-babel-examplify-region :after #'oracle-line-end))

(dolist (in command-line-args-left)
  (find-file in)
  (org-mode)
  (org-babel-execute-buffer)
  (let ((coding-system-for-write buffer-file-coding-system)
        (out (replace-regexp-in-string "\\.in\\.org\\'" ".out.org" in)))
    (write-region (point-min) (point-max) out))
  (set-buffer-modified-p nil))
(setq command-line-args-left nil)
