;;; wb-test.el --- Tests of wb in Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run by emacs_test.go, which puts a real wb on the PATH.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'wb)
(require 'wb-run)
(require 'wb-flymake)
(require 'wb-xref)
(require 'wb-view)
(require 'wb-events)
(require 'wb-query)

(defmacro wb-test-with (text &rest body)
  "Run BODY in an org buffer that visits a file with TEXT."
  (declare (indent 1))
  `(let* ((directory (make-temp-file "wb-test" t))
          (file (expand-file-name "test.org" directory))
          (wb-enable-flymake nil))
     (with-temp-file file (insert ,text))
     (unwind-protect
         (with-current-buffer (find-file-noselect file)
           (buffer-enable-undo)
           (unwind-protect
               (progn (wb-mode 1) ,@body)
             (wb-run--stop)
             (set-buffer-modified-p nil)
             (kill-buffer)))
       (delete-directory directory t))))

(defun wb-test-wait (condition)
  "Wait until CONDITION returns non-nil, a minute at most."
  (let ((until (+ (float-time) 60)) value)
    (while (and (not (setq value (funcall condition)))
                (< (float-time) until))
      (accept-process-output nil 0.02))
    (or value (error "It never came: %S" condition))))

(defun wb-test-finish ()
  "Wait until the buffer's run has ended."
  (wb-test-wait (lambda () (not (wb-running-p)))))

(defun wb-test-file ()
  "Return what the buffer's file holds."
  (with-temp-buffer
    (insert-file-contents (buffer-file-name (cadr (buffer-list))))
    (buffer-string)))

(defconst wb-test-two "\
* First

#+NAME: one
#+begin_src js
return \"ä𝒳\"
#+end_src

* Second

#+NAME: two
#+begin_src js :var x=one
return x + \"!\"
#+end_src
")

(ert-deftest wb-test-run-block ()
  "C-c C-c runs the block at point, of an unsaved buffer, and leaves point."
  (wb-test-with wb-test-two
    (goto-char (point-max))
    (insert "unsaved\n")
    (search-backward "return x")
    (forward-char 3)
    (let ((here (point-marker)) (text (buffer-string)))
      (set-marker-insertion-type here t)
      (org-ctrl-c-ctrl-c)
      (should (wb-running-p))
      (should (string-match-p "wb" (wb-run-lighter)))
      (wb-test-finish)
      (should (= (point) here))
      (should (equal (buffer-string)
                     (replace-regexp-in-string
                      "^unsaved\n"
                      "\n#+RESULTS: two\n: ä𝒳!\n\nunsaved\n"
                      text)))
      (should (buffer-modified-p))
      (should (equal (with-temp-buffer (insert-file-contents file) (buffer-string))
                     wb-test-two)))))

(ert-deftest wb-test-undo ()
  "One undo takes all results back."
  (wb-test-with wb-test-two
    (wb-run-buffer)
    (wb-test-finish)
    (should (string-match-p "RESULTS: one\n: ä𝒳\n" (buffer-string)))
    (should (string-match-p "RESULTS: two\n: ä𝒳!\n" (buffer-string)))
    (undo-boundary)
    (undo)
    (should (equal (buffer-string) wb-test-two))))

(ert-deftest wb-test-typing ()
  "What is typed during a run stays, and results find their place."
  (wb-test-with wb-test-two
    (wb-run-buffer)
    (goto-char (point-min))
    (insert "#+TITLE: typed\n")
    (goto-char (point-max))
    (insert "typed as well\n")
    (search-backward "* Second")
    (delete-char 8)
    (insert "* Another heading")
    (wb-test-finish)
    (should (equal (buffer-string) "\
#+TITLE: typed
* First

#+NAME: one
#+begin_src js
return \"ä𝒳\"
#+end_src

#+RESULTS: one
: ä𝒳

* Another heading

#+NAME: two
#+begin_src js :var x=one
return x + \"!\"
#+end_src

#+RESULTS: two
: ä𝒳!
typed as well
"))))

(ert-deftest wb-test-conflict ()
  "An edit of a result during the run is kept; that result is not written."
  (wb-test-with wb-test-two
    (wb-run-buffer)
    (wb-test-finish)
    (goto-char (point-min))
    (search-forward "\"!\"")
    (replace-match "\"?\"")
    (wb-run-buffer)
    (search-forward ": ä𝒳!")
    (replace-match ": my own words")
    (wb-test-finish)
    (should (string-match-p "^: my own words$" (buffer-string)))
    (should-not (string-match-p "ä𝒳\\?$" (buffer-string)))
    (should (string-match-p "1 result not written" (current-message-text)))
    (wb-run-buffer)
    (wb-test-finish)
    (should (string-match-p "^: ä𝒳\\?$" (buffer-string)))))

(defvar wb-test-messages nil "What was said, latest first.")
(advice-add 'message :before
            (lambda (format &rest arguments)
              (when format
                (push (apply #'format-message format arguments)
                      wb-test-messages))))

(defun current-message-text ()
  "Return what was said last."
  (car wb-test-messages))

(ert-deftest wb-test-point-in-result ()
  "Point inside a result that is replaced stays on its line and column."
  (wb-test-with "#+begin_src js\nreturn [[1,2],[3,4]]\n#+end_src\n"
    (wb-run-buffer)
    (wb-test-finish)
    (goto-char (point-min))
    (search-forward "| 3 | 4")
    (let ((column (current-column)) (line (line-number-at-pos)))
      (save-excursion
        (goto-char (point-min))
        (search-forward "[[1,2]")
        (replace-match "[[5,6]"))
      (wb-run-buffer)
      (wb-test-finish)
      (should (string-match-p "| 5 | 6 |" (buffer-string)))
      (should (= line (line-number-at-pos)))
      (should (= column (current-column))))))

(ert-deftest wb-test-parts ()
  "A subtree, and what stands above point, run alone."
  (wb-test-with wb-test-two
    (goto-char (point-min))
    (wb-run-subtree)
    (wb-test-finish)
    (should (string-match-p "RESULTS: one" (buffer-string)))
    (should-not (string-match-p "RESULTS: two" (buffer-string))))
  (wb-test-with wb-test-two
    (goto-char (point-min))
    (search-forward "* Second")
    (wb-run-to-point)
    (wb-test-finish)
    (should (string-match-p "RESULTS: one" (buffer-string)))
    (should-not (string-match-p "RESULTS: two" (buffer-string))))
  (wb-test-with wb-test-two
    (search-forward "* Second")
    (narrow-to-region (point) (point-max))
    (wb-run-buffer)
    (wb-test-finish)
    (should (buffer-narrowed-p))
    (widen)
    (should (string-match-p "RESULTS: one" (buffer-string)))))

(ert-deftest wb-test-cancel ()
  "A run stops when asked; C-c C-k is Org's own otherwise."
  (wb-test-with "#+begin_src js\nwhile (true) {}\n#+end_src\n"
    (should-not (eq (key-binding (kbd "C-c C-k")) #'wb-cancel))
    (wb-run-buffer)
    (should (eq (key-binding (kbd "C-c C-k")) #'wb-cancel))
    (should-error (wb-run-buffer) :type 'user-error)
    (let ((process (wb-run-process wb-run--current)))
      (wb-cancel)
      (should-not (wb-running-p))
      (wb-test-wait (lambda () (not (process-live-p process)))))
    (should-error (wb-cancel) :type 'user-error)
    (should-not (string-match-p "RESULTS" (buffer-string)))))

(ert-deftest wb-test-failure ()
  "A block that fails is marked until it is edited; others get results."
  (wb-test-with "text\n#+NAME: bad\n#+begin_src js\nthrow new Error(\"no\")\n#+end_src\n\n#+begin_src js\nreturn 1\n#+end_src\n"
    (wb-run-buffer)
    (goto-char (point-min))
    (insert "more text\n")
    (wb-test-finish)
    (should (string-match-p "1 ran, 1 failed; bad: " (current-message-text)))
    (should (string-match-p "RESULTS:\n: 1\n" (buffer-string)))
    (should (= 1 (length wb-run--marks)))
    (goto-char (overlay-start (car wb-run--marks)))
    (should (looking-at-p "#\\+begin_src"))
    (forward-char 3)
    (insert "x")
    (should-not (overlay-buffer (car wb-run--marks)))))

(ert-deftest wb-test-errors ()
  "What cannot be run is told in words."
  (wb-test-with "#+begin_src js :var x=nowhere\n1\n#+end_src\n"
    (wb-run-buffer)
    (wb-test-finish)
    (should (string-match-p "nowhere" (current-message-text))))
  (wb-test-with "no block\n"
    (should-not (wb-run-at-point-maybe))
    (wb-run-block)
    (wb-test-finish)
    (should (string-match-p "nothing to run here" (current-message-text))))
  (wb-test-with wb-test-two
    (let ((wb-program "no-such-wb"))
      (should-error (wb-run-buffer) :type 'user-error)
      (should-not (wb-running-p)))
    (read-only-mode 1)
    (should-error (wb-run-buffer) :type 'buffer-read-only)
    (read-only-mode -1)))

(ert-deftest wb-test-new-buffer ()
  "A buffer that no file has yet runs as well."
  (let ((directory (make-temp-file "wb-test" t)))
    (with-temp-buffer
      (setq default-directory (file-name-as-directory directory))
      (org-mode)
      (let ((wb-enable-flymake nil)) (wb-mode 1))
      (insert "#+begin_src js\nreturn 6 * 7\n#+end_src\n")
      (wb-run-buffer)
      (wb-test-finish)
      (should (string-match-p ": 42\n" (buffer-string))))
    (delete-directory directory t)))

(ert-deftest wb-test-move ()
  "Edits move along changes, and are lost where they meet them."
  (should (equal (wb-run--move '(10 20 "x") '((1 0 5) (40 3 0))) '(15 25 "x")))
  (should (equal (wb-run--move '(10 20 "x") '((20 4 0))) '(10 20 "x")))
  (should (equal (wb-run--move '(10 10 "x") '((10 0 3))) '(10 10 "x")))
  (should (equal (wb-run--move '(10 12 "x") '((10 0 3))) '(13 15 "x")))
  (should-not (wb-run--move '(10 20 "x") '((15 0 1))))
  (should-not (wb-run--move '(10 20 "x") '((5 6 0)))))

(ert-deftest wb-test-output ()
  "What a block prints is shown while it runs, and what it complains of."
  (wb-test-with "\
#+NAME: slow
#+begin_src sh :results output :uses clock
echo one; echo careful >&2; sleep 1; echo two
#+end_src
"
    (let ((wb-run-arguments '("--grant" "clock")) (wb-show-output-after 0)
          (output (wb-run--output-name (current-buffer))))
      (wb-run-buffer)
      (wb-test-wait (lambda ()
                      (and (get-buffer output)
                           (with-current-buffer output
                             (string-match-p "^slow | one$" (buffer-string))))))
      (should (wb-running-p))
      (wb-test-wait (lambda () (get-buffer-window output t)))
      (wb-test-finish)
      (with-current-buffer output
        (should (string-match-p "^slow | careful$" (buffer-string)))
        (should (string-match-p "^slow | two$" (buffer-string))))
      (should (string-match-p "RESULTS: slow\n: one\n: two\n" (buffer-string)))
      (delete-other-windows)
      (kill-buffer output)))
  (wb-test-with "#+begin_src sh\necho fine; echo careful >&2\n#+end_src\n"
    (let ((wb-show-output-after nil)
          (output (wb-run--output-name (current-buffer))))
      (wb-run-buffer)
      (wb-test-finish)
      (should (get-buffer-window output t))
      (delete-other-windows)
      (kill-buffer output))))

(ert-deftest wb-test-org-s-own ()
  "Blocks in other languages are Org's; Org's keys do wb's part."
  (wb-test-with "#+begin_src lilypond\nc d e\n#+end_src\n\n#+begin_src js\nreturn 1\n#+end_src\n"
    (wb-test-wait (lambda () wb--languages))
    (should-not (wb-run-at-point-maybe))
    (let (asked)
      (cl-letf (((symbol-function 'org-babel-execute-src-block)
                 (lambda (&rest _) (interactive) (setq asked t))))
        (wb-babel-execute))
      (should asked))
    (goto-char (point-max))
    (search-backward "return")
    (dolist (key '("C-c C-v C-b" "C-c C-v C-s" "C-c C-v C-e" "C-c C-v C-t"))
      (should (string-prefix-p "wb-" (symbol-name (key-binding (kbd key))))))
    (call-interactively (key-binding (kbd "C-c C-v C-e")))
    (wb-test-finish)
    (should (string-match-p "RESULTS:\n: 1" (buffer-string)))
    (wb-mode -1)
    (should (eq (key-binding (kbd "C-c C-v C-b")) 'org-babel-execute-buffer))))

(ert-deftest wb-test-images ()
  "Images are shown where Emacs can, when a run has brought one."
  (wb-test-with "#+begin_src dot :file a.svg\ngraph { a }\n#+end_src\n"
    (let ((shown 0))
      (cl-letf (((symbol-function 'display-graphic-p) #'always)
                ((symbol-function 'clear-image-cache) #'ignore)
                ((symbol-function 'org-display-inline-images)
                 (lambda (&rest _) (cl-incf shown))))
        (wb-run--show-images '((1 1 "#+RESULTS:\n: 1\n")))
        (should (= 0 shown))
        (wb-run-buffer)
        (wb-test-finish)
        (should (string-match-p "\\[\\[file:a\\.svg\\]\\]" (buffer-string)))
        (should (= 1 shown))
        (let ((wb-show-images nil))
          (wb-run--show-images '((1 1 "[[file:a.svg]]"))))
        (should (= 1 shown))))))

(ert-deftest wb-test-large ()
  "A large text reaches wb through a file, which is gone afterwards."
  (let ((temporary-file-directory
         (file-name-as-directory (make-temp-file "wb-test" t))))
    (wb-test-with "#+begin_src js\nreturn 6 * 7\n#+end_src\n\n"
      (goto-char (point-max))
      (dotimes (n 20000)
        (insert (format "* Heading %d\nSome words, ä and 𝒳, below it.\n" n)))
      (wb-run-buffer)
      (should (directory-files temporary-file-directory nil "\\`wb-input"))
      (wb-test-finish)
      (should (string-match-p "RESULTS:\n: 42\n" (buffer-string)))
      (should-not (directory-files temporary-file-directory nil "\\`wb-input")))
    (delete-directory temporary-file-directory t)))

(ert-deftest wb-test-flymake-again ()
  "A check that a newer one replaces reports nothing."
  (wb-test-with "#+begin_src js :reslts value\n1\n#+end_src\n"
    (let (first second)
      (wb-flymake (lambda (&rest all) (push all first)))
      (let ((process wb-flymake--process))
        (insert "text\n")
        (wb-flymake (lambda (&rest all) (push all second)))
        (wb-test-wait (lambda () (not (process-live-p process)))))
      (wb-test-wait (lambda () second))
      (should-not first)
      (should (= 1 (length second)))
      (should-not (eq :panic (caar second))))))

(ert-deftest wb-test-flymake ()
  "Lint's findings stand where they belong, in text that is not saved."
  (wb-test-with "text\n"
    (goto-char (point-max))
    (insert "ä #+x\n#+begin_src js :var é=1 :reslts value\n1\n#+end_src\n")
    (let (found)
      (wb-flymake (lambda (list &rest _) (setq found (or list 'none))))
      (wb-test-wait (lambda () found))
      (should (= 1 (length found)))
      (should (string-match-p "unknown header argument :reslts.*did you mean results"
                              (flymake-diagnostic-text (car found))))
      (should (equal ":reslts" (buffer-substring (flymake-diagnostic-beg (car found))
                                               (flymake-diagnostic-end (car found)))))))
  (let ((wb-enable-flymake t))
    (with-temp-buffer
      (org-mode)
      (wb-mode 1)
      (should (memq #'wb-flymake flymake-diagnostic-functions))
      (wb-mode -1)
      (should-not (memq #'wb-flymake flymake-diagnostic-functions)))))

(ert-deftest wb-test-xref ()
  "Names lead to their definitions and back."
  (wb-test-with "\
#+NAME: sales
| 1 |

#+NAME: total
#+begin_src js :var rows=sales n=2 :noweb yes
<<helper>> <<total()>>
#+end_src

#+begin_src js :noweb-ref helper
1
#+end_src

#+CALL: total(rows=sales)
See [[total]] and call_total(rows=sales) and <<spot>>.

* Sum
:PROPERTIES:
:CUSTOM_ID: here
:out: first second
:END:
* Use
:PROPERTIES:
:in: second
:deps: total
:END:
"
    (cl-flet ((definition (needle)
                (goto-char (point-min))
                (search-forward needle)
                (backward-char 2)
                (let ((name (xref-backend-identifier-at-point 'wb)))
                  (mapcar (lambda (item)
                            (line-number-at-pos
                             (xref-location-marker (xref-item-location item))))
                          (xref-backend-definitions 'wb name)))))
      (should (equal (definition "rows=sales") '(1)))
      (should (equal (definition "<<helper") '(9)))
      (should (equal (definition "<<total") '(4)))
      (should (equal (definition "CALL: total") '(4)))
      (should (equal (definition "[[total") '(4)))
      (should (equal (definition "call_total") '(4)))
      (should (equal (definition ":in: second") '(19)))
      (should (equal (definition ":deps: total") '(4))))
    (should (eq (wb-xref-backend) 'wb))
    (goto-char (point-min))
    (search-forward "See")
    (should-not (wb-xref-backend))
    (should (equal (mapcar (lambda (item)
                             (line-number-at-pos
                              (xref-location-marker (xref-item-location item))))
                           (xref-backend-references 'wb "total"))
                   '(6 13 14 14 24)))
    (should (equal (sort (xref-backend-identifier-completion-table 'wb)
                         #'string<)
                   '("first" "helper" "here" "sales" "second" "total")))))

(ert-deftest wb-test-fmt ()
  "Tidying keeps point and markers."
  (wb-test-with "|a|bb|\n|-\n|ccc|d|\n\nend\n"
    (search-forward "en")
    (wb-fmt-buffer)
    (wb-test-wait (lambda () (equal (current-message-text) "Tidied")))
    (should (equal (buffer-string) "| a   | bb |\n|-----+----|\n| ccc | d  |\n\nend\n"))
    (should (looking-at-p "d\n"))
    (wb-fmt-buffer)
    (wb-test-wait (lambda () (equal (current-message-text) "Nothing to tidy")))))

(ert-deftest wb-test-why-and-plan ()
  "The reason and the plan are those of the text as it is."
  (wb-test-with wb-test-two
    (goto-char (point-max))
    (search-backward "return x")
    (wb-why)
    (wb-test-wait (lambda () (get-buffer "*wb why*")))
    (should (string-match-p "two would run"
                            (with-current-buffer "*wb why*" (buffer-string))))
    (let (drawn)
      (cl-letf (((symbol-function 'wb-view--picture-p) #'always)
                ((symbol-function 'create-image)
                 (lambda (data type &rest _) (setq drawn (cons type data))))
                ((symbol-function 'insert-image) #'ignore))
        (save-window-excursion (wb-plan))
        (wb-test-wait (lambda () drawn)))
      (should (eq 'svg (car drawn)))
      (should (string-prefix-p "<svg" (cdr drawn))))
    (save-window-excursion
      (with-current-buffer (wb-plan)
        (wb-test-wait (lambda () (> (buffer-size) 0)))
        (should (string-match-p "^two +js +← one$" (buffer-string)))
        (goto-char (point-min))
        (search-forward "two")
        (wb-plan-visit))
      (should (= 11 (line-number-at-pos))))
    (mapc #'kill-buffer (cl-remove-if-not (lambda (buffer) (string-prefix-p "*wb plan" (buffer-name buffer)))
                                          (buffer-list)))))

(ert-deftest wb-test-events ()
  "The events of a run arrive while they are followed."
  (wb-test-with wb-test-two
    (let* ((wb-events-interval 0.05)
           (events (save-window-excursion (wb-events))))
      (unwind-protect
          (progn
            (should (= 0 (buffer-size events)))
            (wb-run-buffer)
            (wb-test-finish)
            (wb-test-wait (lambda ()
                            (with-current-buffer events
                              (string-match-p "result " (buffer-string)))))
            (with-current-buffer events
              (should (string-match-p "component_end +one" (buffer-string)))
              (goto-char (point-min))
              (search-forward "component_end")
              (save-window-excursion (wb-events-visit))
              (should (string-match-p "component +one"
                                      (with-current-buffer "*wb event*"
                                        (buffer-string))))))
        (kill-buffer events)))))

(defun wb-test-query (query)
  "Ask QUERY and go to its answers."
  (wb-query query)
  (wb-test-wait (lambda () (get-buffer (format "*wb query: %s*" query))))
  (set-buffer (format "*wb query: %s*" query)))

(ert-deftest wb-test-query ()
  "Answers are listed, and lead to where they stand."
  (wb-test-with "* TODO [#A] Bake :work:\nDEADLINE: <2026-06-06 Sat>\n* DONE Eat\n* Sleep\n#+NAME: x\n#+begin_src js\n1\n#+end_src\n"
    (save-window-excursion
      (wb-test-query "todo:TODO")
      (should (eq major-mode 'wb-query-view-mode))
      (should (string-match-p "TODO +A +Bake +:work:" (buffer-string)))
      (should-not (string-match-p "Eat" (buffer-string)))
      (goto-char (point-min))
      (wb-query-visit)
      (should (looking-at-p "\\* TODO \\[#A\\] Bake")))
    (save-window-excursion
      (wb-test-query "from:blocks lang:js")
      (should (string-match-p "js" (buffer-string))))
    (save-window-excursion
      (wb-test-query "* | group state | count")
      (should tabulated-list-entries))
    (wb-query "(and (todo")
    (wb-test-wait (lambda () (string-match-p "\\`wb: " (current-message-text))))
    (with-temp-buffer
      (insert "(and (tod")
      (cl-letf (((symbol-function 'minibuffer-prompt-end) #'point-min))
        (pcase-let ((`(,start ,end ,table . ,_) (wb-query-complete)))
          (should (member "todo " (all-completions
                                   (buffer-substring start end) table))))))))

(ert-deftest wb-test-tangle ()
  "Tangling writes files; an edit of one comes back."
  (wb-test-with "#+begin_src sh :tangle out.sh :comments link\necho one\n#+end_src\n"
    (let ((out (expand-file-name "out.sh" directory)))
      (wb-tangle)
      (wb-test-wait (lambda () (file-exists-p out)))
      (wb-test-wait (lambda () (string-prefix-p "wb tangle" (current-message-text))))
      (with-temp-buffer
        (insert-file-contents out)
        (goto-char (point-min))
        (search-forward "echo one")
        (replace-match "echo two")
        (write-region nil nil out nil 'silent))
      (wb-detangle)
      (wb-test-wait (lambda () (string-match-p "echo two" (buffer-string)))))))

(ert-deftest wb-test-agent-decide ()
  "A request becomes DONE or DENIED, in the buffer and in the file."
  (let ((file (make-temp-file "approvals" nil ".org")))
    (unwind-protect
        (dolist (case '((t . "* DONE APPROVE git") (nil . "* DENIED APPROVE git")))
          (with-temp-file file
            (insert "#+TODO: TODO | DONE DENIED\n\n* TODO APPROVE git by waldo :approval:\ntext\n* TODO other\n"))
          (with-current-buffer (find-file-noselect file)
            (goto-char (point-max))
            (should-error (wb-agent-decide t) :type 'user-error)
            (goto-char (point-min))
            (search-forward "text")
            (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (car case))))
              (call-interactively #'wb-agent-approve))
            (should-not (buffer-modified-p))
            (kill-buffer))
          (with-temp-buffer
            (insert-file-contents file)
            (should (search-forward (cdr case) nil t))
            (should (search-forward "* TODO other" nil t))))
      (delete-file file))))

(ert-deftest wb-test-agent-approve ()
  "A wb without agents is told apart from one that fails."
  (let ((verbs (wb--verbs)))
    (should (member '("run") verbs))
    (should (member '("toolchain" "install") verbs))
    (cl-letf (((symbol-function 'wb--verbs) (lambda () '(("run")))))
      (should (string-match-p "agent approve"
                              (cadr (should-error (wb-agent-approve "1")
                                                  :type 'user-error)))))))

(ert-deftest wb-test-mode ()
  "The mode is for org buffers and leaves nothing behind."
  (with-temp-buffer
    (text-mode)
    (should-error (wb-mode 1) :type 'user-error)
    (should-not wb-mode))
  (with-temp-buffer
    (org-mode)
    (wb-mode 1)
    (should (eq (key-binding (kbd "C-c _ b")) #'wb-run-buffer))
    (wb-mode -1)
    (should-not (memq #'wb-run-at-point-maybe org-ctrl-c-ctrl-c-hook))
    (should-not (memq #'wb-xref-backend xref-backend-functions))))

(provide 'wb-test)
;;; wb-test.el ends here
