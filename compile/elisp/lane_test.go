package elisp

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

// testLane is the lane, where Emacs is installed.
func testLane(t testing.TB) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	l := New(env, clang.New(env))
	lanetest.Need(t, env, l.Info().Toolchains...)
	return l
}

// block is a block in babel shape with words of :results.
func block(body string, results ...string) *compile.Source {
	src := lanetest.Block("emacs-lisp", compile.ShapeBabel, body)
	src.Results = results
	return src
}

func TestResults(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct {
		body, results, want string
	}{
		{`(+ 1 2)`, "", `3`},
		{`(concat "a" "b")`, "", `"ab"`},
		{`(list 1 nil t 'sym 2.5 "s" [1 2])`, "", `[1,"nil","t","sym",2.5,"s","[1 2]"]`},
		{`(list 1 "s" '(1 . 2))`, "", `"(1 s (1 . 2))"`}, // Org makes no table of pairs
		{`'((a 1) hline (b nil))`, "", `[["a",1],{"$hline":true},["b","nil"]]`},
		{`nil`, "", `null`},
		{`'((a . 1))`, "verbatim", `"((a . 1))"`},
		{`'((a . 1) (b))`, "", `"((a . 1) (b))"`},
		{`'(a 'b (c #'d))`, "", `["a","'b","(c #'d)"]`},
		{`'((1 nil) (t [x "y"]))`, "", `[[1,"nil"],["t","[x y]"]]`},
		{`'((nil nil) (t t))`, "", `[["nil","nil"],["t","t"]]`},
		{`'(a 'b nil)`, "list", `["a",["quote","b"],"nil"]`},
		{`"text"`, "verbatim", `"\"text\""`},
		{`"text"`, "raw", `"text"`},
		{`(princ "one") (print 2)`, "output", `"one\n2\n"`},
		{`'(a (b c))`, "pp", `"(a\n (b c))\n"`},
		{`(setq x 1) (setq y (+ x 1)) (* x y)`, "", `2`},
		{`(expt 2 100)`, "", `"1267650600228229401496703205376"`},
		{`(condition-case e (error "x %d" 1) (error (cadr e)))`, "", `"x 1"`},
		{`(let ((n 0)) (dotimes (i 3) (ignore-errors (setq n (1+ n)) (car n))) n)`, "", `3`},
		{`(catch 'a (catch 'b (throw 'a 1)) 2)`, "", `1`},
		{`(require 'calc) (calc-eval "1/3 + 1/6")`, "", `"0.5"`},
		{`(with-temp-buffer (insert "* A :x:\n** B\n") (org-mode) (org-map-entries (lambda () (org-get-heading t t))))`, "", `["A","B"]`},
		{`(with-temp-file "f" (insert "é")) (with-temp-buffer (insert-file-contents "f") (buffer-string))`, "", `"é"`},
		{`(org-export-string-as "*b*" 'html t)`, "verbatim", "\"\\\"<p>\\n<b>b</b></p>\\n\\\"\""},
	} {
		out := lanetest.MustExecute(t, l, block(c.body, strings.Fields(c.results)...), nil)
		want, err := value.ParseJSON([]byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		if !value.Equal(out.Value, want) {
			t.Errorf("%s: got %s, want %s", c.body, out.Value, want)
		}
	}
}

func TestVariables(t *testing.T) {
	l := testLane(t)
	src := block(`(list (1+ n) (upcase s) (mapcar #'car rows))`)
	src.Vars = lanetest.LispVars(t, `((n . 4) (s . "a\"b\\") (rows . (("x" 1) ("y" 2))))`)
	out := lanetest.MustExecute(t, l, src, nil)
	if want := `[5,"A\"B\\",["x","y"]]`; out.Value.String() != want {
		t.Errorf("got %s, want %s", out.Value, want)
	}
}

func TestLexical(t *testing.T) {
	l := testLane(t)
	for word, want := range map[string]string{"no": "2", "yes": "1"} {
		src := block(`(defun wb-x () x) (defvar wb-f) (let ((x 1)) (setq wb-f (lambda () x))) (let ((x 2)) (funcall wb-f))`)
		src.Args["lexical"] = []string{word}
		if out := lanetest.MustExecute(t, l, src, nil); out.Value.String() != want {
			t.Errorf(":lexical %s: got %s, want %s", word, out.Value, want)
		}
	}
}

// Errors stand where the form is that fails; code that cannot be read fails
// before it runs.
func TestErrorPlaces(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, want string }{
		{"(setq a 1)\n\n  (car a)", "a.org:12:3: Wrong type argument: listp, 1"},
		{"(message \"said\")\n(no-such-function)", "a.org:11:1: Symbol’s function definition is void: no-such-function\nsaid"},
		{"(+ 1\n 2", "a.org:10:1: error: End of file during parsing"},
		{"1\n)", "a.org:11:1: error: Invalid read syntax: \")\""},
		{"(signal 'quit nil)", "a.org:10:1: Quit"},
		{"(throw 'nobody 1)", "a.org:10:1: No catch for tag: nobody, 1"},
	} {
		out, err := lanetest.Execute(t, l, block(c.body), nil)
		if got := strings.TrimSpace(lanetest.Complaint(out, err)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.body, got, c.want)
		}
	}
}

