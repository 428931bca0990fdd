;;; wb.el --- Run org notebooks safely with wb  -*- lexical-binding: t; -*-

;; Copyright (C) 2026  The wb authors

;; Author: The wb authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: outlines, tools, languages
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; wb runs the source blocks of an org file inside a WebAssembly sandbox, runs
;; again only what changed, and writes results where org-babel would.  This
;; package is its home in Emacs:
;;
;;   (add-hook 'org-mode-hook #'wb-mode)
;;
;; With `wb-mode' on, C-c C-c on a source block runs it through wb.  Emacs does
;; not wait: go on typing, the results arrive below their blocks without moving
;; point, and C-c C-k stops a run.  The buffer need not be saved; its text is
;; what runs, and nothing you type meanwhile is ever overwritten.
;;
;; The commands under `wb-keymap-prefix' run the buffer, the subtree or what
;; stands above point, show the plan and why a block would run again, follow
;; events as they happen, query notes, and tangle both ways.  Flymake shows what
;; `wb lint' finds, and Xref follows names, ports and noweb references.  For
;; more than that, M-x wb-eglot starts the language server.
;;
;; Files: wb.el starts wb and holds the mode, wb-run.el runs and inserts
;; results, wb-flymake.el, wb-xref.el, wb-query.el, wb-events.el and wb-view.el
;; are what their names say.

;;; Code:

(require 'cl-lib)
(require 'org)
(require 'subr-x)

(defgroup wb nil
  "Run org notebooks safely with wb."
  :group 'org
  :prefix "wb-"
  :link '(emacs-commentary-link "wb"))

(defcustom wb-program "wb"
  "The wb executable: a name on the variable `exec-path', or a file."
  :type 'string)

(defcustom wb-grants nil
  "Capabilities that runs from Emacs are granted, such as \"clock\".
Set this for a directory or a file only if you trust what is in it:
a workbook asks, and you grant."
  :type '(repeat string)
  :risky t)

(defcustom wb-run-arguments nil
  "Further arguments for every `wb run' that Emacs starts."
  :type '(repeat string)
  :risky t)

