;;; wb-run.el --- Run source blocks with wb  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The text of the buffer goes to `wb run -', which answers with edits that put
;; the results in.  Meanwhile the author may type: every change is noted, and
;; each edit is moved along with the text it belongs to.  An edit whose place
;; was itself changed is not made; the author is told, and running again costs
;; nothing, since wb keeps what it computed.

;;; Code:

(require 'wb)
(require 'cl-lib)
(require 'ob-core)
(require 'org-element)

(defgroup wb-run nil
  "Running source blocks with wb."
  :group 'wb)

(defface wb-failed '((t :inherit error :underline t))
  "Face of the first line of a block that failed.")

(defcustom wb-show-output-after 1
  "Seconds after which the output of a run that goes on is shown.
Nil shows none by itself; \\[wb-show-output] does.  What programs
that succeed write to standard error is shown in any case."
  :type '(choice (number :tag "Seconds") (const :tag "Never" nil)))

(defcustom wb-show-images t
  "Whether images among the results of a run are shown in the buffer."
  :type 'boolean)

(defcustom wb-after-run-hook nil
  "Functions called in the buffer when a run has ended.
Each is called with the data of `wb run --json', nil if it did not finish."
  :type 'hook)

;;; A run and what is typed meanwhile

(cl-defstruct wb-run
  "One run under way."
  process
  text          ; that was sent
  changes       ; of the buffer since, latest first: (beg old-length new-length)
  done          ; number of components that have ended
  printed       ; when a component has first printed something
  shown         ; whether what they print is on the screen
  timer)        ; of the spinner

(defvar-local wb-run--current nil
  "The buffer's run under way, a `wb-run' or nil.")

(defvar-local wb-run--marks nil
  "Overlays on blocks that failed.")

(defun wb-running-p ()
  "Return non-nil if a run of this buffer is under way."
  (and wb-run--current t))

(defun wb-run--note-change (beg end length)
  "Note that LENGTH characters became those from BEG to END."
  (when wb-run--current
    (push (list beg length (- end beg)) (wb-run-changes wb-run--current))))

