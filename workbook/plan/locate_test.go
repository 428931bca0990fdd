package plan

import (
	"slices"
	"testing"
)

func TestWithin(t *testing.T) {
	p := New("x.org", []byte(`#+NAME: one
#+begin_src js
1
#+end_src

#+RESULTS: one
: 1

Text with src_js{2}.
* Totals
:PROPERTIES:
:out: total
:END:
Prose.
#+begin_src js
3
#+end_src
#+CALL: one()
`))
	for _, c := range []struct {
		first, last int
		want        []string
	}{
		{1, 1, []string{"one"}}, {3, 3, []string{"one"}}, {4, 4, []string{"one"}}, {5, 5, nil},
		{7, 7, []string{"one"}}, {8, 8, nil}, {9, 9, []string{"inline-1"}}, {10, 10, []string{"x/totals"}},
		{14, 14, nil}, {16, 16, []string{"x/totals"}}, {18, 18, []string{"call-1"}},
		{1, 9, []string{"one", "inline-1"}}, {1, 100, []string{"one", "inline-1", "x/totals", "call-1"}},
	} {
		var got []string
		for _, comp := range p.Within(c.first, c.last) {
			got = append(got, comp.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("lines %d to %d: %v, want %v", c.first, c.last, got, c.want)
		}
	}
	if p.Document().LineCount() != 18 {
		t.Error("the document is another")
	}
}
