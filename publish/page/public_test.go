package page

import (
	"context"
	"strings"
	"testing"
)

const secretive = `#+TITLE: Mine
# a comment: canary
* Shown
SCHEDULED: <2026-11-21 Sat>
:PROPERTIES:
:NOTE: canary
:END:
:LOGBOOK:
- canary
:END:
Text.
#+begin_src js :exports none
"canary"
#+end_src
#+NAME: kept
#+begin_src js :exports code
"kept"
#+end_src

#+RESULTS: kept
: canary

#+begin_comment
canary
#+end_comment
** Deeper :noexport:
canary
* COMMENT Draft
canary
* Last
The end.
`

func TestPublicSource(t *testing.T) {
	view := func(show string) string {
		p, _, err := Fragment(context.Background(), "mine.org", []byte(secretive), Options{Show: show})
		if err != nil {
			t.Fatal(err)
		}
		return p.View
	}
	got := view(ShowExported)
	if strings.Contains(got, "canary") {
		t.Errorf("the source shows what readers are not to see:\n%s", got)
	}
	for _, want := range []string{"source-L1\"", "Text.", "#+NAME: kept", "source-L11\"", "The end.", "* Last"} {
		if !strings.Contains(got, want) {
			t.Errorf("the source lacks %q:\n%s", want, got)
		}
	}
	if n := strings.Count(view(ShowFull), "canary"); n != strings.Count(secretive, "canary") {
		t.Errorf("the full source has %d canaries", n)
	}
	if view(ShowNone) != "" {
		t.Error("there is a source")
	}
}
