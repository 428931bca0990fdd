package workbook

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wb/internal/diag"
)

// TestErrorStopsWhatItTouches runs documents with one mistake each. What the
// mistake concerns fails or is skipped, what needs that is blocked, and the
// rest runs and is written.
func TestErrorStopsWhatItTouches(t *testing.T) {
	const good = "\n#+NAME: good\n#+begin_src toy\nreturn 1\n#+end_src\n"
	for name, c := range map[string]struct{ text, want string }{
		"link":       {"See [[#nowhere]] and [[file:missing.org]].\n" + good, "good:ok"},
		"duplicate":  {"#+NAME: a\n| 1 |\n\n#+NAME: a\n| 2 |\n" + good, "good:ok"},
		"open block": {good + "\n#+begin_box\ntext\n", "good:ok"},
		"drawer":     {"* H\ntext\n:PROPERTIES:\n:A: 1\n:END:\n" + good, "good:ok"},
		"planning":   {"* H\nSCHEDULED: <2026-01-01 Thu>\nDEADLINE: <2026-01-01 Thu>\n" + good, "good:ok"},
		"var":        {"#+NAME: bad\n#+begin_src toy :var x=zzz\ninput x\n#+end_src\n" + good, "bad:failed good:ok"},
		"post":       {"#+NAME: bad\n#+begin_src toy :post zzz(x=*this*)\nreturn 1\n#+end_src\n" + good, "bad:failed good:ok"},
		"noweb":      {"#+NAME: bad\n#+begin_src toy :noweb yes\n<<zzz>>\n#+end_src\n" + good, "bad:failed good:ok"},
		"never":      {"#+NAME: bad\n#+begin_src toy :noweb yes :eval no\n<<zzz>>\n#+end_src\n" + good, "bad:skipped good:ok"},
		"call":       {"#+CALL: zzz()\n" + good, "call-1:failed good:ok"},
		"lob":        {"#+LOB: missing.org\n" + good, "good:ok"},
		"needs": {"#+NAME: bad\n#+begin_src toy :var x=zzz\ninput x\n#+end_src\n\n#+NAME: next\n#+begin_src toy :var x=bad\ninput x\n#+end_src\n" + good,
			"bad:failed next:blocked good:ok"},
		"cycle": {"#+NAME: a\n#+begin_src toy :var x=b\ninput x\n#+end_src\n\n#+NAME: b\n#+begin_src toy :var x=a\ninput x\n#+end_src\n\n" +
			"#+NAME: c\n#+begin_src toy :var x=b\ninput x\n#+end_src\n" + good, "a:failed b:failed c:blocked good:ok"},
		"code cycle": {"#+NAME: a\n#+begin_src toy :noweb yes\n<<b(x=1)>>\n#+end_src\n\n#+NAME: b\n#+begin_src toy :noweb yes\n<<a(x=1)>>\n#+end_src\n\n" +
			"#+CALL: b(x=2)\n" + good, "a:failed b:failed call-1:blocked good:ok"},
		"producers": {"* A\n:PROPERTIES:\n:out: x\n:END:\n#+begin_src toy\nreturn 1\n#+end_src\n* B\n:PROPERTIES:\n:out: x\n:END:\n#+begin_src toy\nreturn 2\n#+end_src\n" +
			"* C\n:PROPERTIES:\n:in: x\n:out: y\n:END:\n#+begin_src toy\ninput x\n#+end_src\n* D\n" + good,
			"doc/a:failed doc/b:failed doc/c:blocked good:ok"},
		"import":   {"* A\n:PROPERTIES:\n:in: x\n:out: y\n:END:\n#+begin_src toy\ninput x\n#+end_src\n* D\n" + good, "doc/a:failed good:ok"},
		"argument": {"* A\n:PROPERTIES:\n:out: y\n:END:\n#+begin_src toy :timeot 3\nreturn 1\n#+end_src\n* D\n" + good, "doc/a:failed good:ok"},
		"no lane": {"#+NAME: lisp\n#+begin_src fortran\nx\n#+end_src\n\n#+RESULTS: lisp\n: kept\n\n#+NAME: uses\n#+begin_src toy :var x=lisp\ninput x\n#+end_src\n" + good,
			"lisp:skipped uses:ok good:ok"},
		"no lane, no result": {"#+NAME: lisp\n#+begin_src fortran\nx\n#+end_src\n\n#+NAME: uses\n#+begin_src toy :var x=lisp\ninput x\n#+end_src\n" + good,
			"lisp:skipped uses:skipped good:ok"},
		"post without lane": {"#+NAME: lisp\n#+begin_src fortran\nx\n#+end_src\n\n#+NAME: uses\n#+begin_src toy :post lisp(x=*this*)\nreturn 2\n#+end_src\n" + good,
			"lisp:skipped uses:skipped good:ok"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t, c.text)
			n.opts.Lint = func(p *Plan) []diag.Finding { return LintPlan(p, LintOptions{Languages: n.opts.Lanes}) }
			report, got := n.run()
			if runs := withoutData(report); runs != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if !strings.Contains(n.text(), "#+RESULTS: good\n: 1\n") {
				t.Errorf("the good block's result is not written:\n%s", n.text())
			}
			if strings.Contains(c.text, ": kept") && !strings.Contains(n.text(), "#+RESULTS: lisp\n: kept\n") {
				t.Errorf("the recorded result is gone:\n%s", n.text())
			}
			n.write(c.text)
			n.opts.Only = []string{"good"}
			if report, got := n.run(); report.Count(StatusOK)+report.Count(StatusCached) != 1 || report.Failed() != nil {
				t.Errorf("good alone: %s", got)
			}
			n.opts.Only, n.opts.Strict = nil, true
			var wrong *PlanError
			if _, err := Run(context.Background(), n.opts); HasErrors(report.Findings) != errors.As(err, &wrong) {
				t.Errorf("strict: %v, findings %v", err, report.Findings)
			}
		})
	}
}

// withoutData is statuses without the values in the document.
func withoutData(r *Report) string {
	var all []string
	for _, one := range strings.Fields(statuses(r)) {
		if !strings.HasSuffix(one, ":data") {
			all = append(all, one)
		}
	}
	return strings.Join(all, " ")
}

// TestReasons checks the lines that close a run.
func TestReasons(t *testing.T) {
	n := newNotebook(t, `#+NAME: bad
#+begin_src toy
fail 3 no luck
#+end_src

#+NAME: after
#+begin_src toy :var x=bad
input x
#+end_src

#+begin_src fortran
x
#+end_src

#+begin_src fortran
y
#+end_src
`)
	report, _ := n.run()
	want := []string{
		"failed: bad: no luck (exit code 3)",
		"blocked: after: bad failed, which it needs",
		"skipped: block-1, block-2: no lane runs fortran",
	}
	if got := report.Reasons(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSiblingWorkflows makes sure that a workflow's component does not take the
// output of another workflow beside it.
func TestSiblingWorkflows(t *testing.T) {
	p := NewPlan("doc.org", []byte(`* One :workflow:
** Make :component:
#+begin_src toy :out total
return 1
#+end_src
* Two :workflow:
** Take :component:
#+begin_src toy :in total :out double
sum total total
#+end_src
`))
	if len(p.Imports) != 1 || p.Imports[0].Name != "total" {
		t.Errorf("imports %v, edges %v", p.Imports, p.Edges)
	}
}
