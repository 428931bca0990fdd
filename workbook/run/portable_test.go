package run

import (
	"strings"
	"testing"
)

// TestOffprintsObeyEval: what the document says must not run is not laid out for
// readers to run, however it is said and whatever the dialect of the component.
func TestOffprintsObeyEval(t *testing.T) {
	const text = `* Heading
:PROPERTIES:
:in: v
:out: w
:END:
#+begin_src ARGS
export function heading(v) { return {w: v + 1} }
#+end_src
* Source
:PROPERTIES:
:out: v
:END:
#+begin_src json
1
#+end_src
* Flow :workflow:
** Step :component:
#+begin_src ARGS :out a
console.log("x")
#+end_src
* Plain
#+NAME: block
#+begin_src ARGS :var x=1
return x
#+end_src
#+CALL: block(2)
`
	for _, c := range []struct {
		head, args string
		want       int
	}{
		{"", "js", 4},
		{"", "js :eval yes", 4},
		{"", "js :eval never", 0},
		{"", "js :eval no", 0},
		{"", `js :eval "never"`, 0},
		{"", "js :noeval", 0},
		{"#+PROPERTY: header-args :eval never\n", "js", 0},
		{"#+PROPERTY: header-args:js :eval no\n", "js", 0},
	} {
		src := c.head + strings.ReplaceAll(text, "ARGS", c.args)
		list, err := Offprints(t.Context(), Book{File: t.TempDir() + "/a.org", Source: []byte(src), Lanes: testLanes(t)})
		if err != nil {
			t.Errorf("%q %q: %v", c.head, c.args, err)
		}
		if len(list) != c.want {
			t.Errorf("%q %q: %d offprints, want %d", c.head, c.args, len(list), c.want)
		}
	}
}
