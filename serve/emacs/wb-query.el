;;; wb-query.el --- Ask questions over org notes  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `wb-query' reads a query in OQL, which is a superset of org-ql's language,
;; with completion of predicates, and shows the answers in a buffer from which
;; they can be visited.  Queries read files, so save what you want to be found.

;;; Code:

(require 'wb)
(require 'org)
(require 'tabulated-list)

(defcustom wb-query-paths nil
  "Files and directories that `wb-query' asks.
Nil means the directory of the current buffer."
  :type '(repeat file)
  :group 'wb)

(defvar wb-query-history nil "Queries that were asked.")

(defconst wb-query--predicates
  '("ancestors" "blocked" "category" "children" "clocked" "closed" "deadline"
    "deadline-warning" "descendants" "done" "effort" "habit" "heading"
    "heading-regexp" "level" "link" "outline-path" "outline-path-segment"
    "parent" "path" "planning" "priority" "property" "regexp" "rifle"
    "scheduled" "src" "tags" "tags-all" "tags-inherited" "tags-local"
    "tags-regexp" "text" "todo" "ts" "ts-active" "ts-inactive")
  "The predicates of OQL.")

(defconst wb-query--sources
  '("from:blocks" "from:links" "from:tables" "from:events" "from:runs")
  "What else can be asked besides entries.")

(defvar wb-query-minibuffer-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map minibuffer-local-map)
    (define-key map (kbd "TAB") #'completion-at-point)
    map)
  "Keys while a query is read.")

