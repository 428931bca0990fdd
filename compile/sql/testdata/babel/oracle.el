;; Prints what ob-sqlite makes of each line of a file of bodies. A line is header
;; arguments in the notation of Emacs Lisp, a tab and a body.
;; Usage: emacs -Q --batch [-L ORG] -l oracle.el BODIES
(load (expand-file-name "../../../lanetest/oracle.el" (file-name-directory load-file-name)) nil t)
(require 'org)
(require 'org-table)
(require 'ob-sqlite)
(oracle-print
 (lambda (line)
   (let ((parts (split-string line "\t")))
     (org-babel-execute:sqlite (cadr parts) (car (read-from-string (car parts)))))))