(defun wb-run--move (edit history)
  "Return EDIT moved along HISTORY, or nil if it cannot be.
EDIT is a list of start, end and text.  HISTORY is a list of changes,
the oldest first, each a list of start, old and new length."
  (cl-destructuring-bind (start end text) edit
    (catch 'lost
      (dolist (step history)
        (cl-destructuring-bind (beg old new) step
          (cond
           ((>= beg end))               ; a result stays with its block
           ((<= (+ beg old) start)
            (setq start (+ start (- new old))
                  end (+ end (- new old))))
           (t (throw 'lost nil)))))
      (list start end text))))

(defun wb-run--edits (data text)
  "Return the edits in DATA as lists of start, end and new text.
Places in DATA are bytes of TEXT, places of the edits are positions."
  (let ((bytes (wb--encode text)) (at 0) (position 1) edits)
    (dolist (edit (sort (copy-sequence (alist-get 'edits data))
                        (lambda (a b)
                          (< (alist-get 'start a) (alist-get 'start b)))))
      (cl-flet ((place (byte)
                  (setq position
                        (+ position (length (wb--decode (substring bytes at byte))))
                        at byte)
                  position))
        (push (list (place (alist-get 'start edit))
                    (place (alist-get 'end edit))
                    (alist-get 'new edit))
              edits)))
    (nreverse edits)))

;;; Putting results in

(defun wb-run--replace (beg end text)
  "Put TEXT in the place of what stands from BEG to END.
What is the same stays untouched, with its markers."
  (let* ((old (buffer-substring-no-properties beg end))
         (same (or (compare-strings old nil nil text nil nil) t))
         (prefix (if (eq same t) (length old) (1- (abs same)))))
    (unless (and (eq same t) (= (length old) (length text)))
      (let ((suffix 0)
            (most (- (min (length old) (length text)) prefix)))
        (while (and (< suffix most)
                    (eq (aref old (- (length old) suffix 1))
                        (aref text (- (length text) suffix 1))))
          (setq suffix (1+ suffix)))
        (goto-char (+ beg prefix))
        (delete-region (point) (- end suffix))
        (insert (substring text prefix (- (length text) suffix)))))))

(defun wb-run--hold (position edits)
  "Return where POSITION stands if it is inside a result that EDITS replace.
That is a list of a marker for the start of the result, the lines and
the columns after it; nil for other positions."
  (cl-some (lambda (edit)
             (cl-destructuring-bind (start end _) edit
               (when (and (< start position) (< position end))
                 (save-excursion
                   (goto-char position)
                   (list (copy-marker start)
                         (- (line-number-at-pos) (line-number-at-pos start))
                         (current-column))))))
           edits))

(defun wb-run--held (place)
  "Return the position that PLACE from `wb-run--hold' means now."
  (save-excursion
    (goto-char (car place))
    (forward-line (nth 1 place))
    (move-to-column (nth 2 place))
    (set-marker (car place) nil)
    (point)))

(defun wb-run--apply (edits)
  "Make EDITS in the buffer, as one step that one undo takes back.
Point and what windows show stay where they are."
  (when edits
    (save-restriction
      (widen)
      (let ((windows (cl-loop for window in (get-buffer-window-list nil nil t)
                              for place = (wb-run--hold (window-point window) edits)
                              when place collect (cons window place)))
            (here (wb-run--hold (point) edits)))
        (undo-boundary)
        (atomic-change-group
          (save-excursion
            (dolist (edit (sort (copy-sequence edits)
                                (lambda (a b) (> (car a) (car b)))))
              (apply #'wb-run--replace edit))))
        (undo-boundary)
        (when here (goto-char (wb-run--held here)))
        (pcase-dolist (`(,window . ,place) windows)
          (set-window-point window (wb-run--held place)))))))

;;; The run itself

(defun wb-run--start (lines force)
  "Run the components that stand in LINES of the buffer, all if nil.
LINES is a cons of the first and the last line.  With FORCE, also
those that did not change."
  (barf-if-buffer-read-only)
  (when wb-run--current
    (user-error "This buffer is being run; %s stops it"
                (substitute-command-keys "\\[wb-cancel]")))
  (let* ((buffer (current-buffer))
         (file (wb--file))
         (text (wb--buffer-text))
         (run (make-wb-run :text text :done 0)))
    (wb-run-clear-marks)
    (setf (wb-run-process run)
          (wb--start
           (append (list "run" "-" "--stdin-name" file "--json" "--progress")
                   (when lines
                     (list "--lines" (format "%d:%d" (car lines) (cdr lines))))
                   (when force (list "--force"))
                   (cl-mapcan (lambda (grant) (list "--grant" grant))
                              (copy-sequence wb-grants))
                   wb-run-arguments)
           :input text :directory (file-name-directory file)
           :on-line (lambda (line) (wb-run--progress buffer run line))
           :on-done (lambda (code bytes notes)
                      (wb-run--done buffer run code bytes notes))))
    (setf (wb-run-timer run)
          (run-at-time 0.2 0.2 #'wb-run--spin buffer))
    (setq wb-run--current run)
    (add-hook 'after-change-functions #'wb-run--note-change nil t)
    (add-hook 'kill-buffer-hook #'wb-run--stop nil t)
    (force-mode-line-update)))

(defun wb-run--progress (buffer run line)
  "Take LINE about a component of RUN, and show it for BUFFER."
  (when (buffer-live-p buffer)
    (cond
     ((string-prefix-p "{\"done\":" line)
      (cl-incf (wb-run-done run))
      (with-current-buffer buffer (force-mode-line-update)))
     ((string-prefix-p "{\"printed\":" line)
      (let-alist (wb--json line)
        (wb-run--printed buffer run .printed.id .printed.text
                         .printed.stderr))))))

;;; What components print

(defun wb-run--output-name (buffer)
  "Return the name of the buffer for what components of BUFFER print."
  (format "*wb output: %s*" (buffer-name buffer)))

(defun wb-run--printed (buffer run id text stderr)
  "Show TEXT, which component ID of RUN in BUFFER has printed.
STDERR says that it did so on standard error."
  (let ((output (get-buffer-create (wb-run--output-name buffer)))
        (first (not (wb-run-printed run))))
    (with-current-buffer output
      (unless (derived-mode-p 'special-mode) (special-mode))
      (let ((inhibit-read-only t)
            (follow (cl-remove-if-not
                     (lambda (window) (= (window-point window) (point-max)))
                     (get-buffer-window-list nil nil t))))
        (when first
          (erase-buffer)
          (setf (wb-run-printed run) (float-time)))
        (save-excursion
          (goto-char (point-max))
          (dolist (line (split-string (string-remove-suffix "\n" text) "\n"))
            (insert (propertize (concat id " | ") 'face 'shadow)
                    (if stderr (propertize line 'face 'warning) line)
                    "\n")))
        (dolist (window follow)
          (set-window-point window (point-max)))))
    (when (and first wb-show-output-after)
      (run-at-time wb-show-output-after nil #'wb-run--show-if-running
                   buffer run))))

(defun wb-run--show-if-running (buffer run)
  "Show what RUN of BUFFER prints, unless it has ended."
  (when (and (buffer-live-p buffer)
             (eq run (buffer-local-value 'wb-run--current buffer)))
    (wb-run--show buffer run)))

(defun wb-run--show (buffer run)
  "Show what RUN of BUFFER prints, and leave the selected window selected."
  (unless (wb-run-shown run)
    (setf (wb-run-shown run) t)
    (let ((output (get-buffer (wb-run--output-name buffer))))
      (when output
        (display-buffer output '(nil (inhibit-same-window . t)))))))

(defun wb-run--show-stderr (buffer run data)
  "Show what programs of RUN in BUFFER that succeeded complain of in DATA."
  (when (cl-some (lambda (component)
                   (and (equal (alist-get 'status component) "ok")
                        (alist-get 'stderr component)))
                 (alist-get 'components data))
    (wb-run--show buffer run)))

;;;###autoload
(defun wb-show-output ()
  "Show what components of this buffer printed when they last ran."
  (interactive)
  (display-buffer (or (get-buffer (wb-run--output-name (current-buffer)))
                      (user-error "Nothing was printed"))))

(defun wb-run--spin (buffer)
  "Show that BUFFER is being run."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer (force-mode-line-update))))

(defun wb-run-lighter ()
  "Return the text of `wb-mode' in the mode line."
  (if wb-run--current
      (format " wb%c%d"
              (aref "-\\|/" (mod (floor (* 5 (float-time))) 4))
              (wb-run-done wb-run--current))
    " wb"))

(defun wb-run--stop ()
  "Stop the buffer's run, if any, without a word."
  (when wb-run--current
    (let ((run wb-run--current))
      (setq wb-run--current nil)
      (remove-hook 'after-change-functions #'wb-run--note-change t)
      (remove-hook 'kill-buffer-hook #'wb-run--stop t)
      (when (wb-run-timer run) (cancel-timer (wb-run-timer run)))
      (when (process-live-p (wb-run-process run))
        (interrupt-process (wb-run-process run))
        (let ((process (wb-run-process run)))
          (run-at-time 5 nil (lambda ()
                               (when (process-live-p process)
                                 (delete-process process)))))))
    (force-mode-line-update)))

(defun wb-cancel ()
  "Stop the run of this buffer; what is done is kept."
  (interactive)
  (unless wb-run--current
    (user-error "Nothing is running here"))
  (wb-run--stop)
  (message "Stopped"))

(defun wb-run--done (buffer run code bytes notes)
  "Take the outcome of RUN in BUFFER: CODE, the answer BYTES, and NOTES.
A run that was stopped has no outcome."
  (when (and (buffer-live-p buffer)
             (eq (buffer-local-value 'wb-run--current buffer) run))
    (with-current-buffer buffer
      (wb-run--stop)
      (condition-case err
          (let* ((data (wb--data bytes (wb-run--for-people notes)))
                 (edits (wb-run--edits data (wb-run-text run)))
                 (changes (reverse (wb-run-changes run)))
                 (moved (delq nil (mapcar (lambda (edit)
                                            (wb-run--move edit changes))
                                          edits)))
                 (lost (- (length edits) (length moved))))
            (wb-run--apply moved)
            (wb-run--show-images moved)
            (wb-run--show-stderr buffer run data)
            (wb-run--mark-failures data changes (wb-run-text run))
            (wb-run--report data lost)
            (run-hook-with-args 'wb-after-run-hook data))
        (wb-error
         (message "wb: %s" (cadr err))
         (run-hook-with-args 'wb-after-run-hook nil))
        (error
         (message "wb (exit %d): %s" code (error-message-string err))
         (run-hook-with-args 'wb-after-run-hook nil))))))

(defun wb-run--for-people (notes)
  "Return NOTES without the lines that are for programs."
  (string-join (cl-remove-if (lambda (line) (string-prefix-p "{" line))
                             (split-string notes "\n"))
               "\n"))

(defun wb-run--report (data lost)
  "Say how the run with DATA went, LOST results not being written."
  (let ((counts nil) (failed nil))
    (dolist (component (alist-get 'components data))
      (let ((status (alist-get 'status component)))
        (when (and (equal status "failed") (not failed))
          (setq failed component))
        (cl-incf (alist-get status counts 0 nil #'equal))))
    (message
     "wb: %s%s%s"
     (let ((parts (cl-loop for (status . word) in
                           '(("ok" . "ran") ("cached" . "cached")
                             ("skipped" . "skipped") ("failed" . "failed")
                             ("blocked" . "blocked"))
                           for n = (alist-get status counts nil nil #'equal)
                           when n collect (format "%d %s" n word))))
       (if parts (string-join parts ", ") "nothing to run"))
     (if failed
         (format "; %s: %s" (alist-get 'id failed)
                 (car (split-string (or (alist-get 'error failed) "") "\n")))
       "")
     (if (> lost 0)
         (format "; %d result%s not written, you edited there: run again"
                 lost (if (= lost 1) "" "s"))
       ""))))

;;; Images

(declare-function clear-image-cache "image.c")

(defun wb-run--show-images (edits)
  "Show the images that EDITS have brought or whose results they wrote anew."
  (when (and wb-show-images (display-graphic-p)
             (cl-some (lambda (edit)
                        (string-match-p "\\[\\[\\(?:file:\\|\\.?/\\)?[^]]+\\.\\(?:png\\|jpe?g\\|gif\\|svg\\|webp\\)\\]"
                                        (nth 2 edit)))
                      edits))
    ;; A file of the same name may be another picture now.
    (clear-image-cache)
    (org-display-inline-images nil t)))

;;; Marks on what failed

(defun wb-run-clear-marks ()
  "Remove all signs of failure from the buffer."
  (mapc #'delete-overlay wb-run--marks)
  (setq wb-run--marks nil))

(defun wb-run--line-start (text line)
  "Return the position of the first character of LINE in TEXT."
  (let ((at 0))
    (dotimes (_ (1- line))
      (setq at (1+ (or (string-search "\n" text at) (1- (length text))))))
    (1+ at)))

(defun wb-run--mark-failures (data changes text)
  "Show which components failed according to DATA.
Their lines are those of TEXT, moved along CHANGES and the results."
  (dolist (component (alist-get 'components data))
    (when (equal (alist-get 'status component) "failed")
      (let* ((start (wb-run--line-start text (alist-get 'line component)))
             (place (wb-run--move
                     (list start (1+ start) "")
                     (append changes
                             (wb-run--as-moves data text changes)))))
        (when place
          (save-excursion
            (save-restriction
              (widen)
              (goto-char (min (car place) (point-max)))
              (let ((mark (make-overlay (line-beginning-position)
                                        (line-end-position) nil t)))
                (overlay-put mark 'face 'wb-failed)
                (overlay-put mark 'help-echo (alist-get 'error component))
                (overlay-put mark 'modification-hooks
                             (list (lambda (overlay &rest _)
                                     (delete-overlay overlay))))
                (push mark wb-run--marks)))))))))

(defun wb-run--as-moves (data text history)
  "Return what the edits in DATA for TEXT, moved along HISTORY, move."
  (let ((shift 0))
    (cl-loop for edit in (wb-run--edits data text)
             for moved = (wb-run--move edit history)
             when moved
             collect (cl-destructuring-bind (start end new) moved
                       (prog1 (list (+ start shift) (- end start) (length new))
                         (cl-incf shift (- (length new) (- end start))))))))

;;; Commands

(defun wb-run--foreign ()
  "Return the language of the code at point if it is one wb does not run."
  (let* ((element (org-element-context))
         (language (and (memq (org-element-type element)
                              '(src-block inline-src-block))
                        (org-element-property :language element))))
    (and language (not (wb-language-p language)) language)))

(defun wb-run--line (position)
  "Return the number of the line at POSITION in the whole buffer."
  (save-restriction
    (widen)
    (line-number-at-pos position)))

(defun wb-run-at-point-p ()
  "Return non-nil if point is on something for wb to run."
  (let* ((element (org-element-context))
         (type (org-element-type element)))
    (or (memq type '(src-block babel-call inline-src-block inline-babel-call))
        (and (memq type '(keyword))
             (equal (org-element-property :key element) "RESULTS"))
        (save-excursion
          (beginning-of-line)
          (let ((case-fold-search t))
            (looking-at-p "[ \t]*#\\+\\(?:begin_src\\|call:\\|results\\)"))))))

(defun wb-run-at-point-maybe ()
  "Run what point is on; return nil if there is nothing to run.
This is for `org-ctrl-c-ctrl-c-hook'.  Code in a language that wb does
not run is left to Org."
  (when (and (wb-run-at-point-p) (not (wb-run--foreign)))
    (wb-run-block current-prefix-arg)
    t))

;;;###autoload
(defun wb-babel-execute (&optional force)
  "Run the code at point; with FORCE, the prefix argument, in any case.
This stands for `org-babel-execute-src-block', which runs what wb does
not, if its user agrees."
  (interactive "P")
  (if (wb-run--foreign)
      (call-interactively #'org-babel-execute-src-block)
    (wb-run-block force)))

;;;###autoload
(defun wb-babel-execute-maybe ()
  "Run what is at point, if anything is; stands for `org-babel-execute-maybe'."
  (interactive)
  (cond ((not (wb-run-at-point-p))
         (call-interactively #'org-babel-execute-maybe))
        (t (wb-babel-execute current-prefix-arg))))

;;;###autoload
(defun wb-run-block (&optional force)
  "Run the block, call or inline code at point, and what it needs.
With FORCE, the prefix argument, also what did not change."
  (interactive "P")
  (let ((line (wb-run--line (point))))
    (wb-run--start (cons line line) force)))

;;;###autoload
(defun wb-run-subtree (&optional force)
  "Run what stands in the subtree at point, and what that needs.
With FORCE, the prefix argument, also what did not change."
  (interactive "P")
  (save-excursion
    (save-restriction
      (widen)
      (if (org-before-first-heading-p)
          (wb-run--start nil force)
        (org-back-to-heading t)
        (let ((first (wb-run--line (point))))
          (org-end-of-subtree t t)
          (wb-run--start (cons first (wb-run--line (max 1 (1- (point))))) force))))))

;;;###autoload
(defun wb-run-to-point (&optional force)
  "Run what stands above point, and on its line.
With FORCE, the prefix argument, also what did not change."
  (interactive "P")
  (wb-run--start (cons 1 (wb-run--line (point))) force))

;;;###autoload
(defun wb-run-buffer (&optional force)
  "Run everything in the buffer that changed.
With FORCE, the prefix argument, also what did not."
  (interactive "P")
  (wb-run--start nil force))

(provide 'wb-run)
;;; wb-run.el ends here
