package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An exec shape means the same on a block of its own and below a heading, and
// what cannot be had is refused by name.
func TestExecShapes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"babel task", "#+NAME: a\n#+begin_src sh :exec task :var who=\"Ann\" n=3\necho \"$1-$2-$(cat)\"\n#+end_src\n", `: Ann-3-{"who":"Ann","n":3}`},
		{"called task", "#+NAME: a\n#+begin_src sh :exec task :var who=\"Ann\" n=3 :eval never-export\necho \"$1-$2\"\n#+end_src\n\n#+CALL: a(who=\"Bob\")\n", ": Bob-3"},
		{"babel command", "#+begin_src sh :exec command :var who=\"Ann\"\necho \"$1-$(cat)\"\n#+end_src\n", ": -Ann"},
		{"heading task", "* T\n:PROPERTIES:\n:in: who\n:default-who: Ann\n:exec: task\n:END:\n#+begin_src sh\necho \"$1-$(cat)\"\n#+end_src\n", ": Ann-Ann"},
		{"heading posix", "* T\n:PROPERTIES:\n:in: who\n:default-who: Ann\n:exec: posix\n:END:\n#+begin_src sh\necho\n#+end_src\n", ":exec posix is refused"},
		{"babel posix", "#+begin_src sh :exec posix\necho\n#+end_src\n", ":exec posix is refused"},
		{"babel kernel", "#+begin_src sh :exec kernel\necho\n#+end_src\n", "sh has no exec shape kernel"},
		{"heading kernel", "* T\n:PROPERTIES:\n:in: who\n:default-who: Ann\n:exec: kernel\n:END:\n#+begin_src sh\necho\n#+end_src\n", "sh has no exec shape kernel"},
		{"task in Lisp", "#+begin_src emacs-lisp :exec task\n1\n#+end_src\n", ":exec task runs shell recipes, but this block is emacs-lisp"},
		{"unknown", "#+begin_src sh :exec kernle\necho\n#+end_src\n", "unknown :exec kernle"},
		{"inline", "text src_sh[:exec posix]{echo} text\n", ":exec posix is refused"},
		{"the block wins", "* T\n:PROPERTIES:\n:in: who\n:default-who: Ann\n:exec: posix\n:END:\n#+begin_src sh :exec command\necho \"$(cat)\"\n#+end_src\n", ": Ann"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "doc.org")
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			report, err := Run(t.Context(), Options{Book: Book{File: file, Lanes: testLanes(t)}})
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			said := string(text)
			for _, d := range report.Components {
				if d.Err != nil {
					said += d.Err.Error() + "\n"
				}
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("want %q in\n%s", c.want, said)
			}
		})
	}
}
