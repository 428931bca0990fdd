package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDirectoryOrder runs blocks that share a directory and have no value in
// common, the first of them slow: it must not see what the later ones write,
// and each of those must see what came before, however they name the directory.
func TestDirectoryOrder(t *testing.T) {
	const text = `#+NAME: early
#+begin_src toy :dir sub
sleep 3
read sub/a/out.txt
#+end_src

#+NAME: writer
#+begin_src toy :results file link :dir ./sub/a/ :file out.txt
write sub/a/out.txt written
#+end_src

#+NAME: late
#+begin_src toy :dir sub
read sub/a/out.txt
#+end_src

#+NAME: elsewhere
#+begin_src toy :results file link :file sub/a/out.txt
sleep 3
write sub/a/out.txt again
#+end_src

#+NAME: last
#+begin_src toy :dir "sub/a"
read sub/a/out.txt
#+end_src
`
	for round := range 20 {
		n := newNotebook(t, text)
		if err := os.MkdirAll(filepath.Join(filepath.Dir(n.file), "sub/a"), 0o755); err != nil {
			t.Fatal(err)
		}
		n.opts.Jobs = 8
		report, got := n.run()
		if got != "early:failed writer:ok late:ok elsewhere:ok last:ok" {
			t.Fatalf("round %d: %s", round, got)
		}
		if late, last := report.Components[2].Value.Text(), report.Components[4].Value.Text(); late != "written" || last != "again" {
			t.Fatalf("round %d: late read %q, last read %q", round, late, last)
		}
	}
}

// TestDirectoryOrderIsNoNeed checks that sharing a directory adds nothing to
// what a block needs: not to the plan, and not to what a run of it alone runs.
func TestDirectoryOrderIsNoNeed(t *testing.T) {
	n := newNotebook(t, "#+NAME: a\n#+begin_src toy :dir . :mkdirp yes\nfail 1 no\n#+end_src\n\n#+NAME: b\n#+begin_src toy :dir .\nreturn 2\n#+end_src\n")
	n.opts.Only = []string{"b"}
	report, got := n.run()
	if got != "b:ok" || len(report.Plan.Edges) != 0 {
		t.Errorf("got %s with %d edges", got, len(report.Plan.Edges))
	}
	n.opts.Only = nil
	if _, got := n.run(); got != "a:failed b:cached" {
		t.Errorf("got %s", got)
	}
}

// TestDirectoryOrderNeverWaitsForItself has values that flow against the order
// of the document, below a cycle and beside it.
func TestDirectoryOrderNeverWaitsForItself(t *testing.T) {
	var text strings.Builder
	block := func(name, vars string) {
		fmt.Fprintf(&text, "#+NAME: %s\n#+begin_src toy :dir . %s\nreturn 1\n#+end_src\n\n", name, vars)
	}
	block("first", ":var x=last")
	block("below", ":var x=round y=under")
	block("round", ":var x=about")
	block("about", ":var x=round")
	block("under", ":var x=round")
	block("last", "")
	n := newNotebook(t, text.String())
	n.opts.Jobs = 4
	if _, got := n.run(); got != "first:ok below:blocked round:failed about:failed under:blocked last:ok" {
		t.Errorf("got %s", got)
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"/a", "/a", true}, {"/a", "/a/b", true}, {"/a/b", "/a", true}, {"/", "/a", true}, {"/a", "/ab", false}, {"/a/b", "/a/c", false}} {
		if got := overlap(c.a, c.b); got != c.want {
			t.Errorf("overlap(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
