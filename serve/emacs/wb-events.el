;;; wb-events.el --- Follow what runs do  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A buffer that follows the records of a directory, _steps.jsonl, as runs
;; append to it: one line an event, the latest at the end.

;;; Code:

(require 'wb)

(defcustom wb-events-interval 0.5
  "Seconds between looks at the records."
  :type 'number
  :group 'wb)

(defcustom wb-events-start 200000
  "How many bytes of old records are shown at first."
  :type 'integer
  :group 'wb)

(defface wb-events-failed '((t :inherit error))
  "Face of events that say that something failed."
  :group 'wb)

(defface wb-events-dim '((t :inherit shadow))
  "Face of events of lesser interest."
  :group 'wb)

(defvar-local wb-events--file nil "The records that are followed.")
(defvar-local wb-events--offset 0 "How many bytes of them were read.")
(defvar-local wb-events--rest "" "The start of a line that is not complete.")
(defvar-local wb-events--timer nil "What looks at the records.")

(defvar wb-events-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map (kbd "RET") #'wb-events-visit)
    map)
  "Keys of `wb-events-mode'.")

(define-derived-mode wb-events-mode special-mode "Wb-Events"
  "Mode for following what runs do."
  (setq-local truncate-lines t)
  (setq-local revert-buffer-function (lambda (&rest _) (wb-events--restart)))
  (add-hook 'kill-buffer-hook #'wb-events--stop nil t))

(defun wb-events--stop ()
  "Stop following."
  (when wb-events--timer
    (cancel-timer wb-events--timer)
    (setq wb-events--timer nil)))

(defun wb-events--size ()
  "Return the size of the records in bytes, 0 when there are none."
  (or (file-attribute-size (file-attributes wb-events--file)) 0))

(defun wb-events--restart ()
  "Read the records anew."
  (let ((inhibit-read-only t)
        (skip (max 0 (- (wb-events--size) wb-events-start))))
    (erase-buffer)
    (setq wb-events--offset skip
          ;; A line that is cut off at the start is none.
          wb-events--rest (if (> skip 0) "{" ""))
    (wb-events--read)))

(defun wb-events--read ()
  "Show what was appended to the records since."
  (let ((size (wb-events--size)))
    (when (< size wb-events--offset)    ; it was replaced
      (setq wb-events--offset 0 wb-events--rest ""))
    (when (> size wb-events--offset)
      (let ((bytes (wb-events--bytes wb-events--file wb-events--offset size)))
        (setq wb-events--offset (+ wb-events--offset (length bytes)))
        (let* ((lines (split-string (concat wb-events--rest bytes) "\n"))
               (follow (cl-remove-if-not
                        (lambda (window) (= (window-point window) (point-max)))
                        (get-buffer-window-list nil nil t)))
               (at-end (eobp))
               (inhibit-read-only t))
          (setq wb-events--rest (car (last lines)))
          (save-excursion
            (goto-char (point-max))
            (mapc #'wb-events--insert (butlast lines)))
          (when at-end (goto-char (point-max)))
          (dolist (window follow)
            (set-window-point window (point-max))))))))

(defun wb-events--bytes (file from to)
  "Return the bytes of FILE between the offsets FROM and TO."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file nil from to)
    (buffer-string)))

(defun wb-events--insert (line)
  "Insert the event in LINE of the records."
  (let ((event (condition-case nil
                   (wb--json (wb--decode line))
                 (error nil))))
    (when (and event (alist-get 'kind event))
      (let-alist event
        (insert
         (propertize
          (format "%s %-15s %-28s %8s%s\n"
                  (format-time-string "%H:%M:%S" (seconds-to-time .ts))
                  .kind
                  (or .component .tool (alist-get 'workbook .args) .agent "")
                  (if (and .dur_ms (> .dur_ms 0)) (format "%d ms" .dur_ms) "")
                  (wb-events--outcome event))
          'face (cond (.error 'wb-events-failed)
                      ((member .kind '("component_start" "compile" "cache_hit"))
                       'wb-events-dim))
          'wb-event event))))))

(defun wb-events--outcome (event)
  "Return what came out of EVENT, on the rest of a line."
  (let-alist event
    (let ((text (or .error .output "")))
      (if (string-empty-p text) ""
        (concat "  " (truncate-string-to-width
                      (replace-regexp-in-string "[\n\t]+" " ⏎ " text)
                      100 nil nil t))))))

;;;###autoload
(defun wb-events (&optional directory)
  "Follow the events in DIRECTORY, by default that of the buffer.
RET on a line shows all of the event."
  (interactive)
  (let* ((directory (expand-file-name (or directory default-directory)))
         (buffer (get-buffer-create
                  (format "*wb events: %s*" (abbreviate-file-name directory)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'wb-events-mode) (wb-events-mode))
      (setq default-directory directory
            wb-events--file (expand-file-name "_steps.jsonl" directory))
      (wb-events--restart)
      (goto-char (point-max))
      (unless wb-events--timer
        (setq wb-events--timer
              (run-at-time wb-events-interval wb-events-interval
                           #'wb-events--look buffer))))
    (display-buffer buffer)
    buffer))

(defun wb-events--look (buffer)
  "Show in BUFFER what is new."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (condition-case err
          (wb-events--read)
        (file-error
         (wb-events--stop)
         (message "wb events: %s" (error-message-string err)))))))

(defun wb-events-visit ()
  "Show all of the event on this line."
  (interactive)
  (let ((event (get-text-property (line-beginning-position) 'wb-event)))
    (unless event (user-error "No event here"))
    (with-help-window "*wb event*"
      (with-current-buffer standard-output
        (pcase-dolist (`(,key . ,value) event)
          (when value (insert (format "%-10s %s\n" key value))))))))

(provide 'wb-events)
;;; wb-events.el ends here
