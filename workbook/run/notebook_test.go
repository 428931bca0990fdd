package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notebook is a workbook in a directory of its own, for tests.
type notebook struct {
	t    testing.TB
	file string
	lane *fakeLane
	opts Options
}

func newNotebook(t testing.TB, text string) *notebook {
	t.Helper()
	n := &notebook{t: t, file: filepath.Join(t.TempDir(), "doc.org"), lane: jsonLane()}
	n.write(text)
	n.opts = Options{Book: BookAt(n.file, nil, testLanes(t, n.lane))}
	return n
}

func (n *notebook) write(text string) {
	n.t.Helper()
	if err := os.WriteFile(n.file, []byte(text), 0o644); err != nil {
		n.t.Fatal(err)
	}
}

func (n *notebook) text() string {
	n.t.Helper()
	data, err := os.ReadFile(n.file)
	if err != nil {
		n.t.Fatal(err)
	}
	return string(data)
}

// run runs the notebook and returns how each component ended, as "id:status".
func (n *notebook) run() (*Report, string) {
	n.t.Helper()
	report, err := Run(context.Background(), n.opts)
	if err != nil {
		n.t.Fatal(err)
	}
	return report, statuses(report)
}

func statuses(r *Report) string {
	var all []string
	for _, d := range r.Components {
		all = append(all, d.ID+":"+string(d.Status))
	}
	return strings.Join(all, " ")
}

const diamond = `#+NAME: top
#+begin_src toy
return 1
#+end_src

#+NAME: left
#+begin_src toy :var x=top
sum x
#+end_src

#+NAME: right
#+begin_src toy :var x=top y=2
sum x y
#+end_src

#+NAME: bottom
#+begin_src toy :var l=left r=right
sum l r
#+end_src

#+NAME: apart
#+begin_src toy
return "apart"
#+end_src
`
