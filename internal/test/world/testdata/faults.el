;;; Shows mistakes of Org's HTML exporter: each line is its HTML, a tab, and what it is by another exporter of its own. -*- lexical-binding: t -*-
(require 'org)
(require 'ox-html)
(require 'ox-texinfo)
(dolist (text '("#+MACRO: kbd (eval (org-texinfo-kbd-macro $1))\n* Keys\n{{{kbd(TAB)}}} (org-cycle)\n"))
  (princ (mapconcat (lambda (backend) (string-trim (replace-regexp-in-string "\n" " " (org-export-string-as text backend t))))
                    '(html texinfo) "\t"))
  (terpri))
