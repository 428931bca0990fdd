package elisp

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// hostilePrograms try to get out, to stay for ever or to take everything. Each
// ends with what is said of it, or with the value that shows it came to nothing.
var hostilePrograms = []struct{ body, want string }{
	{`(while t)`, "fuel limit"},
	{`(condition-case nil (while t) (error 1))`, "fuel limit"},
	{`(unwind-protect (while t) (while t))`, "fuel limit"},
	{`(let ((inhibit-quit t)) (while t (ignore-errors (error "x"))))`, "limit"},
	{`(let ((i 0)) (while t (setq i (1+ i)) (catch 'a (throw 'a i))))`, "fuel limit"},
	{`(string-match "\\(a*\\)*\\(a*\\)*\\(a*\\)*b" (make-string 100000 ?a))`, "fuel limit"},
	{`(defun wb-f (n) (1+ (wb-f n))) (wb-f 1)`, "max-"},
	{`(setq max-lisp-eval-depth 10000000 max-specpdl-size 10000000) (defun wb-f (n) (1+ (wb-f n))) (wb-f 1)`, "limit"},
	{`(setq max-lisp-eval-depth 10000000 max-specpdl-size 10000000) (defun wb-f (n) (ignore-errors (1+ (wb-f n)))) (wb-f 1)`, "limit"},
	{`(read (make-string 1000000 ?\())`, "limit"},
	{`(let (a b) (dotimes (_ 2000000) (setq a (list a) b (list b))) (equal a b))`, "limit"},
	{`(make-string 1000000000 ?a)`, "memory limit"},
	{`(make-vector 500000000 0)`, "Memory exhausted"},
	{`(make-bool-vector 100000000000 t)`, "Memory exhausted"},
	{`(let (l) (while t (push (make-vector 1000 0) l)))`, "memory limit"},
	{`(dotimes (i 100000000) (make-string 100 ?a))`, "memory limit"},
	{`(let ((n 0)) (while t (setq n (1+ (length (split-string "a b c d e f g h i j k l m n"))))))`, "limit"},
	{`(let ((s "ab")) (while t (setq s (concat s s))))`, "memory limit"},
	{`(with-temp-buffer (while t (insert (make-string 100000 ?x))))`, "memory limit"},
	{`(let ((h (make-hash-table))) (dotimes (i 100000000) (puthash i (make-string 100 ?x) h)))`, "limit"},
	{`(expt 7 1000000000)`, "overflow"},
	{`(let ((n 3)) (while t (setq n (* n n))))`, "overflow"},
	{`(call-process "ls" nil t)`, "Searching for program: No such file or directory, ls"},
	{`(call-process "/bin/sh" nil t nil "-c" "id")`, "Searching for program: No such file or directory, /bin/sh"},
	{`(shell-command-to-string "id")`, "Searching for program: No such file or directory, /bin/sh"},
	{`(start-process "a" nil "ls")`, "Emacs was compiled without subprocess support"},
	{`(make-process :name "a" :command '("ls"))`, "Symbol’s function definition is void: make-process"},
	{`(make-network-process :name "x" :host "example.com" :service 80)`, "Symbol’s function definition is void: make-network-process"},
	{`(open-network-stream "x" nil "example.com" 80)`, "Emacs was compiled without networking support"},
	{`(url-retrieve-synchronously "http://example.com")`, "Contacting host: example.com:80"},
	{`(delete-file "/etc/passwd") (insert-file-contents "/etc/passwd")`, "No such file or directory, /etc/passwd"},
	{`(insert-file-contents "../../../../../../etc/passwd")`, "No such file or directory, /etc/passwd"},
	{`(make-symbolic-link "/etc/passwd" "link" t) (insert-file-contents "link")`, "link"},
	{`(delete-directory "/usr" t) (file-exists-p "/usr/share/emacs/28.2/lisp/simple.elc")`, `"t"`},
	{`(write-region "x" nil "/usr/share/emacs/28.2/lisp/simple.elc")`, "Read-only file system"},
	{`(dotimes (i 100) (with-temp-file (format "f%d" i) (insert (make-string 1000000 ?x))))`, "No space left on device"},
	{`(getenv "SSH_AUTH_SOCK")`, "null"},
	{`(list (user-login-name) (system-name) (user-uid))`, `["user","localhost",1000]`},
	{`(kill-emacs 3)`, "exit 3"},
	{`(kill-emacs)`, "exit 0"},
	{`(signal-process 1 9)`, "Symbol’s function definition is void: signal-process"},
	{`(read-string "name: ")`, "Error reading from stdin"},
	{`(read-event)`, "null"},
	{`(recursive-edit)`, "top level"},
	{`(make-frame)`, "Unknown terminal type"},
	{`(suspend-emacs)`, "in abort"},
	{`(load "/etc/profile")`, "Cannot open load file"},
	{`(dump-emacs-portable "x")`, "Symbol’s function definition is void: dump-emacs-portable"},
	{`(module-load "/lib/x.so")`, "Symbol’s function definition is void: module-load"},
	{`(fset 'wb--answer nil) (fset 'eval nil) 1`, "1"},
	{`(aset (symbol-function 'wb--answer) 1 "\300\300\300")`, "answer"},
	{`(funcall (make-byte-code 0 "\300\207\377\377" [] 9))`, ""},
}

func TestHostilePrograms(t *testing.T) {
	l := testLane(t)
	for _, c := range hostilePrograms {
		t.Run("", func(t *testing.T) {
			job := &compile.Job{Limits: sandbox.Limits{Fuel: 100_000_000, Memory: 48 << 20, Timeout: -1, Files: 8 << 20}}
			out, err := lanetest.Execute(t, l, block(c.body), job)
			got := lanetest.Complaint(out, err)
			if got == "" {
				got = out.Value.String()
			}
			if out != nil && err == nil && len(out.Stderr) == 0 && out.Value.IsNull() && strings.HasPrefix(c.body, "(kill") {
				got = "exit " + string(rune('0'+out.Exit))
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s: got %q, want %q", c.body, got, c.want)
			}
		})
	}
	// The next block finds everything as it was.
	lanetest.MustExecute(t, l, block(`(require 'org)`), nil)
}