// A block without a session starts afresh; those of a session share an Emacs.
func TestSessions(t *testing.T) {
	l := testLane(t)
	set, get := block(`(setq wb-kept 42)`), block(`(if (boundp 'wb-kept) wb-kept "none")`)
	lanetest.MustExecute(t, l, set, nil)
	if out := lanetest.MustExecute(t, l, get, nil); out.Value.Text() != "none" {
		t.Errorf("a fresh block finds %s", out.Value)
	}
	lanetest.MustExecute(t, l, set, &compile.Job{Session: "s"})
	if out := lanetest.MustExecute(t, l, get, &compile.Job{Session: "s"}); out.Value.Int() != 42 {
		t.Errorf("a block of the session finds %s", out.Value)
	}
	if err := compile.CloseSession(t.Context(), l, "s"); err != nil {
		t.Fatal(err)
	}
}

// The current buffer is the document, and point is at the block.
func TestDocument(t *testing.T) {
	l := testLane(t)
	src := block(`(list (buffer-name) (org-entry-get (point) "Owner") (org-get-heading t t) (looking-at "#\\+begin_src"))`)
	text := "#+TITLE: é\n* Head\n:PROPERTIES:\n:Owner: me\n:END:\n#+begin_src emacs-lisp\n#+end_src\n"
	src.Document = &compile.Document{Name: "book.org", Text: text, Point: strings.Index(text, "#+begin_src")}
	if !l.(compile.DocumentReader).ReadsDocument(src) {
		t.Error("the block does not seem to read its document")
	}
	if out := lanetest.MustExecute(t, l, src, nil); out.Value.String() != `["book.org","me","Head","t"]` {
		t.Errorf("got %s", out.Value)
	}
}

func TestSameEveryTime(t *testing.T) {
	lanetest.SameEveryTime(t, testLane(t), block(`(list (random 1000000) (format-time-string "%s") (emacs-pid) (make-temp-file "x"))`), 3)
}

func TestCapabilities(t *testing.T) {
	lanetest.ObeysCaps(t, testLane(t), block(`(print (random most-positive-fixnum))`), block(`(princ (format-time-string "%Y\n"))`))
}

func TestLimits(t *testing.T) {
	l := testLane(t)
	small := sandbox.Limits{Fuel: 50_000_000, Memory: 16 << 20}
	lanetest.Breaks(t, l, block(`(condition-case nil (while t) (error 1))`), small, sandbox.LimitFuel)
	lanetest.Breaks(t, l, block(`(let (l) (while t (push (make-vector 1000 0) l)))`), small, sandbox.LimitMemory)
	lanetest.Breaks(t, l, block(`(make-string 1000000000 ?a)`), small, sandbox.LimitMemory)
}
