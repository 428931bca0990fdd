;;; wb-flymake.el --- Show what wb lint finds  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A Flymake backend that gives the text of the buffer to `wb lint -'.  The
;; buffer need not be saved.

;;; Code:

(require 'wb)
(require 'flymake)

(defvar-local wb-flymake--process nil
  "The check of the buffer that is under way.")

(defun wb-flymake--position (line column)
  "Return the position of COLUMN, in bytes from 1, of LINE of the buffer."
  (goto-char (point-min))
  (forward-line (1- line))
  (let* ((start (point))
         (bytes (wb--encode (buffer-substring-no-properties
                             start (line-end-position)))))
    (+ start (length (wb--decode
                      (substring bytes 0 (min (max 0 (1- column))
                                              (length bytes))))))))

(defun wb-flymake--region (position)
  "Return the bounds of what a finding at POSITION is about.
That is the word there, or the rest of a line of org syntax."
  (goto-char position)
  (let ((end (line-end-position)))
    (unless (looking-at-p "[#*]")
      (skip-chars-forward "^ \t\n" end)
      (setq end (point)))
    (cond
     ((< position end) (cons position end))
     ((> position (point-min)) (cons (1- position) position))
     (t (cons position (min (1+ position) (point-max)))))))

(defun wb-flymake--diagnostics (found)
  "Return Flymake's diagnostics for what lint FOUND in the buffer."
  (save-excursion
    (save-restriction
      (widen)
      (mapcar
       (lambda (finding)
         (let* ((place (alist-get 'pos finding))
                (region (wb-flymake--region
                         (wb-flymake--position (alist-get 'line place)
                                               (alist-get 'col place))))
                (hint (alist-get 'hint finding)))
           (flymake-make-diagnostic
            (current-buffer) (car region) (cdr region)
            (pcase (alist-get 'severity finding)
              ("error" :error) ("warning" :warning) (_ :note))
            (concat (alist-get 'message finding)
                    (and hint (format " (%s)" hint))
                    (let ((code (alist-get 'code finding)))
                      (and code (format " [%s]" code)))))))
       found))))

;;;###autoload
(defun wb-flymake (report &rest _)
  "Check the buffer with `wb lint' and give REPORT the findings.
This is for `flymake-diagnostic-functions'."
  (when (process-live-p wb-flymake--process)
    (delete-process wb-flymake--process))
  (let* ((buffer (current-buffer))
         (file (wb--file))
         (text (wb--buffer-text))
         process)
    (setq process
          (wb--start
           (list "lint" "-" "--stdin-name" file "--json")
           :input text :directory (file-name-directory file)
           :on-done
           (lambda (_code bytes notes)
             (when (and (buffer-live-p buffer)
                        (eq process (buffer-local-value 'wb-flymake--process
                                                        buffer)))
               (with-current-buffer buffer
                 (setq wb-flymake--process nil)
                 (condition-case err
                     (let ((found (wb--data bytes notes)))
                       ;; Flymake asks again after a change by itself.
                       (when (string= text (wb--buffer-text))
                         (funcall report (wb-flymake--diagnostics found))))
                   (wb-error
                    (funcall report :panic :explanation (cadr err)))))))))
    (setq wb-flymake--process process)))

(provide 'wb-flymake)
;;; wb-flymake.el ends here
