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

(defun wb-flymake--column (column)
  "Return the position of COLUMN, in bytes from 1, of the line at point."
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

(defun wb-flymake--line (finding)
  "Return the number of the line that FINDING is about."
  (alist-get 'line (alist-get 'pos finding)))

(defun wb-flymake--diagnostics (found)
  "Return Flymake's diagnostics for what lint FOUND in the buffer."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let ((line 1))                   ; that point is at the start of
        (mapcar
         (lambda (finding)
           (forward-line (- (wb-flymake--line finding) line))
           (setq line (wb-flymake--line finding))
           (save-excursion (wb-flymake--diagnostic finding)))
         (sort (copy-sequence found)
               (lambda (a b) (< (wb-flymake--line a) (wb-flymake--line b)))))))))

(defun wb-flymake--diagnostic (finding)
  "Return Flymake's diagnostic for FINDING, which is about the line at point."
  (let ((region (wb-flymake--region
                 (wb-flymake--column
                  (alist-get 'col (alist-get 'pos finding)))))
        (hint (alist-get 'hint finding))
        (code (alist-get 'code finding)))
    (flymake-make-diagnostic
     (current-buffer) (car region) (cdr region)
     (pcase (alist-get 'severity finding)
       ("error" :error) ("warning" :warning) (_ :note))
     (concat (alist-get 'message finding)
             (and hint (format " (%s)" hint))
             (and code (format " [%s]" code))))))

;;;###autoload
(defun wb-flymake (report &rest _)
  "Check the buffer with `wb lint' and give REPORT the findings.
This is for `flymake-diagnostic-functions'."
  (let ((before wb-flymake--process))
    ;; Its end comes to nobody: Flymake takes a report of an older check for a
    ;; mistake and switches the backend off.
    (setq wb-flymake--process nil)
    (when (process-live-p before) (delete-process before)))
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
