;;; wb-view.el --- See the plan of a notebook  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The plan as a picture, or as text where Emacs shows no pictures, in a side
;; window; and why a block would run again.

;;; Code:

(require 'wb)
(require 'image-mode)

(defvar-local wb-view--source nil
  "The buffer whose plan this one shows.")

(defvar wb-plan-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map (kbd "RET") #'wb-plan-visit)
    map)
  "Keys of `wb-plan-mode'.")

(define-derived-mode wb-plan-mode special-mode "Wb-Plan"
  "Mode for the plan of a notebook as text."
  (setq-local revert-buffer-function (lambda (&rest _) (wb-view--draw))))

(defun wb-view--picture-p ()
  "Return non-nil if this frame can show SVG."
  (and (display-graphic-p) (image-type-available-p 'svg)))

(defun wb-view--insert-plan (data)
  "Insert the plan in DATA, a component a line, then imports and exports."
  (dolist (component (alist-get 'components data))
    (let ((id (alist-get 'id component)))
      (insert (propertize
               (format "%-28s %-8s" id (or (alist-get 'lang component) ""))
               'wb-line (alist-get 'line (alist-get 'pos component))
               'mouse-face 'highlight 'help-echo "RET: go there"))
      (let ((sources (cl-loop for edge in (alist-get 'edges data)
                              for to = (alist-get 'to edge)
                              when (equal (wb-view--end to) id)
                              collect (wb-view--end (alist-get 'from edge)))))
        (when sources
          (insert " ← " (string-join (delete-dups sources) ", "))))
      (insert "\n")))
  (dolist (import (alist-get 'imports data))
    (insert (format "needs %s from outside\n" (wb-view--end import))))
  (let ((exports (mapcar #'wb-view--end (alist-get 'exports data))))
    (when exports
      (insert "gives " (string-join exports ", ") "\n"))))

(defun wb-view--end (end)
  "Return the name of END, a component, a port or a name."
  (cond ((stringp end) end)
        ((alist-get 'component end))
        ((alist-get 'world end))
        ((alist-get 'name end))
        (t (format "%s" end))))

(defun wb-view--draw ()
  "Draw the plan of `wb-view--source' into the current buffer, soon."
  (unless (buffer-live-p wb-view--source)
    (user-error "The notebook is gone"))
  (let* ((text (with-current-buffer wb-view--source (wb--buffer-text)))
         (file (with-current-buffer wb-view--source (wb--file)))
         (ask (list "plan" "-" "--stdin-name" file))
         (keys (list :input text :directory (file-name-directory file))))
    (if (wb-view--picture-p)
        (apply #'wb--call-later (append ask '("--svg"))
               (lambda (code bytes notes)
                 (unless (eql 0 code) (signal 'wb-error (list notes)))
                 (wb-view--fill
                  (lambda ()
                    (insert-image (create-image (wb--decode bytes) 'svg t)
                                  "[plan]"))))
               keys)
      (apply #'wb--ask-later ask
             (lambda (data)
               (wb-view--fill (lambda () (wb-view--insert-plan data))))
             keys))))

(defun wb-view--fill (insert)
  "Let INSERT fill the buffer anew."
  (let ((inhibit-read-only t))
    (erase-buffer)
    (funcall insert)
    (goto-char (point-min))))

;;;###autoload
(defun wb-plan ()
  "Show how values flow through the buffer's notebook, in a side window.
In that window, \\<wb-plan-mode-map>\\[revert-buffer] draws it anew."
  (interactive)
  (let ((source (current-buffer))
        (buffer (get-buffer-create (format "*wb plan: %s*" (buffer-name)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'wb-plan-mode) (wb-plan-mode))
      (setq wb-view--source source)
      (wb-view--draw))
    (display-buffer-in-side-window buffer '((side . right) (window-width . 0.4)))
    buffer))

(defun wb-plan-visit ()
  "Go to the component on this line."
  (interactive)
  (let ((line (get-text-property (line-beginning-position) 'wb-line))
        (source wb-view--source))
    (unless line (user-error "No component here"))
    (pop-to-buffer source)
    (widen)
    (goto-char (point-min))
    (forward-line (1- line))))

;;;###autoload
(defun wb-why ()
  "Say why the block at point would, or would not, run again."
  (interactive)
  (let ((file (wb--file))
        (line (save-restriction (widen) (line-number-at-pos))))
    (wb--call-later
     (list "why" "-" "--stdin-name" file "--line" (number-to-string line))
     (lambda (code bytes notes)
       (let ((text (string-trim (concat (wb--decode bytes) notes))))
         (unless (eql 0 code)
           (signal 'wb-error (list text)))
         (if (string-match-p "\n" text)
             (with-help-window "*wb why*"
               (with-current-buffer standard-output (insert text "\n")))
           (message "%s" text))))
     :input (wb--buffer-text) :directory (file-name-directory file))))

(provide 'wb-view)
;;; wb-view.el ends here
