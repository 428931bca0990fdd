package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/workbook/lint"
	"wb/workbook/plan"
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
			n.opts.Lint = func(p *plan.Plan) []diag.Finding { return lint.Plan(p, lint.Options{Languages: n.opts.Lanes}) }
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
			if _, err := Run(context.Background(), n.opts); diag.HasErrors(report.Findings) != errors.As(err, &wrong) {
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
		"blocked: after: it needs bad, which failed",
		"skipped: block-1, block-2: no lane runs fortran",
	}
	if got := report.Reasons(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSiblingWorkflows makes sure that a workflow's component does not take the
// output of another workflow beside it.
func TestSiblingWorkflows(t *testing.T) {
	p := plan.New("doc.org", []byte(`* One :workflow:
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

// TestRecordedLinkStays: a picture that an earlier run made stays as well, though no value
// can be read from a link.
func TestRecordedLinkStays(t *testing.T) {
	n := newNotebook(t, "#+NAME: x\n#+begin_src toy :results output file :file new.png\nfail 127 bash: line 1: gcc: command not found\n#+end_src\n\n#+RESULTS: x\n[[file:old.png]]\n")
	n.run()
	if !strings.Contains(n.text(), "#+RESULTS: x\n[[file:old.png]]\n") {
		t.Errorf("got:\n%s", n.text())
	}
}

// TestRecordedResultsStay makes sure that a result in the document outlives a run
// that could not make a better one for a reason of wb's.
func TestRecordedResultsStay(t *testing.T) {
	const recorded = "\n\n#+RESULTS: x\n: recorded\n"
	for name, c := range map[string]struct {
		block, want string
	}{
		"missing tool":         {"fail 127 bash: line 1: gcc: command not found", ": recorded\n"},
		"missing tool, exit 0": {"fail 0 bash: line 1: fmt: command not found\nreturn 0", ": recorded\n"},
		"fails by itself":      {"print said\nfail 1 oops", ": said\n"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t, "#+NAME: x\n#+begin_src toy :results output\n"+c.block+"\n#+end_src"+recorded)
			report, _ := n.run()
			if !strings.Contains(n.text(), "#+RESULTS: x\n"+c.want) {
				t.Errorf("got:\n%s", n.text())
			}
			if c.want == ": recorded\n" && !strings.Contains(fmt.Sprint(report.Components[0].Warnings), "the recorded result stays") {
				t.Errorf("no note: %v", report.Components[0].Warnings)
			}
		})
	}
}

// TestFileOfOneBlock makes sure that a :file that cannot be written, or lies
// outside, fails its own block alone.
func TestFileOfOneBlock(t *testing.T) {
	for file, want := range map[string]string{
		"taken/x.txt":     "taken/x.txt cannot be written",
		"../../x/y.txt":   "lies outside the workbook's directory",
		"sub/../../y.txt": "lies outside the workbook's directory",
	} {
		n := newNotebook(t, "#+begin_src toy\nreturn 1\n#+end_src\n\n#+begin_src toy :results file :file "+file+"\nreturn \"text\"\n#+end_src\n")
		dir := filepath.Dir(n.file)
		if err := os.Symlink("/etc", filepath.Join(dir, "taken")); err != nil {
			t.Fatal(err)
		}
		report, got := n.run()
		if got != "block-1:ok block-2:failed" || !strings.Contains(n.text(), "#+RESULTS:\n: 1\n") {
			t.Errorf("%s: %s\n%s", file, got, n.text())
			continue
		}
		if err := report.Components[1].Err.Error(); !strings.Contains(err, want) || !strings.HasPrefix(err, n.file+":5:") {
			t.Errorf("%s: %s", file, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
			t.Errorf("%s was written inside", file)
		}
	}
}

// TestResultsReachTheFile makes sure that a result is in the file while the run
// goes on with others.
func TestResultsReachTheFile(t *testing.T) {
	n := newNotebook(t, "#+NAME: first\n#+begin_src toy\nreturn 1\n#+end_src\n\n#+NAME: last\n#+begin_src toy :var x=first\nwait\n#+end_src\n")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, n.opts)
		ended <- err
	}()
	for !strings.Contains(n.text(), "#+RESULTS: first\n: 1\n") {
		select {
		case err := <-ended:
			t.Fatalf("the run ended first: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAppendedOnce makes sure that a result that is added to others is added once,
// also when the run was killed before it had written it.
func TestAppendedOnce(t *testing.T) {
	n := newNotebook(t, "#+NAME: x\n#+begin_src toy :results append\nreturn \"one\"\n#+end_src\n\n#+RESULTS: x\n: zero\n")
	before := n.text()
	n.run()
	want := n.text()
	if n.run(); n.text() != want {
		t.Errorf("twice:\n%s", n.text())
	}
	n.write(before) // the outcome is kept, the text was never written
	if err := os.RemoveAll(filepath.Join(filepath.Dir(n.file), ".wb", "last")); err != nil {
		t.Fatal(err)
	}
	n.opts.Cache = CacheBeside(n.file)
	if n.run(); n.text() != want {
		t.Errorf("lost:\n%s", n.text())
	}
	if err := os.RemoveAll(filepath.Join(filepath.Dir(n.file), ".wb", "last")); err != nil {
		t.Fatal(err)
	}
	n.opts.Cache = CacheBeside(n.file) // the text was written, and nobody noted that
	if n.run(); n.text() != want {
		t.Errorf("twice after a kill:\n%s", n.text())
	}
}

// TestQueueTime makes sure that the time a component waits for its slot is in a
// field of its own, and that what a successful program says on standard error is
// in its event.
func TestQueueTime(t *testing.T) {
	n := newNotebook(t, strings.Repeat("#+begin_src toy\nsleep 5\nfail 0 be careful\nreturn 1\n#+end_src\n\n", 16))
	n.opts.Jobs = 1
	var mu sync.Mutex
	var queued, stderr int
	n.opts.Trace = trace.SinkFunc(func(e trace.Event) error {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range e.Props {
			switch {
			case p.Name == trace.PropQueued:
				queued++
			case p.Name == trace.PropStderr && p.Value == "be careful":
				stderr++
			}
		}
		return nil
	})
	report, _ := n.run()
	var worked, waited time.Duration
	for _, d := range report.Components {
		worked, waited = worked+d.Duration, waited+d.Queued
	}
	if worked > 2*report.Duration || waited < worked || queued < 8 || stderr != 16 {
		t.Errorf("worked %v, waited %v of a run of %v; %d and %d events", worked, waited, report.Duration, queued, stderr)
	}
}
