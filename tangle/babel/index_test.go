package babel

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wb/internal/test/emacs"
)

// TestPlacesLikeEmacs asks Emacs which elements an index chooses.
func TestPlacesLikeEmacs(t *testing.T) {
	portions := []string{"", "*", "0", "2", "-1", "-4", "-9", "9", "1:", ":1", ":", "1:2", "0:-1", "-2:-1", "2:1", "x", "1:x", " 1", "1 ", " 1:2 ", "1:2:3", "x1:2", "+2", "2:9", "-", "a*b"}
	dir := t.TempDir()
	var el strings.Builder
	el.WriteString("(require 'org) (require 'ob)\n(with-temp-file \"" + dir + "/out\"\n")
	for _, p := range portions {
		fmt.Fprintf(&el, "(insert (format \"%%S\\n\" (let ((l (org-babel-ref-index-list %q '(0 1 2 3)))) (if (listp l) l (list l)))))\n", p)
	}
	el.WriteString(")\n")
	if err := os.WriteFile(dir+"/index.el", []byte(el.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	emacs.Need(t).Run(t, dir+"/index.el")
	out, err := os.ReadFile(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(portions) {
		t.Fatalf("%d answers to %d portions: %s", len(lines), len(portions), out)
	}
	for i, p := range portions {
		if p == "" { // an empty index is not an index
			continue
		}
		var texts []string
		for _, at := range Places(p, 4) {
			if at < 4 {
				texts = append(texts, strconv.Itoa(at))
			} else {
				texts = append(texts, "nil")
			}
		}
		got := "(" + strings.Join(texts, " ") + ")"
		if len(texts) == 0 || slices.Equal(texts, []string{"nil"}) {
			got = "nil"
		}
		want := strings.TrimSuffix(strings.ReplaceAll(lines[i], " nil", ""), ")")
		if strings.TrimSuffix(strings.ReplaceAll(got, " nil", ""), ")") != want {
			t.Errorf("%q: got %s, Emacs has %s", p, got, lines[i])
		}
	}
}
