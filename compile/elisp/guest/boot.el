;; boot.el: start Emacs as `emacs -Q --batch' does, but stay. Nothing but the
;; primitives exists when this is loaded.

(setq wb--kill-emacs (symbol-function 'kill-emacs))
(fset 'kill-emacs '(lambda (&optional arg) (throw 'wb-started arg)))
(catch 'wb-started
  (load "loadup.el" nil t))
(fset 'kill-emacs wb--kill-emacs)
(makunbound 'wb--kill-emacs)
(load "/usr/share/emacs/wb/answer.el" nil t t)
(load "/usr/share/emacs/wb/org.el" nil t t)
(load "/usr/share/emacs/wb/export.el" nil t t)
(load "/usr/share/emacs/wb/agenda.el" nil t t)