(defun wb-query-complete ()
  "Complete the predicate before point, in either spelling of OQL."
  (let* ((end (point))
         (start (save-excursion
                  (skip-chars-backward "-a-z*:" (minibuffer-prompt-end))
                  (point)))
         (sexp (eq (char-before start) ?\()))
    (list start end
          (append (mapcar (lambda (name) (concat name (if sexp " " ":")))
                          wb-query--predicates)
                  (unless sexp wb-query--sources))
          :exclusive 'no)))

(defun wb-query--read (&optional initial)
  "Read a query, starting with INITIAL."
  (minibuffer-with-setup-hook
      (lambda ()
        (add-hook 'completion-at-point-functions #'wb-query-complete nil t))
    (read-from-minibuffer "Query: " initial wb-query-minibuffer-map nil
                          'wb-query-history)))

;;; The view

(defvar-local wb-query--query nil "The query that this buffer answers.")
(defvar-local wb-query--asked nil "The paths it was asked of.")

(defvar wb-query-view-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'wb-query-visit)
    (define-key map "o" #'wb-query-show)
    (define-key map "e" #'wb-query-edit)
    map)
  "Keys of `wb-query-view-mode'.")

(define-derived-mode wb-query-view-mode tabulated-list-mode "Wb-Query"
  "Mode for the answers to a query.
\\{wb-query-view-mode-map}"
  (setq tabulated-list-padding 1)
  (add-hook 'tabulated-list-revert-hook #'wb-query--refresh nil t))

(defun wb-query--cell (value)
  "Return VALUE as it stands in a column."
  (cond
   ((null value) "")
   ((stringp value) (replace-regexp-in-string "[\n\t]+" " " value))
   ((and (listp value) (cl-every #'stringp value)) (string-join value ":"))
   ((and (consp value) (assq 'at value))    ; a timestamp
    (concat (wb-query--cell (alist-get 'at value))
            (let ((end (alist-get 'end value)))
              (and end (concat "–" (wb-query--cell end))))
            (let ((repeat (alist-get 'repeat value)))
              (and repeat (concat " " (wb-query--cell repeat))))))
   ((and (floatp value) (= value (ftruncate value))) (format "%d" value))
   (t (format "%s" value))))

(defun wb-query--keyword (row)
  "Return the TODO keyword of ROW in the face Org would give it."
  (let ((state (alist-get 'state row)))
    (if (not state) ""
      (let ((keywords (alist-get 'todo_keywords row)))
        (propertize state 'face
                    (if (or (member state org-done-keywords-for-agenda)
                            (equal state (car (last keywords))))
                        'org-done
                      'org-todo))))))

(defun wb-query--entry (row)
  "Return the line of the view for ROW, an entry of an org file."
  (let-alist row
    (list row
          (vector (wb-query--keyword row)
                  (wb-query--cell .priority)
                  (concat (propertize (wb-query--cell .title) 'face
                                      (wb-query--level-face (or .level 1)))
                          (when .tags
                            (propertize (format "  :%s:" (string-join .tags ":"))
                                        'face 'org-tag)))
                  (wb-query--cell (or .deadline .scheduled))
                  (wb-query--cell .path)))))

(defun wb-query--level-face (level)
  "Return the face of headlines of LEVEL."
  (nth (mod (1- level) (length org-level-faces)) org-level-faces))

(defun wb-query--columns (rows)
  "Return the columns of ROWS that are no entries of org files."
  (let (keys)
    (dolist (row rows)
      (dolist (cell row)
        (cl-pushnew (car cell) keys)))
    (nreverse keys)))

(defun wb-query--show (rows)
  "Show ROWS in the current buffer."
  (if (and rows (cl-every (lambda (row) (and (assq 'level row) (assq 'title row)))
                          rows))
      (setq tabulated-list-format
            [("State" 8 t) ("P" 1 t) ("Title" 50 t) ("When" 22 t) ("File" 0 t)]
            tabulated-list-entries (mapcar #'wb-query--entry rows))
    (let ((columns (wb-query--columns rows)))
      (setq tabulated-list-format
            (vconcat (mapcar (lambda (key)
                               (list (symbol-name key)
                                     (min 40 (apply #'max (length (symbol-name key))
                                                    (mapcar (lambda (row)
                                                              (length (wb-query--cell (alist-get key row))))
                                                            rows)))
                                     t))
                             columns))
            tabulated-list-entries
            (mapcar (lambda (row)
                      (list row (vconcat (mapcar (lambda (key)
                                                   (wb-query--cell (alist-get key row)))
                                                 columns))))
                    rows))))
  (tabulated-list-init-header)
  (tabulated-list-print t)
  (setq mode-line-process (format ": %d" (length rows))))

(defun wb-query--ask (query paths then)
  "Call THEN with the answers to QUERY over PATHS."
  (wb--ask-later (append (list "query") paths (list query))
                 (lambda (answer)
                   (funcall then (and (listp answer) (cl-every #'consp answer)
                                      answer)))))

(defun wb-query--refresh ()
  "Ask again."
  (wb-query--ask wb-query--query wb-query--asked #'wb-query--show))

;;;###autoload
(defun wb-query (query &optional paths)
  "Show the answers to QUERY over PATHS, files and directories.
Interactively, TAB completes predicates.  In the view, RET visits an
answer, o shows it in another window, e edits the query, g asks again,
and S sorts by the column at point."
  (interactive (list (wb-query--read)))
  (let* ((directory default-directory)
         (paths (mapcar #'expand-file-name
                        (or paths wb-query-paths (list directory)))))
    (wb-query--ask
     query paths
     (lambda (rows)
       (let ((buffer (get-buffer-create (format "*wb query: %s*" query))))
         (with-current-buffer buffer
           (wb-query-view-mode)
           (setq default-directory directory
                 wb-query--query query
                 wb-query--asked paths)
           (wb-query--show rows)
           (goto-char (point-min)))
         (pop-to-buffer buffer)
         (message "%d answer%s" (length rows) (if (= 1 (length rows)) "" "s")))))))

(defun wb-query--place ()
  "Return the file and the line of the answer at point."
  (let* ((row (or (tabulated-list-get-id) (user-error "No answer here")))
         (path (or (alist-get 'path row) (alist-get 'file row)))
         (line (alist-get 'line row)))
    (unless path
      (user-error "This answer stands in no file"))
    (cons (expand-file-name path) (or line 1))))

(defun wb-query--go (place)
  "Show the current buffer's PLACE, a value of `wb-query--place'."
  (widen)
  (goto-char (point-min))
  (forward-line (1- (cdr place)))
  (when (derived-mode-p 'org-mode)
    (funcall (if (fboundp 'org-fold-show-context) 'org-fold-show-context
               'org-show-context)
             'agenda)))

(defun wb-query-visit ()
  "Visit the answer at point."
  (interactive)
  (let ((place (wb-query--place)))
    (find-file (car place))
    (wb-query--go place)))

(defun wb-query-show ()
  "Show the answer at point in another window."
  (interactive)
  (let* ((place (wb-query--place))
         (buffer (find-file-noselect (car place))))
    (with-selected-window (display-buffer buffer)
      (wb-query--go place)
      (recenter 0))))

(defun wb-query-edit ()
  "Edit the query and ask it."
  (interactive)
  (wb-query (wb-query--read wb-query--query) wb-query--asked))

(provide 'wb-query)
;;; wb-query.el ends here
