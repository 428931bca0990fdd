//go:build long

package world

import (
	"regexp"
	"slices"
	"strings"

	"wb/internal/test/emacs"
)

// lostBlank is the one fault of Emacs's export that is counted apart: the macro of Org's
// manuals for keys ends in a snippet for Texinfo, and Org's HTML exporter takes the blank
// behind it along. Its Texinfo exporter keeps it.
const (
	lostBlank = "<p> TAB(org-cycle) </p>"
	keptBlank = "@kbd{@key{TAB}} (org-cycle)"
)

// blankAfterKey is a blank behind a key's name.
var blankAfterKey = regexp.MustCompile(`\b(BS|TAB|RET|ESC|SPC|DEL|LFD|DELETE|SHIFT|Ctrl|Meta|Alt|Cmd|Super|UP|LEFT|RIGHT|DOWN) +`)

// showFaults asks Emacs whether it still makes the mistakes that are counted apart.
func (d *domWorld) showFaults(e *emacs.Emacs) {
	d.t.Helper()
	out, err := e.Command("-l", "testdata/faults.el").Output()
	if err != nil {
		d.t.Fatalf("testdata/faults.el: %v", err)
	}
	html, texinfo, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	if !strings.Contains(html, lostBlank) || !strings.Contains(texinfo, keptBlank) {
		d.t.Fatalf("Emacs no longer loses the blank behind a key: HTML %q, Texinfo %q", html, texinfo)
	}
}

// faulty counts the texts that differ by a fault of Emacs's alone.
func faulty(ours, theirs []string) (n int) {
	left := slices.Clone(theirs)
	without := func(s string) string { return blankAfterKey.ReplaceAllString(s, "$1") }
	for _, s := range ours {
		same := func(other string) bool { return other != s && without(other) == without(s) }
		if i := slices.IndexFunc(left, same); i >= 0 {
			left = slices.Delete(left, i, i+1)
			n++
		}
	}
	return n
}
