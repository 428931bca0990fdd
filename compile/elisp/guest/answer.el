;;; answer.el --- what the host asks of Emacs  -*- lexical-binding: t -*-

(require 'cl-lib)
(require 'seq)
(require 'map)
(require 'subr-x)
(require 'pp)
(require 'org)
(require 'org-element)
(require 'org-table)
(require 'ob)
(require 'ob-ref)
(require 'ob-emacs-lisp)

(setq org-confirm-babel-evaluate nil
      make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      vc-handled-backends nil
      native-comp-available-p nil)

(defvar wb--form 0 "Number of the block's form that is being evaluated.")

(defun wb--plain (value depth)
  "VALUE as data that the host reads: numbers, strings, lists, nil and hline."
  (cond
   ((stringp value) (substring-no-properties value))
   ((memq value '(nil hline)) value)
   ((or (floatp value)
        (and (integerp value) (<= (- (expt 2 63)) value (1- (expt 2 64)))))
    value)
   ((and (consp value) (proper-list-p value) (< depth 100))
    (mapcar (lambda (item) (wb--plain item (1+ depth))) value))
   ((or (symbolp value) (numberp value) (consp value)) (format "%s" value))
   (t (format "%S" value))))

(defun wb--value (value)
  "VALUE as data for the host, where Org would print it for lack of a better form:
a list with a pair among its elements, and a cell that is no plain data."
  (cond
   ((not (and (consp value) (proper-list-p value))) (wb--plain value 0))
   ((cl-some (lambda (item) (and (consp item) (not (proper-list-p item)))) value)
    (substring-no-properties (format "%s" value)))
   ((cl-every (lambda (item) (or (listp item) (eq item 'hline))) value)
    (mapcar (lambda (row) (if (eq row 'hline) row (mapcar #'wb--cell row))) value))
   (t (mapcar #'wb--cell value))))

(defun wb--cell (value)
  "VALUE of a cell, as data for the host."
  (if (wb--printed-p value 0)
      (substring-no-properties (format "%s" value))
    (wb--plain value 1)))

(defun wb--printed-p (value depth)
  "Whether VALUE, or something in it, is no plain data or is printed with a quote."
  (cond
   ((or (stringp value) (numberp value) (symbolp value)) nil)
   ((and (consp value) (proper-list-p value) (< depth 100))
    (or (and (memq (car value) '(quote function \`)) (cdr value) (null (cddr value)))
        (cl-some (lambda (item) (wb--printed-p item (1+ depth))) value)))
   (t t)))

(defun wb--forms (code)
  "The forms of CODE and where each begins, as ((FORM . OFFSET) ...)."
  (let ((at 0) (end (length code)) forms)
    (while (progn
             (string-match "\\`\\(?:[ \t\n\r\f]\\|;.*\\)*" (substring code at))
             (setq at (+ at (match-end 0)))
             (< at end))
      (let ((next (condition-case err
                      (read-from-string code at)
                    (error (signal 'wb-unreadable (list at err))))))
        (push (cons (car next) at) forms)
        (setq at (cdr next))))
    (nreverse forms)))

(define-error 'wb-unreadable "Unreadable code")

(defun wb--program (forms vars)
  "One form that evaluates FORMS with VARS and tells which it is at."
  (let ((n -1))
    (wb--let
     vars
     (apply #'append
            (mapcar (lambda (form) (list `(setq wb--form ,(setq n (1+ n))) (car form)))
                    forms)))))

(defun wb--let (vars body)
  "A form that evaluates the forms BODY with VARS, an alist, bound."
  (let ((body (if body `(progn ,@body) nil)))
    (if vars
        `(let ,(mapcar (lambda (var) (list (car var) (list 'quote (cdr var)))) vars) ,body)
      body)))

(defun wb--failure (err forms code)
  "What the host is told of an error ERR."
  (let* ((unreadable (eq (car err) 'wb-unreadable))
         (at (if unreadable (nth 1 err) (or (cdr (nth wb--form forms)) 0)))
         (err (if unreadable (nth 2 err) err))
         (line (1+ (cl-count ?\n (substring code 0 at)))))
    (list :error (wb--message err) :symbol (symbol-name (car-safe err)) :line line
          :column (- at (or (cl-position ?\n code :end at :from-end t) -1)))))

(defun wb--message (err)
  "The message of ERR, without properties."
  (substring-no-properties
   (condition-case nil (error-message-string err) (error (format "%S" err)))))

(defun wb--enter (request)
  "Make the world that REQUEST describes."
  (when (plist-get request :environment)
    (setq process-environment (plist-get request :environment)
          default-directory (file-name-as-directory (plist-get request :dir)))
    (when (plist-get request :seed)
      (random (number-to-string (plist-get request :seed))))))

(defvar wb--shown nil "The document: its buffer, its text, and the tick at which the buffer had it.")

(defun wb--document (document)
  "Make the buffer that has DOCUMENT current."
  (set-buffer (get-buffer-create (plist-get document :name)))
  (wb--show (plist-get document :text))
  (setq buffer-file-name (plist-get document :file))
  (unless (derived-mode-p 'org-mode)
    (let ((org-inhibit-startup t) (org-mode-hook nil)) (org-mode)))
  (set-buffer-modified-p nil)
  (setq wb--shown (list (current-buffer) (plist-get document :text) (buffer-chars-modified-tick))))

(defun wb--show (text)
  "Let the current buffer have TEXT."
  (widen)
  (unless (equal (buffer-string) text)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert text))))

(defun wb--return (point)
  "Go to POINT in the document as it was given."
  (set-buffer (car wb--shown))
  (widen)
  (unless (= (nth 2 wb--shown) (buffer-chars-modified-tick))
    (wb--show (nth 1 wb--shown))
    (setf (nth 2 wb--shown) (buffer-chars-modified-tick)))
  (goto-char (min (point-max) point)))

(defun wb--evaluate (request)
  "Evaluate the block of REQUEST as `org-babel-execute:emacs-lisp' does."
  (let* ((code (plist-get request :code))
         (forms nil)
         (output (plist-get request :output))
         (text (plist-get request :text)))
    (setq wb--form 0)
    (condition-case err
        (progn
          (setq forms (wb--forms code))
          (when (plist-get request :document)
            (wb--document (plist-get request :document)))
          (when (plist-get request :point)
            (wb--return (plist-get request :point)))
          (wb--enter request)
          (let* ((program (wb--program forms (plist-get request :vars)))
                 (program (if output `(with-output-to-string ,program) program))
                 (program (if (plist-get request :pp) `(pp ,program) program))
                 (result (eval program (plist-get request :lexical))))
            (let ((print-level nil) (print-length nil))
              (list :value
                    (cond
                     ((not text) (if (plist-get request :plain) (wb--plain result 0) (wb--value result)))
                     ((plist-get request :printed) (format "%S" result))
                     (t (substring-no-properties (format "%s" result))))))))
      ;; With debug, a block may bind `debugger', as ert does.
      ((debug quit error) (wb--failure err forms code)))))

(defun wb--check (request)
  "Read the block of REQUEST without evaluating it."
  (let ((code (plist-get request :code)))
    (condition-case err
        (progn (wb--forms code) (list :value nil))
      (error (wb--failure err nil code)))))

(defun wb--answer (text)
  "Answer the request TEXT, a plist in UTF-8, with another."
  (let* ((request (car (read-from-string (decode-coding-string text 'utf-8-unix t))))
         (answer (funcall (plist-get request :do) request))
         (print-level nil) (print-length nil) (print-circle nil) (print-quoted nil)
         (print-escape-newlines nil) (print-escape-nonascii nil) (print-escape-multibyte nil)
         (float-output-format nil))
    (prin1-to-string answer)))

;; What the first use of Org loads and prepares belongs to the image.
(with-temp-buffer
  (insert "* Head\n:PROPERTIES:\n:A: b\n:END:\n| 1 | 2 |\n#+TBLFM: $2=$1+1\n")
  (let ((org-inhibit-startup t)) (org-mode))
  (goto-char (point-min))
  (org-entry-get (point) "A")
  (search-forward "|")
  (org-table-recalculate t)
  (org-table-to-lisp)
  (org-element-parse-buffer))
;;; answer.el ends here
