;; Prints what ob-lua makes of each line of a file of bodies.
;; Usage: emacs -Q --batch [-L ORG] -l oracle.el BODIES
(load (expand-file-name "../../../lanetest/oracle.el" (file-name-directory load-file-name)) nil t)
(require 'ob-lua)
(oracle-babel #'org-babel-execute:lua)
