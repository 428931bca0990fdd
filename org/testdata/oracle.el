;;; oracle.el --- print what Emacs sees in org files  -*- lexical-binding: t -*-
;;
;; Usage: emacs -Q --batch [-L ORG/lisp] -l oracle.el FILE…
;;
;; For each FILE prints "file NAME" and then one line per element and object,
;; "TYPE BEGIN END PROPERTY…", with byte offsets from zero and without the
;; blank lines or blanks that Emacs counts as part of what precedes them.
;; TestConfirmEmacs compares this with what package org finds.

(require 'org)
(require 'org-element)
(require 'oc)
(require 'ob)
(require 'org-attach)

(defun oracle-at (pos) (1- (position-bytes pos)))

(defun oracle-end (node type)
  "Where NODE ends when the blanks behind it are left out."
  (let ((end (org-element-property :end node))
        (begin (org-element-property :begin node)))
    (cond
     ((memq type '(headline table-row node-property line-break citation-reference table-cell)) end)
     ((memq type org-element-all-objects)
      (- end (or (org-element-property :post-blank node) 0)))
     (t (save-excursion
          (goto-char end)
          (skip-chars-backward " \r\t\n" begin)
          (max (line-beginning-position 2) begin))))))

(defun oracle-text (value)
  (let ((print-escape-newlines t))
    (if (stringp value) (prin1-to-string (substring-no-properties value))
      (if value (format "%s" value) "-"))))

(defun oracle-props (node type)
  (pcase type
    ('headline '(:true-level :todo-keyword :todo-type :raw-value :tags :commentedp))
    ('src-block '(:language :switches :parameters :value))
    ('inline-src-block '(:language :parameters :value))
    ((or 'babel-call 'inline-babel-call) '(:call :inside-header :arguments :end-header))
    ('example-block '(:value))
    ('export-block '(:value))
    ('special-block '(:type :parameters))
    ('dynamic-block '(:block-name :arguments))
    ('keyword '(:key :value))
    ('node-property '(:key :value))
    ('drawer '(:drawer-name))
    ('item '(:checkbox :counter))
    ('plain-list '(:type))
    ('footnote-definition '(:label))
    ('footnote-reference '(:label :type))
    ('clock '(:duration))
    ('timestamp '(:type :year-start :month-start :day-start :hour-start :minute-start
                  :year-end :month-end :day-end :hour-end :minute-end
                  :repeater-type :repeater-value :repeater-unit
                  :warning-type :warning-value :warning-unit))
    ('link '(:format :type :path))
    ('macro '(:key))
    ('entity '(:name))
    ('citation-reference '(:key))
    ('export-snippet '(:back-end :value))
    ('table-row '(:type))))

(defun oracle-print (node)
  (let* ((type (org-element-type node)))
    (unless (memq type '(org-data section plain-text nil))
      (let* ((begin (org-element-property :begin node))
             (end (oracle-end node type)))
        (princ (format "%s %d %d" type (oracle-at begin) (oracle-at (min end (point-max)))))
        (when (and (not (memq type '(entity macro)))
                   (org-string-nw-p (org-element-property :name node)))
          (princ (format " name=%s" (oracle-text (org-element-property :name node)))))
        (dolist (prop (oracle-props node type))
          (princ (format " %s" (oracle-text
                                (if (and (eq type 'link) (eq prop :path)
                                         (equal (org-element-property :type node) "file"))
                                    nil
                                  (if (eq prop :arguments)
                                        (and (org-element-property prop node)
                                             (string-trim (org-element-property prop node)))
                                      (org-element-property prop node)))))))
        (princ "\n")))))

(defun oracle-results (tree)
  "Print where org-babel finds the result of each source block and call."
  (org-element-map tree '(src-block babel-call)
    (lambda (node)
      (goto-char (org-element-property :post-affiliated node))
      (let ((at (ignore-errors (org-babel-where-is-src-block-result)))
            (case-fold-search t))
        (princ (format "result %d" (oracle-at (org-element-property :post-affiliated node))))
        (if (not at) (princ " none")
          (goto-char at)
          (princ (format " %d" (oracle-at (point))))
          (forward-line)
          (princ (format " %d" (oracle-at (org-babel-result-end)))))
        (princ "\n")))))

(defun oracle-code (tree)
  "Print the code of each block as org-babel runs it."
  (org-element-map tree '(src-block inline-src-block)
    (lambda (node)
      (princ (format "code %d %s\n" (oracle-at (org-element-property :begin node))
                     (oracle-text (org-babel--normalize-body node)))))))

(defun oracle-tags (tree)
  "Print the tags of each headline, inherited ones included."
  (org-element-map tree 'headline
    (lambda (node)
      (goto-char (org-element-property :begin node))
      (princ (format "tags %d %s\n" (oracle-at (point))
                     (sort (delete-dups (mapcar #'substring-no-properties (org-get-tags))) #'string<))))))

(defun oracle-args (tree)
  "Print the header arguments in force for each source block."
  (let (org-babel-default-header-args org-babel-default-inline-header-args)
    (org-element-map tree '(src-block inline-src-block)
      (lambda (node)
        (goto-char (org-element-property :begin node))
        (let* ((lang (org-element-property :language node))
               (levels (append (org-babel-params-from-properties lang t)
                               (mapcar (lambda (h) (org-babel-parse-header-arguments h t))
                                       (cons (org-element-property :parameters node)
                                             (org-element-property :header node)))))
               (args (condition-case e (apply #'org-babel-merge-params levels)
                       (error (list (cons :error (error-message-string e)))))))
          (princ (format "args %d" (oracle-at (org-element-property :begin node))))
          (dolist (pair (sort (mapcar (lambda (p)
                                        (format "%s=%s" (car p)
                                                (let ((v (cdr p)))
                                                  (if (memq (car p) '(:results :exports))
                                                      (mapconcat #'identity (sort (split-string v) #'string<) ",")
                                                    (oracle-text (if (numberp v) (format "%s" v) v))))))
                                      args)
                              #'string<))
            (princ (format " %s" pair)))
          (princ "\n"))))))

(defun oracle-file (file)
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents file))
    (let ((org-inhibit-startup t) (org-element-use-cache nil)
          (enable-local-variables nil))
      (delay-mode-hooks (org-mode))
      (princ (format "file %s\n" file))
      (let ((tree (org-element-parse-buffer)))
        (org-element-map tree (append org-element-all-elements org-element-all-objects)
          #'oracle-print nil nil nil t)
        (let ((org-element-use-cache t))
          (ignore-errors (oracle-results tree))
          (oracle-args tree)
          (oracle-code tree)
          (oracle-tags tree))))))

(setq org-confirm-babel-evaluate t)
(dolist (file command-line-args-left) (oracle-file file))
(setq command-line-args-left nil)
