package page

import (
	"strings"
	"testing"
)

// TestNothingOfTheAuthors plants words that are for the author alone. None may be
// on the page or in the source that readers see, whose lines keep their numbers.
func TestNothingOfTheAuthors(t *testing.T) {
	const text = `#+TITLE: Report
#+EMAIL: canary@example.org
#+MACRO: used seen $1
#+MACRO: unused canary
#+MACRO: outer {{{used(x)}}}
#+LATEX_HEADER: \usepackage{canary}
#+OPTIONS: d:(not "LOGBOOK" "PRIVATE")
#+PROPERTY: header-args:sh :session canary :dir /home/canary/work

A word@@comment: canary@@ and {{{outer}}}, then src_sh[:session canary]{echo 1}.
# canary

#+begin_src sh :session canary :tangle /home/canary/a.sh :exports code
echo visible
#+end_src

#+begin_export latex
canary
#+end_export

#+begin_export html
<b>bold</b>
#+end_export

:PRIVATE:
canary
:END:
* Kept back :noexport:
canary
* Done
:PROPERTIES:
:WHO: canary
:END:
:LOGBOOK:
- canary
:END:
last line
`
	p, _, err := Fragment(t.Context(), "report.org", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, html := range map[string]string{"page": p.Header + p.Body + p.TOC + p.Provenance, "source": p.View} {
		if at := strings.Index(html, "canary"); at >= 0 {
			t.Errorf("the %s has %q", name, html[max(0, at-80):min(len(html), at+40)])
		}
	}
	for _, want := range []string{"echo visible", "A word and", "&lt;b&gt;bold", "#+MACRO: used", "#+MACRO: outer", `id="source-L37">last line`} {
		if !strings.Contains(p.View, want) {
			t.Errorf("the source has no %q:\n%s", want, p.View)
		}
	}

	full, _, err := Fragment(t.Context(), "report.org", []byte(text), Options{Show: ShowFull})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(full.View, "canary"); n != strings.Count(text, "canary") {
		t.Errorf("asked for in full, the source has %d of the words", n)
	}
	shown, _, err := Fragment(t.Context(), "report.org", []byte("#+EMAIL: ada@example.org\n#+OPTIONS: email:t\nText.\n"), Options{})
	if err != nil || !strings.Contains(shown.View, "ada@example.org") {
		t.Errorf("an address that is on the page is not in the source: %v %s", err, shown.View)
	}
}
