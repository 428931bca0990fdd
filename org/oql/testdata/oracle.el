;;; oracle.el --- what org-ql's predicates mean, asked of Org itself  -*- lexical-binding: t -*-

;; Evaluates queries over org files and prints, for each, the headings that
;; match.  The meaning of every predicate is that of org-ql's manual, worked out
;; here with Org's own functions only, so that it needs nothing but Emacs:
;;
;;   emacs -Q --batch -l oracle.el -f wb-oracle QUERIES FILE...
;;
;; QUERIES holds one s-expression a line.  The output is "query N" and then a
;; line "FILE:LINE" per heading.

;;; Code:

(require 'cl-lib)
(require 'org)
(require 'org-element)
(require 'org-habit)
(require 'org-duration)
(require 'ob-core)

(setq org-enforce-todo-dependencies t
      org-inhibit-startup t
      vc-handled-backends nil
      enable-local-variables nil
      large-file-warning-threshold nil)
(add-hook 'org-blocker-hook #'org-block-todo-from-children-or-siblings-or-parent)

;;;; What is known of a heading

(cl-defstruct h
  file line pos end level heading title todo done priority local inherited category
  text parent children olp planning clocks stamps links blocks blocked habit effort)

(defun wb-time (string)
  "Seconds of the first timestamp in STRING, and whether it has a time."
  (let ((parts (org-parse-time-string string)))
    (list (float-time (encode-time parts))
          (and (string-match-p "[0-9][0-9]?:[0-9][0-9]" string) t))))

(defun wb-all (regexp group text)
  "All matches of GROUP of REGEXP in TEXT, with the text behind them."
  (let ((at 0) out (case-fold-search t))
    (while (string-match regexp text at)
      (push (match-string group text) out)
      (setq at (max (1+ at) (match-end group))))
    (nreverse out)))

(defun wb-planning ()
  "The planning line below the heading at point, as (KEYWORD TIME HAS-TIME WARNING)."
  (save-excursion
    (forward-line 1)
    (let ((limit (line-end-position)) out (case-fold-search nil))
      (when (looking-at-p org-planning-line-re)
        (while (re-search-forward "\\<\\(SCHEDULED\\|DEADLINE\\|CLOSED\\): *\\([[<][0-9]\\{4\\}-[^]>\n]+[]>]\\)" limit t)
          (let* ((keyword (match-string 1)) (stamp (match-string 2))
                 (active (eq (aref stamp 0) ?<)))
            (when (eq active (not (equal keyword "CLOSED")))
              (push (append (list keyword) (wb-time stamp)
                            (list (when (string-match "-\\([0-9]+\\)\\([dwmy]\\)>" stamp)
                                    (cons (string-to-number (match-string 1 stamp)) (match-string 2 stamp)))))
                    out)))))
      (nreverse out))))

(defun wb-links (text)
  "The bracket links in TEXT, as (TARGET . DESCRIPTION)."
  (let ((at 0) out)
    (while (string-match org-link-bracket-re text at)
      (push (cons (match-string 1 text) (match-string 2 text)) out)
      (setq at (match-end 0)))
    out))

(defun wb-blocks (end)
  "The source blocks between point and END, as (LANG . BODY)."
  (save-excursion
    (let (out (case-fold-search t))
      (while (re-search-forward org-babel-src-block-regexp end t)
        (push (cons (match-string-no-properties 2)
                    (save-excursion
                      (buffer-substring-no-properties
                       (progn (goto-char (match-beginning 0)) (line-beginning-position 2))
                       (progn (goto-char (match-end 0)) (line-beginning-position)))))
              out))
      out)))

(defun wb-heading ()
  "What is known of the heading at point."
  (let* ((end (save-excursion (outline-next-heading) (point)))
         (text (buffer-substring-no-properties (point) end))
         (components (org-heading-components))
         (all (mapcar #'substring-no-properties (org-get-tags)))
         (local (mapcar #'substring-no-properties (org-get-tags nil t)))
         (todo (org-get-todo-state)))
    (make-h :file (buffer-file-name) :line (line-number-at-pos) :pos (point) :end end
            :level (org-outline-level) :heading (substring-no-properties (org-get-heading t t))
            :title (save-match-data (if (let (case-fold-search) (looking-at org-complex-heading-regexp)) (or (match-string-no-properties 4) "") ""))
            :todo (and todo (substring-no-properties todo)) :done (and (member todo org-done-keywords) t)
            :priority (nth 3 components) :local local
            :inherited (save-excursion (if (org-up-heading-safe) (mapcar #'substring-no-properties (org-get-tags)) (copy-sequence org-file-tags)))
            :category (org-get-category) :text text
            :planning (wb-planning)
            :clocks (mapcar (lambda (s) (car (wb-time s)))
                            (wb-all "^[ \t]*CLOCK:[ \t]*\\(\\[[^]\n]+\\]--\\[[^]\n]+\\]\\)" 1 text))
            :stamps (mapcar (lambda (s) (cons (eq (aref s 0) ?<) (wb-time s)))
                            (wb-all "\\([[<][0-9]\\{4\\}-[0-9][0-9]-[0-9][0-9]\\(?: [^]+0-9>\r\n -]+\\)?\\(?: [0-9]\\{1,2\\}:[0-9]\\{2\\}\\(?:-[0-9]\\{1,2\\}:[0-9]\\{2\\}\\)?\\)?\\(?: [-+:.]\\{1,2\\}[0-9]+[hdwmy]\\(?:/[0-9]+[hdwmy]\\)?\\)\\{0,2\\}[]>]\\)" 1 text))
            :links (wb-links text) :blocks (wb-blocks end)
            :blocked (or (org-entry-blocked-p) (wb-blocker)) :habit (org-is-habit-p)
            :effort (let ((e (org-entry-get (point) "EFFORT"))) (and e (ignore-errors (org-duration-to-minutes e)))))))

(defun wb-blocker ()
  "Whether the open task at point waits for a task named in BLOCKER.
Org leaves that property to extensions such as org-depend; wb reads it."
  (and (org-entry-is-todo-p) (not (org-entry-is-done-p))
       (cl-some (lambda (id)
                  (let ((pos (org-find-property "ID" id)))
                    (and pos (save-excursion (goto-char pos) (not (org-entry-is-done-p))))))
                (split-string (or (org-entry-get (point) "BLOCKER") "") "[ \t,()\"]+" t))))

(defun wb-headings ()
  "All headings of the buffer, linked with parents and children."
  (org-with-wide-buffer
   (goto-char (point-min))
   (let (out stack)
     (while (if (and (bobp) (null out) (org-at-heading-p)) t (outline-next-heading))
       (let ((h (wb-heading)))
         (while (and stack (>= (h-level (car stack)) (h-level h))) (pop stack))
         (when stack
           (setf (h-parent h) (car stack))
           (push h (h-children (car stack))))
         (setf (h-olp h) (append (and stack (h-olp (car stack))) (list (h-title h))))
         (push h stack)
         (push h out)
         (when (= (point) (point-min)) (forward-char 1))))
     (nreverse out))))

;;;; Predicates

(defvar wb-now
  (let ((given (getenv "WB_ORACLE_NOW")))
    (if given (float-time (encode-time (parse-time-string given))) (float-time))))

(defun wb-midnight (days &optional last)
  "The first second DAYS from today, or with LAST the last one."
  (let ((now (decode-time wb-now)))
    (float-time (encode-time (if last 59 0) (if last 59 0) (if last 23 0) (+ (nth 3 now) days) (nth 4 now) (nth 5 now)))))

(defun wb-moment (spec last)
  "Seconds of SPEC: a number of days, today, or a date whose rest LAST fills."
  (cond ((numberp spec) (wb-midnight spec last))
        ((eq spec 'today) (wb-midnight 0 last))
        ((string-match "\\`\\([0-9]+\\)-\\([0-9]+\\)-\\([0-9]+\\)\\(?: \\([0-9]+\\):\\([0-9]+\\)\\)?\\'" spec)
         (let ((n (lambda (i) (and (match-string i spec) (string-to-number (match-string i spec))))))
           (float-time (encode-time (if (and last (not (match-string 4 spec))) 59 (if last 59 0))
                                    (or (funcall n 5) (if last 59 0)) (or (funcall n 4) (if last 23 0))
                                    (funcall n 3) (funcall n 2) (funcall n 1)))))))

(defun wb-period (args)
  "A test of (TIME HAS-TIME) for the keyword ARGS of a time predicate."
  (let* ((on (plist-get args :on))
         (from (if on (wb-moment on nil) (and (plist-get args :from) (wb-moment (plist-get args :from) nil))))
         (to (if on (wb-moment on t) (and (plist-get args :to) (wb-moment (plist-get args :to) t))))
         (with (if (plist-member args :with-time) (if (plist-get args :with-time) 'yes 'no) 'any)))
    (lambda (stamp)
      (and (or (null from) (<= from (car stamp)))
           (or (null to) (<= (car stamp) to))
           (pcase with ('any t) ('yes (cadr stamp)) ('no (not (cadr stamp))))))))

(defun wb-number (args)
  "Rewrite a leading number in ARGS to keywords that mean up to that day."
  (if (numberp (car args)) (cons :to args) args))

(defun wb-past (args)
  "Rewrite a leading number in ARGS to keywords that mean since so many days."
  (if (numberp (car args)) (list :from (- (car args))) args))

(defun wb-planned (h keywords test)
  (cl-some (lambda (p) (and (member (car p) keywords) (funcall test (cdr p)))) (h-planning h)))

(defun wb-match (regexp text)
  (let ((case-fold-search t)) (string-match-p regexp text)))

(defun wb-compare (args value read)
  "Whether VALUE equals, lies between or compares to ARGS, read with READ."
  (pcase args
    (`(,(and op (or '< '<= '> '>= '=)) ,x) (funcall op value (funcall read x)))
    (`(,a ,b) (<= (funcall read a) value (funcall read b)))
    (`(,a) (= value (funcall read a)))))

(defun wb-entry-get (h property inherit)
  (with-current-buffer (find-buffer-visiting (h-file h))
    (org-with-wide-buffer (goto-char (h-pos h)) (org-entry-get (point) property inherit))))

(defun wb-rank (priority) (- (if (stringp priority) (string-to-char priority) priority)))

(defun wb-link (h args)
  (let* ((any (unless (keywordp (car args)) (pop args)))
         (quoted (lambda (s) (and s (if (plist-get args :regexp-p) s (regexp-quote s)))))
         (any (funcall quoted any))
         (target (funcall quoted (plist-get args :target)))
         (description (funcall quoted (plist-get args :description))))
    (cl-some (lambda (l)
               (and (or (null target) (wb-match target (car l)))
                    (or (null description) (and (cdr l) (wb-match description (cdr l))))
                    (or (null any) (wb-match any (car l)) (and (cdr l) (wb-match any (cdr l))))))
             (h-links h))))

(defun wb-src (h args)
  (let (regexps)
    (while (stringp (car args)) (push (pop args) regexps))
    (setq regexps (append regexps (plist-get args :regexps)))
    (cl-some (lambda (b)
               (and (or (null (plist-get args :lang)) (cl-equalp (plist-get args :lang) (car b)))
                    (cl-every (lambda (r) (wb-match r (cdr b))) regexps)))
             (h-blocks h))))

(defun wb-ancestors (h)
  (let (out) (while (setq h (h-parent h)) (push h out)) out))

(defun wb-descendants (h)
  (cl-mapcan (lambda (c) (cons c (wb-descendants c))) (copy-sequence (h-children h))))

(defun wb-olp (h word)
  (cl-some (lambda (part) (wb-match (regexp-quote word) part)) (h-olp h)))

(defun wb-segment (h words)
  (cl-loop for path on (h-olp h)
           thereis (and (>= (length path) (length words))
                        (cl-every (lambda (w part) (wb-match (regexp-quote w) part)) words path))))

(defun wb-holds (query h)
  "Whether QUERY holds for H."
  (let ((args (cdr-safe query)))
    (pcase (car-safe query)
      ('and (cl-every (lambda (q) (wb-holds q h)) args))
      ('when (cl-every (lambda (q) (wb-holds q h)) args))
      ('or (cl-some (lambda (q) (wb-holds q h)) args))
      ('not (not (wb-holds (car args) h)))
      ('unless (and (not (wb-holds (car args) h)) (cl-every (lambda (q) (wb-holds q h)) (cdr args))))
      ('blocked (h-blocked h))
      ((or 'category 'c) (or (null args) (member (h-category h) args)))
      ('done (h-done h))
      ('effort (and (h-effort h) (or (null args) (wb-compare args (h-effort h) #'org-duration-to-minutes))))
      ('habit (h-habit h))
      ((or 'heading 'h) (cl-every (lambda (w) (wb-match (regexp-quote w) (h-heading h))) args))
      ((or 'heading-regexp 'h*) (cl-every (lambda (r) (wb-match r (h-heading h))) args))
      ('level (wb-compare args (h-level h) #'identity))
      ('link (wb-link h args))
      ((or 'outline-path 'olp) (cl-every (lambda (w) (wb-olp h w)) args))
      ((or 'outline-path-segment 'olps) (wb-segment h args))
      ('path (or (null args) (cl-some (lambda (r) (wb-match r (h-file h))) args)))
      ('priority (and (h-priority h)
                      (or (null args)
                          (if (symbolp (car args))
                              (wb-compare args (wb-rank (h-priority h)) #'wb-rank)
                            (cl-some (lambda (p) (= (wb-rank p) (wb-rank (h-priority h)))) args)))))
      ('property (let* ((name (pop args)) (value (unless (keywordp (car args)) (pop args)))
                        (got (wb-entry-get h name (plist-get args :inherit))))
                   (and got (or (null value) (equal got value)))))
      ((or 'regexp 'r) (cl-every (lambda (r) (wb-match r (h-text h))) args))
      ((or 'rifle 'smart) (cl-every (lambda (w) (or (wb-match (regexp-quote w) (h-text h)) (wb-olp h w))) args))
      ('src (wb-src h args))
      ('tags (let ((all (append (h-local h) (h-inherited h)))) (if args (cl-intersection args all :test #'equal) all)))
      ((or 'tags-all 'tags&) (cl-subsetp args (append (h-local h) (h-inherited h)) :test #'equal))
      ((or 'tags-inherited 'inherited-tags 'tags-i 'itags) (if args (cl-intersection args (h-inherited h) :test #'equal) (h-inherited h)))
      ((or 'tags-local 'local-tags 'tags-l 'ltags) (if args (cl-intersection args (h-local h) :test #'equal) (h-local h)))
      ((or 'tags-regexp 'tags*) (if (null args) (append (h-local h) (h-inherited h)) (cl-some (lambda (r) (cl-some (lambda (tag) (wb-match r tag)) (append (h-local h) (h-inherited h)))) args)))
      ('todo (and (h-todo h) (if args (member (h-todo h) args) (not (h-done h)))))
      ('ancestors (cl-some (lambda (k) (or (null args) (wb-holds (car args) k))) (wb-ancestors h)))
      ('parent (and (h-parent h) (or (null args) (wb-holds (car args) (h-parent h)))))
      ('children (cl-some (lambda (k) (or (null args) (wb-holds (car args) k))) (h-children h)))
      ('descendants (cl-some (lambda (k) (or (null args) (wb-holds (car args) k))) (wb-descendants h)))
      ((or 'ts 'ts-active 'ts-a 'ts-inactive 'ts-i)
       (let ((test (wb-period (wb-number args)))
             (type (cond ((memq (car query) '(ts-active ts-a)) 'active)
                         ((eq (car query) 'ts) (or (plist-get args :type) 'both))
                         (t 'inactive))))
         (cl-some (lambda (s)
                    (and (or (eq type 'both) (eq (car s) (eq type 'active)))
                         (funcall test (cdr s))))
                  (h-stamps h))))
      ('clocked (let ((test (wb-period (wb-past args)))) (cl-some (lambda (c) (funcall test (list c t))) (h-clocks h))))
      ('closed (wb-planned h '("CLOSED") (wb-period (wb-past args))))
      ('scheduled (wb-planned h '("SCHEDULED") (wb-period (if (numberp (car args)) (list :on (car args)) args))))
      ('planning (wb-planned h '("SCHEDULED" "DEADLINE" "CLOSED") (wb-period (wb-number args))))
      ('deadline (if (eq (car args) 'auto)
                     (wb-warning h (list :to org-deadline-warning-days))
                   (wb-planned h '("DEADLINE") (wb-period (wb-number args)))))
      ('deadline-warning (wb-warning h args))
      (_ (error "Unknown query %S" query)))))

(defun wb-warning (h args)
  "Whether the warning of H's deadline has begun: its own, or that in ARGS."
  (wb-planned h '("DEADLINE")
              (lambda (p)
                (pcase (nth 2 p)
                  (`(,n . ,unit)
                   (let ((time (decode-time (car p))))
                     (pcase unit
                       ("d" (cl-decf (nth 3 time) n)) ("w" (cl-decf (nth 3 time) (* 7 n)))
                       ("m" (cl-decf (nth 4 time) n)) ("y" (cl-decf (nth 5 time) n)))
                     (<= (float-time (encode-time time)) wb-now)))
                  (_ (and args (funcall (wb-period args) p)))))))

;;;; Driver

(defun wb-oracle ()
  "Answer the queries in the file named first over the files named next."
  (let* ((queries (pop command-line-args-left)) (n -1)
         (headings (cl-mapcan (lambda (file)
                                (with-current-buffer (find-file-noselect file t)
                                  (unless (derived-mode-p 'org-mode) (org-mode))
                                  (wb-headings)))
                              command-line-args-left)))
    (setq command-line-args-left nil)
    (with-temp-buffer
      (insert-file-contents queries)
      (goto-char (point-min))
      (let (q)
        (while (setq q (ignore-errors (read (current-buffer))))
          (princ (format "query %d\n" (cl-incf n)))
          (condition-case err
              (dolist (h headings)
                (when (wb-holds q h) (princ (format "%s:%d\n" (h-file h) (h-line h)))))
            (error (princ (format "error %S\n" err)))))))))

;;; oracle.el ends here
