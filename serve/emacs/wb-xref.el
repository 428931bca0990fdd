;;; wb-xref.el --- Follow names in org notebooks  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; An Xref backend for what holds a notebook together: #+NAME:, the outputs
;; that :out: names, :noweb-ref, ids and custom ids; and for what names them:
;; :var, :stdin, :post, :in:, :deps:, #+CALL:, calls in text, noweb references
;; and links.  It reads the buffer alone and needs no server.

;;; Code:

(require 'wb)
(require 'org)
(require 'xref)

(defconst wb-xref--name "[^][ \t\n\"'()<>,;=:]+"
  "Regexp for a name.")

(defconst wb-xref--definitions
  '("^[ \t]*#\\+name:[ \t]+\\(NAME\\)[ \t]*$"
    "^[ \t]*:\\(?:custom_\\)?id:[ \t]+\\(NAME\\)[ \t]*$"
    "^[ \t]*:out:\\(?:[ \t]+[^ \t\n]+\\)*?[ \t]+\\(NAME\\)\\(?:[ \t]\\|$\\)"
    "^[ \t]*#\\+\\(?:begin_src\\|header:\\).*[ \t]:out\\(?:[ \t]+[^: \t\n][^ \t\n]*\\)*?[ \t]+\\(NAME\\)\\(?:[ \t]\\|$\\)"
    "^[ \t]*#\\+\\(?:begin_src\\|header:\\).*[ \t]:noweb-ref[ \t]+\\(NAME\\)\\(?:[ \t]\\|$\\)"
    "<<<?\\(NAME\\)>>>?[^>\n]*$")
  "Regexps for places that define NAME.
The last one counts outside blocks only.")

(defconst wb-xref--references
  '("^[ \t]*#\\+call:[ \t]+\\(NAME\\)[ \t]*[[(]"
    "^[ \t]*#\\+results\\(?:\\[[^]\n]*\\]\\)?:[ \t]+\\(NAME\\)[ \t]*$"
    "^[ \t]*#\\+expect:[ \t]+\\(NAME\\)\\(?:[ \t]\\|$\\)"
    "\\_<call_\\(NAME\\)[[(]"
    "[ \t]:\\(?:stdin\\|post\\)[ \t]+\\(NAME\\)\\(?:[[( \t]\\|$\\)"
    "[ \t]:var[ \t].*?=\\(NAME\\)\\(?:[],()[ \t]\\|$\\)"
    "[(,][ \t]*\\(?:[^=,() \t\n]+=\\)?\\(NAME\\)[ \t]*[,)[]"
    "^[ \t]*:\\(?:in\\|deps\\):\\(?:[ \t]+[^ \t\n]+\\)*?[ \t]+\\(NAME\\)\\(?:[ \t,]\\|$\\)"
    "^[ \t]*#\\+\\(?:begin_src\\|header:\\).*[ \t]:in\\(?:[ \t]+[^: \t\n][^ \t\n]*\\)*?[ \t]+\\(NAME\\)\\(?:[ \t]\\|$\\)"
    "<<\\(NAME\\)\\(?:(\\|>>\\)"
    "\\[\\[\\(?:id:\\|#\\)?\\(NAME\\)\\]"
    "remote([ \t]*\\(NAME\\)[ \t]*,")
  "Regexps for places that refer to NAME.")

(defconst wb-xref--outputs
  "^[ \t]*\\(?:#\\+\\(?:begin_src\\|header:\\).*[ \t]:out\\|:out:\\)[ \t]+\\([^:\n]*\\)"
  "Regexp for the outputs of a component.")

(defun wb-xref-backend ()
  "Return wb's Xref backend where point is on a name."
  (and (wb-xref--at-point) 'wb))

(defun wb-xref--at-point ()
  "Return the name at point, nil for none."
  (save-excursion
    (skip-chars-backward "^][ \t\n\"'()<>,;=:#")
    (when (looking-at wb-xref--name)
      (let ((word (match-string-no-properties 0)))
        ;; call_NAME(...) in text, and words that nothing defines, are not it.
        (when (and (string-prefix-p "call_" word)
                   (eq (char-after (match-end 0)) ?\())
          (setq word (substring word 5)))
        (and (wb-xref--find word wb-xref--definitions) word)))))

(defun wb-xref--in-block-p ()
  "Return non-nil if point is in the body of a block."
  (save-match-data (org-in-block-p '("src" "example" "export"))))

(defun wb-xref--regexp (regexp name)
  "Return REGEXP for NAME, a regexp as well."
  (let ((case-fold-search nil))
    (replace-regexp-in-string "NAME" name regexp t t)))

(defun wb-xref--find (name regexps)
  "Return where NAME stands according to REGEXPS, as a list of positions."
  (let ((case-fold-search t) places)
    (save-excursion
      (save-restriction
        (widen)
        (dolist (regexp regexps)
          (goto-char (point-min))
          (let ((search (wb-xref--regexp regexp (regexp-quote name))))
            (while (re-search-forward search nil t)
              (let ((start (match-beginning 1)))
                (unless (and (eq (char-before start) ?<)
                             (eq regexps wb-xref--definitions)
                             (wb-xref--in-block-p))
                  (push start places))
                ;; Several may stand on one line.
                (goto-char (match-end 1))))))))
    (sort (delete-dups places) #'<)))

(defun wb-xref--items (places)
  "Return Xref items for PLACES, each showing its line."
  (save-excursion
    (save-restriction
      (widen)
      (mapcar (lambda (place)
                (goto-char place)
                (xref-make (string-trim (buffer-substring (line-beginning-position)
                                                          (line-end-position)))
                           (xref-make-buffer-location (current-buffer) place)))
              places))))

(cl-defmethod xref-backend-identifier-at-point ((_backend (eql 'wb)))
  "Return the name at point."
  (wb-xref--at-point))

(cl-defmethod xref-backend-identifier-completion-table ((_backend (eql 'wb)))
  "Return every name with a definition in the buffer."
  (let ((case-fold-search t) names)
    (save-excursion
      (save-restriction
        (widen)
        (dolist (regexp (butlast wb-xref--definitions))
          (goto-char (point-min))
          (let ((search (wb-xref--regexp regexp wb-xref--name)))
            (while (re-search-forward search nil t)
              (push (match-string-no-properties 1) names)
              (goto-char (match-end 1)))))
        (goto-char (point-min))
        (while (re-search-forward wb-xref--outputs nil t)
          (setq names (append (split-string (match-string-no-properties 1))
                              names)))))
    (delete-dups names)))

(cl-defmethod xref-backend-definitions ((_backend (eql 'wb)) name)
  "Return where NAME is defined."
  (wb-xref--items (wb-xref--find name wb-xref--definitions)))

(cl-defmethod xref-backend-references ((_backend (eql 'wb)) name)
  "Return what refers to NAME."
  (wb-xref--items (wb-xref--find name wb-xref--references)))

(cl-defmethod xref-backend-apropos ((backend (eql 'wb)) pattern)
  "Return the definitions whose name matches PATTERN, asking BACKEND."
  (let ((regexp (regexp-quote pattern)))
    (cl-mapcan (lambda (name)
                 (when (string-match-p regexp name)
                   (xref-backend-definitions backend name)))
               (xref-backend-identifier-completion-table backend))))

(provide 'wb-xref)
;;; wb-xref.el ends here