(defcustom wb-enable-flymake t
  "Whether `wb-mode' turns on Flymake with what `wb lint' finds."
  :type 'boolean)

(defcustom wb-keymap-prefix (kbd "C-c _")
  "The prefix of wb's commands in `wb-mode'.
Setting it has effect when wb is loaded next."
  :type 'key-sequence)

;;; Starting wb

(define-error 'wb-error "Wb")

(defun wb--program ()
  "Return the wb executable, or tell how to get it."
  (or (executable-find wb-program)
      (user-error "There is no %s: install wb, or set `wb-program'" wb-program)))

(defun wb--json (text)
  "Read TEXT as JSON: objects are alists, arrays are lists."
  (if (fboundp 'json-parse-string)
      (json-parse-string text :object-type 'alist :array-type 'list
                         :null-object nil :false-object nil)
    (require 'json)
    (declare-function json-read-from-string "json" (string))
    (defvar json-array-type)
    (defvar json-false)
    (defvar json-null)
    (let ((json-array-type 'list) (json-false nil) (json-null nil))
      (json-read-from-string text))))

(defun wb--encode (text)
  "Return TEXT as bytes for wb."
  (encode-coding-string text 'utf-8-unix t))

(defun wb--decode (bytes)
  "Return the text that BYTES from wb mean."
  (decode-coding-string bytes 'utf-8-unix))

(defun wb--file ()
  "Return the file that wb is told the buffer belongs to."
  (let* ((base (buffer-base-buffer))
         (file (or (buffer-file-name base)
                   (expand-file-name
                    (concat (replace-regexp-in-string
                             "[^[:alnum:]._-]" "_" (buffer-name base))
                            ".org")
                    default-directory))))
    (when (file-remote-p file)
      (user-error "This file is on another machine, where wb cannot run it"))
    file))

(defun wb--buffer-text ()
  "Return the whole text of the buffer."
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun wb--lines (handle)
  "Return a process filter that gives each line to HANDLE."
  (let ((rest ""))
    (lambda (_process text)
      (setq rest (concat rest text))
      (while (string-match "\n" rest)
        (let ((line (substring rest 0 (match-beginning 0))))
          (setq rest (substring rest (match-end 0)))
          (funcall handle line))))))

(defconst wb--pipe-size 16384
  "How many bytes surely fit into a pipe that nobody has read from yet.
Emacs waits for whoever reads more than that.")

(defun wb--command (program arguments bytes)
  "Return a command that gives BYTES to PROGRAM with ARGUMENTS, and a file.
The file, or nil, holds the bytes until the program has ended."
  (if (or (<= (length bytes) wb--pipe-size)
          (not (file-executable-p "/bin/sh")))
      (list (cons program arguments))
    (let ((file (make-temp-file "wb-input"))
          (coding-system-for-write 'binary)
          (write-region-inhibit-fsync t))
      (write-region bytes nil file nil 'silent)
      (list (append (list "/bin/sh" "-c" "exec \"$@\" <\"$0\"" file program)
                    arguments)
            file))))

(cl-defun wb--start (arguments &key input directory on-line on-done)
  "Start wb with ARGUMENTS in DIRECTORY and return the process.
INPUT is the text of its standard input.  ON-LINE is called with each
line it writes for people.  ON-DONE is called at the end with the exit
code, all it answered as bytes, and all it wrote for people."
  (let* ((default-directory (or directory default-directory))
         (bytes (and input (wb--encode input)))
         (command (wb--command (wb--program) arguments bytes))
         (file (cadr command))
         (answer (generate-new-buffer " *wb answer*" t))
         (notes nil)
         (process-environment (cons "NO_COLOR=1" process-environment))
         (stderr (make-pipe-process
                  :name "wb-notes" :noquery t :coding 'utf-8-unix
                  :buffer nil :sentinel #'ignore
                  :filter (wb--lines (lambda (line)
                                       (push line notes)
                                       (when on-line (funcall on-line line))))))
         process)
    (with-current-buffer answer (set-buffer-multibyte nil))
    (condition-case err
        (setq process
              (make-process
               :name "wb" :command (car command) :noquery t
               :buffer answer :coding 'binary :connection-type 'pipe
               :stderr stderr
               :sentinel
               (lambda (process _event)
                 (unless (process-live-p process)
                   (while (accept-process-output stderr 0.02))
                   (when file (delete-file file))
                   (let ((bytes (when (buffer-live-p answer)
                                  (prog1 (with-current-buffer answer
                                           (buffer-string))
                                    (kill-buffer answer))))
                         (code (if (eq (process-status process) 'signal)
                                   130
                                 (process-exit-status process))))
                     (delete-process stderr)
                     (when on-done
                       (funcall on-done code (or bytes "")
                                (string-join (nreverse notes) "\n"))))))))
      (error (delete-process stderr)
             (kill-buffer answer)
             (when file (delete-file file))
             (signal (car err) (cdr err))))
    (condition-case nil
        (progn
          (when (and bytes (not file)) (process-send-string process bytes))
          (process-send-eof process))
      (error nil))                      ; it ended without reading all
    process))

(cl-defun wb--call (arguments &key input directory)
  "Run wb with ARGUMENTS in DIRECTORY on INPUT and wait for it.
Return a list of exit code, answer as bytes, and notes for people."
  (let* ((result nil)
         (process (wb--start arguments :input input :directory directory
                             :on-done (lambda (&rest all) (setq result all)))))
    (condition-case nil
        ;; Waiting for PROCESS alone, Emacs 28 may read the end of its output
        ;; for ever and never see that it has ended.
        (while (not result)
          (accept-process-output nil 0.05))
      (quit (delete-process process)
            (signal 'quit nil)))
    result))

(defun wb--data (bytes notes)
  "Return the data in the JSON envelope BYTES.
Signal `wb-error' with its message, or with NOTES when there is none."
  (let ((envelope (condition-case nil
                      (wb--json (wb--decode bytes))
                    (error nil))))
    (cond
     ((null envelope)
      (signal 'wb-error (list (if (string-empty-p (string-trim notes))
                                  "wb gave no answer"
                                (string-trim notes)))))
     ((alist-get 'ok envelope) (alist-get 'data envelope))
     (t (let* ((fault (alist-get 'error envelope))
               (hint (alist-get 'hint fault)))
          (signal 'wb-error
                  (list (concat (alist-get 'message fault)
                                (and hint (format " (%s)" hint))))))))))

(cl-defun wb--ask (arguments &key input directory)
  "Return the data that wb answers to ARGUMENTS, given --json and INPUT.
It runs in DIRECTORY."
  (let ((result (wb--call (append arguments '("--json"))
                          :input input :directory directory)))
    (wb--data (nth 1 result) (nth 2 result))))

(defun wb--call-later (arguments then &rest keys)
  "Run wb with ARGUMENTS and go on; call THEN when it has ended.
THEN is called in the current buffer, if that still is there, with what
`wb--call' would return.  KEYS are those of `wb--call'.  An error that
THEN signals is told in the echo area."
  (let ((buffer (current-buffer)))
    (apply #'wb--start arguments
           :on-done (lambda (&rest result)
                      (when (buffer-live-p buffer)
                        (with-current-buffer buffer
                          (condition-case err
                              (apply then result)
                            (wb-error (message "wb: %s" (cadr err)))))))
           keys)))

(defun wb--ask-later (arguments then &rest keys)
  "Call THEN with the data that wb answers to ARGUMENTS, given --json.
See `wb--call-later' for THEN and KEYS."
  (apply #'wb--call-later (append arguments '("--json"))
         (lambda (_code bytes notes) (funcall then (wb--data bytes notes)))
         keys))

(defun wb--verbs ()
  "Return the verbs of the installed wb, each a list of words."
  (let (all)
    (cl-labels ((walk (node path)
                  (dolist (verb (alist-get 'verbs node))
                    (let ((own (append path (list (alist-get 'name verb)))))
                      (push own all)
                      (walk verb own)))))
      (walk (wb--ask '("help")) nil))
    all))

(defvar wb--languages nil
  "Languages of the installed wb, nil until it has said so.")

(defun wb--learn-languages ()
  "Ask wb for its languages, without waiting."
  (unless wb--languages
    (wb--start '("help" "--json")
               :on-done (lambda (_code bytes notes)
                          (ignore-errors
                            (setq wb--languages
                                  (alist-get 'languages
                                             (wb--data bytes notes))))))))

(defun wb-language-p (language)
  "Return non-nil if blocks of LANGUAGE are for wb, or may be."
  (or (null wb--languages)
      (member language wb--languages)
      (member (downcase language) wb--languages)))

(defun wb--require-verb (&rest words)
  "Make sure that the installed wb has the verb that WORDS name."
  (unless (member words (wb--verbs))
    (user-error "The installed wb has no `wb %s'; a newer one may"
                (string-join words " "))))

;;; The mode

(autoload 'wb-run-buffer "wb-run" nil t)
(autoload 'wb-run-block "wb-run" nil t)
(autoload 'wb-run-subtree "wb-run" nil t)
(autoload 'wb-run-to-point "wb-run" nil t)
(autoload 'wb-cancel "wb-run" nil t)
(autoload 'wb-run-lighter "wb-run")
(autoload 'wb-run-at-point-maybe "wb-run")
(autoload 'wb-run-clear-marks "wb-run")
(autoload 'wb-running-p "wb-run")
(autoload 'wb-show-output "wb-run" nil t)
(autoload 'wb-babel-execute "wb-run" nil t)
(autoload 'wb-babel-execute-maybe "wb-run" nil t)
(autoload 'wb-flymake "wb-flymake")
(autoload 'wb-xref-backend "wb-xref")
(autoload 'wb-query "wb-query" nil t)
(autoload 'wb-events "wb-events" nil t)
(autoload 'wb-plan "wb-view" nil t)
(autoload 'wb-why "wb-view" nil t)

(defvar wb-command-map
  (let ((map (make-sparse-keymap)))
    (define-key map "b" #'wb-run-buffer)
    (define-key map "c" #'wb-run-block)
    (define-key map "s" #'wb-run-subtree)
    (define-key map "." #'wb-run-to-point)
    (define-key map "k" #'wb-cancel)
    (define-key map "o" #'wb-show-output)
    (define-key map "w" #'wb-why)
    (define-key map "p" #'wb-plan)
    (define-key map "e" #'wb-events)
    (define-key map "q" #'wb-query)
    (define-key map "f" #'wb-fmt-buffer)
    (define-key map "t" #'wb-tangle)
    (define-key map "d" #'wb-detangle)
    (define-key map "a" #'wb-agent-approve)
    map)
  "Keys of wb's commands, below `wb-keymap-prefix'.")
(defalias 'wb-command-map wb-command-map)

(defvar wb-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map wb-keymap-prefix 'wb-command-map)
    (define-key map (kbd "C-c C-k")
                '(menu-item "" wb-cancel
                            :filter (lambda (command)
                                      (when (wb-running-p) command))))
    ;; Org's own keys, C-c C-v and below, run nothing outside the sandbox.
    (define-key map [remap org-babel-execute-buffer] #'wb-run-buffer)
    (define-key map [remap org-babel-execute-subtree] #'wb-run-subtree)
    (define-key map [remap org-babel-execute-src-block] #'wb-babel-execute)
    (define-key map [remap org-babel-execute-maybe] #'wb-babel-execute-maybe)
    (define-key map [remap org-babel-tangle] #'wb-tangle)
    (define-key map [remap org-babel-detangle] #'wb-detangle)
    map)
  "Keys of `wb-mode'.")

(easy-menu-define wb-menu wb-mode-map
  "Menu of `wb-mode'."
  '("Wb"
    ["Run block" wb-run-block]
    ["Run subtree" wb-run-subtree]
    ["Run to point" wb-run-to-point]
    ["Run buffer" wb-run-buffer]
    ["Stop" wb-cancel :active (wb-running-p)]
    ["Show output" wb-show-output]
    "--"
    ["Why would it run?" wb-why]
    ["Show the plan" wb-plan]
    ["Follow events" wb-events]
    ["Query notes" wb-query]
    "--"
    ["Align tables and tags" wb-fmt-buffer]
    ["Tangle" wb-tangle]
    ["Detangle" wb-detangle]
    "--"
    ["Approve an agent's step" wb-agent-approve]
    ["Start the language server" wb-eglot]
    ["Customize" (customize-group 'wb)]))

;;;###autoload
(define-minor-mode wb-mode
  "Run the source blocks of an org buffer with wb.

\\<wb-mode-map>\\[org-ctrl-c-ctrl-c] on a source block, a call or inline source
runs it in the sandbox; \\[wb-cancel] stops a run.  Blocks in languages that
wb does not run are left to Org, which asks first.  Org's own commands to
execute and tangle do wb's part.  The other commands are below \\[wb-command-map].

\\{wb-mode-map}"
  :lighter (:eval (wb-run-lighter))
  :keymap wb-mode-map
  (cond
   (wb-mode
    (unless (derived-mode-p 'org-mode)
      (setq wb-mode nil)
      (user-error "Wb mode is for org buffers"))
    (when (executable-find wb-program) (wb--learn-languages))
    (add-hook 'org-ctrl-c-ctrl-c-hook #'wb-run-at-point-maybe nil t)
    (add-hook 'xref-backend-functions #'wb-xref-backend nil t)
    (when wb-enable-flymake
      (add-hook 'flymake-diagnostic-functions #'wb-flymake nil t)
      (flymake-mode 1)))
   (t
    (remove-hook 'org-ctrl-c-ctrl-c-hook #'wb-run-at-point-maybe t)
    (remove-hook 'xref-backend-functions #'wb-xref-backend t)
    (wb-run-clear-marks)
    (when (memq #'wb-flymake (bound-and-true-p flymake-diagnostic-functions))
      (remove-hook 'flymake-diagnostic-functions #'wb-flymake t)
      (when (bound-and-true-p flymake-mode) (flymake-mode 1))))))

;;; Commands on the whole file

;;;###autoload
(defun wb-fmt-buffer ()
  "Align tables, tags and properties of the buffer as `wb fmt' does.
Point stays where it is, and one undo takes it back."
  (interactive "*")
  (let ((text (wb--buffer-text)))
    (wb--call-later
     '("fmt" "-")
     (lambda (code bytes notes)
       (unless (eql 0 code)
         (signal 'wb-error (list notes)))
       (let ((tidy (wb--decode bytes)))
         (cond
          ((string= tidy text) (message "Nothing to tidy"))
          ((string= text (wb--buffer-text))
           (wb--replace-text tidy)
           (message "Tidied"))
          (t (message "You typed meanwhile: tidy again")))))
     :input text)))

(defun wb--replace-text (new)
  "Make NEW the text of the buffer, keeping markers where that is quick."
  (save-restriction
    (widen)
    (let ((buffer (current-buffer)))
      (with-temp-buffer
        (insert new)
        (let ((source (current-buffer)))
          (with-current-buffer buffer
            (replace-buffer-contents source 0.05)))))))

(defun wb--saved-file ()
  "Return the buffer's file, saved if its user agrees."
  (unless buffer-file-name
    (user-error "Save the buffer to a file first"))
  (when (buffer-modified-p)
    (if (y-or-n-p (format "Save %s? " (buffer-name)))
        (save-buffer)
      (user-error "The file is not what you see: save it first")))
  (wb--file))

(defun wb--file-command (verb file)
  "Run wb VERB on FILE without waiting, and tell what it said."
  (let ((buffer (current-buffer)))
    (wb--start
     (list verb file) :directory (file-name-directory file)
     :on-done
     (lambda (code bytes notes)
       (let ((said (string-trim (concat (wb--decode bytes) "\n" notes))))
         (when (buffer-live-p buffer)
           (with-current-buffer buffer
             (when (and (not (buffer-modified-p))
                        (not (verify-visited-file-modtime buffer)))
               (revert-buffer t t t))))
         (if (or (string-match-p "\n" said) (/= code 0))
             (with-current-buffer (get-buffer-create (format "*wb %s*" verb))
               (let ((inhibit-read-only t))
                 (erase-buffer)
                 (insert said "\n")
                 (goto-char (point-min)))
               (setq default-directory (file-name-directory file))
               (compilation-mode)
               (display-buffer (current-buffer)))
           (message "wb %s: %s" verb
                    (if (string-empty-p said) "nothing changed" said))))))))

;;;###autoload
(defun wb-tangle ()
  "Write the source files that the buffer's file describes."
  (interactive)
  (wb--file-command "tangle" (wb--saved-file)))

;;;###autoload
(defun wb-detangle ()
  "Bring edits of tangled files back into the buffer's file.
Where both sides changed, both texts are shown and nothing is lost."
  (interactive)
  (wb--file-command "detangle" (wb--saved-file)))

(defun wb--at-request-p ()
  "Whether point is below a headline that asks for approval."
  (and (derived-mode-p 'org-mode)
       (save-excursion
         (and (ignore-errors (org-back-to-heading t) t)
              (looking-at-p "\\*+ TODO APPROVE ")))))

(defun wb-agent-decide (allow)
  "Allow or refuse, unless ALLOW, the request at point, and save the file.
This turns its headline to DONE or DENIED, which the agent waits for."
  (interactive (list (y-or-n-p "Allow this (n refuses)? ")))
  (unless (wb--at-request-p)
    (user-error "There is no request for approval at point"))
  (let ((org-inhibit-logging t))
    (org-todo (if allow "DONE" "DENIED")))
  (save-buffer))

;;;###autoload
(defun wb-agent-approve (arguments)
  "Approve what an agent waits for: `wb agent approve ARGUMENTS'.
ARGUMENTS name the approval; see `wb agent approve --help'.  On a request
in approvals.org, ask whether to allow or refuse that one."
  (interactive
   (list (unless (wb--at-request-p)
           (wb--require-verb "agent" "approve")
           (read-string "Approve (run or request, --deny; empty lists): "))))
  (if arguments
      (wb--approve arguments)
    (call-interactively #'wb-agent-decide)))

(defun wb--approve (arguments)
  "Call `wb agent approve ARGUMENTS' and show its answer."
  (wb--require-verb "agent" "approve")
  (let ((result (wb--call (append '("agent" "approve")
                                  (split-string-and-unquote arguments)))))
    (if (eql 0 (car result))
        (message "%s" (string-trim (concat (wb--decode (nth 1 result))
                                           (nth 2 result))))
      (signal 'wb-error (list (string-trim (nth 2 result)))))))

;;; The language server

(defvar eglot-server-programs)

;;;###autoload
(defun wb-eglot-setup ()
  "Tell Eglot that org buffers are served by `wb lsp'."
  (unless (require 'eglot nil t)
    (user-error "Eglot is not installed"))
  (add-to-list 'eglot-server-programs
               (cons 'org-mode (list wb-program "lsp"))))

;;;###autoload
(defun wb-eglot ()
  "Start the language server for this buffer through Eglot."
  (interactive)
  (wb-eglot-setup)
  (when (fboundp 'eglot-ensure) (eglot-ensure)))

(provide 'wb)
;;; wb.el ends here
