package tangle

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"wb/internal/textdiff"
	"wb/org"
)

const detangleDoc = `#+TITLE: x
* One
  #+name: helper
  #+begin_src python
    def helper():
        return 1

    # end of helper
  #+end_src
* Two
#+begin_src python :tangle out.py :noweb yes :var n=3
import os
<<helper>>
class A:
    <<helper>>
    x = [<<inline>>]
print(n)
#+end_src

#+name: inline
#+begin_src python
1, 2
#+end_src
* Three
#+begin_src org :tangle notes.org.txt
,* Heading
text
#+end_src
#+begin_src sh :tangle script.sh :comments link :shebang "#!/bin/sh"
echo one
#+end_src
#+begin_src sh :tangle script.sh :comments link
echo two
#+end_src
#+begin_src sh :tangle empty.sh
#+end_src
* Noweb
#+begin_src python :tangle commented.py :noweb yes :comments noweb
first = 0
<<inline>>
#+end_src
`

// planText plans a document whose files lie in /d.
func planText(t testing.TB, text string) map[string]string {
	t.Helper()
	out, err := Plan(context.Background(), org.ParseString(text), Options{File: "/d/doc.org", Run: runForTest})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range out.Files {
		files[strings.TrimPrefix(f.Path, "/d/")] = string(f.Content)
	}
	return files
}

func detangleText(t testing.TB, text string, edited map[string]string, base map[string]string) *Detangled {
	t.Helper()
	var files []Edited
	for name, content := range edited {
		e := Edited{Path: "/d/" + name, Text: []byte(content)}
		if b, ok := base[name]; ok {
			e.Base, e.HasBase = []byte(b), true
		}
		files = append(files, e)
	}
	d, err := Detangle(context.Background(), org.ParseString(text), Options{File: "/d/doc.org", Run: runForTest}, files)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDetangle(t *testing.T) {
	tests := []struct {
		name, file string
		old, new   string // replaced in the tangled file
		want       string // a piece of the new document, "" for a conflict
		reason     string
	}{
		{"a line", "out.py", "import os", "import sys", "import sys\n<<helper>>", ""},
		{"a line of a referenced block", "out.py", "    return 1\n\n# end of helper\nclass", "    return 2\n\n# end of helper\nclass", "        return 2\n", ""},
		{"a line of the second use", "out.py", "        return 1\n    \n", "        return 2\n    \n", "        return 2\n", ""},
		{"a line added", "out.py", "import os\n", "import os\nimport re\n", "import os\nimport re\n<<helper>>", ""},
		{"a line added behind a reference", "out.py", "# end of helper\nclass", "# end of helper\nB = 1\nclass", "<<helper>>\nB = 1\nclass A:", ""},
		{"a line added inside a reference", "out.py", "def helper():\n    return", "def helper():\n    # new\n    return", "    def helper():\n        # new\n        return 1\n", ""},
		{"inline", "out.py", "[1, 2]", "[1, 2, 3]", "1, 2, 3\n#+end_src", ""},
		{"beside an inline reference", "out.py", "[1, 2]", "[1, 2] # list", "x = [<<inline>>] # list", ""},
		{"last line", "out.py", "print(n)\n", "print(n)\nprint(n + 1)\n", "print(n)\nprint(n + 1)\n#+end_src", ""},
		{"a generated line", "out.py", "n=3\n", "n=4\n", "", "header arguments"},
		{"commas", "notes.org.txt", "text\n", "text\n* More\n#+x\n", "text\n,* More\n,#+x\n#+end_src", ""},
		{"a heading deleted", "notes.org.txt", "* Heading\n", "", "notes.org.txt\ntext\n", ""},
		{"between link comments", "script.sh", "echo two", "echo two\necho three", "echo two\necho three\n#+end_src", ""},
		{"a comment line", "script.sh", "Three:2 ends here", "Three:2 ended", "", "header arguments or comments"},
		{"text between blocks", "script.sh", "ends here\n\n#", "ends here\n# mine\n\n#", "", "between blocks"},
		{"a referenced block between noweb comments", "commented.py", "1, 2\n", "1, 2, 3\n4\n", "1, 2, 3\n4\n#+end_src", ""},
		{"before a noweb comment", "commented.py", "first = 0\n", "first = 1\nsecond = 2\n", "first = 1\nsecond = 2\n<<inline>>", ""},
		{"an empty block filled", "empty.sh", "\n", "echo x\necho y\n", "empty.sh\necho x\necho y\n#+end_src", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := planText(t, detangleDoc)
			if !strings.Contains(files[test.file], test.old) {
				t.Fatalf("%q is not in:\n%s", test.old, files[test.file])
			}
			edited := strings.Replace(files[test.file], test.old, test.new, 1)
			d := detangleText(t, detangleDoc, map[string]string{test.file: edited}, nil)
			if test.want == "" {
				if len(d.Conflicts) != 1 || !strings.Contains(d.Conflicts[0].Reason, test.reason) || string(d.Text) != detangleDoc {
					t.Errorf("got %+v\n%s", d.Conflicts, textdiff.Unified("before", "after", detangleDoc, string(d.Text)))
				}
				return
			}
			if len(d.Conflicts) > 0 || !strings.Contains(string(d.Text), test.want) {
				t.Errorf("got %+v\n%s", d.Conflicts, textdiff.Unified("before", "after", detangleDoc, string(d.Text)))
			}
			if again := planText(t, string(d.Text))[test.file]; test.name != "a line of the second use" &&
				!strings.Contains(test.name, "referenced") && !strings.Contains(test.name, "inside a reference") && again != edited {
				t.Errorf("tangles back to:\n%s", textdiff.Unified("edited", "again", edited, again))
			}
		})
	}
}

func TestDetangleBothSides(t *testing.T) {
	base := planText(t, detangleDoc)
	newDoc := strings.NewReplacer("echo one", "echo ONE", "import os", "import io").Replace(detangleDoc)
	edited := map[string]string{
		"script.sh": strings.NewReplacer("echo one", "echo uno", "echo two", "echo dos").Replace(base["script.sh"]),
		"out.py":    strings.Replace(base["out.py"], "import os", "import io", 1),
	}
	d := detangleText(t, newDoc, edited, base)
	if len(d.Conflicts) != 1 || !strings.Contains(d.Conflicts[0].Reason, "both sides") ||
		d.Conflicts[0].Doc[0] != "echo ONE" || d.Conflicts[0].Edit[0] != "echo uno" {
		t.Errorf("conflicts: %+v", d.Conflicts)
	}
	if want := strings.Replace(newDoc, "echo two", "echo dos", 1); string(d.Text) != want {
		t.Error(textdiff.Unified("want", "got", want, string(d.Text)))
	}
}

func TestDetangleMovedBlock(t *testing.T) {
	files := planText(t, detangleDoc)
	blocks := strings.SplitAfter(files["script.sh"], "ends here\n")
	moved := "#!/bin/sh\n" + strings.TrimPrefix(blocks[1], "\n") + "\n" + strings.TrimPrefix(blocks[0], "#!/bin/sh\n")
	d := detangleText(t, detangleDoc, map[string]string{"script.sh": moved}, nil)
	if len(d.Conflicts) != 1 || !strings.Contains(d.Conflicts[0].Reason, "moved") || string(d.Text) != detangleDoc {
		t.Errorf("%+v", d.Conflicts)
	}
}

func TestDetangleUnknownBase(t *testing.T) {
	files := planText(t, detangleDoc)
	edited := Edited{Path: "/d/script.sh", Text: []byte(strings.Replace(files["script.sh"], "one", "uno", 1)), DocNewer: true}
	d, err := Detangle(context.Background(), org.ParseString(detangleDoc), Options{File: "/d/doc.org"}, []Edited{edited})
	if err != nil || len(d.Conflicts) != 1 || !strings.Contains(d.Conflicts[0].Reason, "newer") {
		t.Errorf("%+v %v", d, err)
	}
}

func TestDetangleKeepsLineEnds(t *testing.T) {
	doc := strings.ReplaceAll("* H\n#+begin_src sh :tangle a.sh\necho one\necho two\n#+end_src\n", "\n", "\r\n")
	edited := strings.Replace(planText(t, doc)["a.sh"], "one\n", "uno\necho due\n", 1)
	d := detangleText(t, doc, map[string]string{"a.sh": edited}, nil)
	want := strings.Replace(doc, "echo one\r\n", "echo uno\r\necho due\r\n", 1)
	if string(d.Text) != want || len(d.Conflicts) != 0 {
		t.Errorf("got %q %+v", d.Text, d.Conflicts)
	}
}

// TestDetangleRandom edits tangled files of random documents and checks that
// every edit either comes back exactly or is shown as a conflict.
func TestDetangleRandom(t *testing.T) {
	edits, returned := 0, 0
	for seed := range int64(150) {
		text := generate(seed + 7000)
		out, err := Plan(context.Background(), org.ParseString(text), Options{File: "/d/doc.org", Run: runForTest})
		if err != nil || len(out.Files) == 0 {
			continue
		}
		files := planText(t, text)
		r := rand.New(rand.NewSource(seed))
		for name, content := range files {
			edited := randomEdit(r, content)
			if edited == content {
				continue
			}
			edits++
			d := detangleText(t, text, map[string]string{name: edited}, files)
			if len(d.Conflicts) > 0 {
				for _, c := range d.Conflicts {
					for _, line := range c.Edit {
						if !strings.Contains(edited, line) {
							t.Fatalf("seed %d: the conflict does not show the edit: %+v", seed, c)
						}
					}
				}
				continue
			}
			returned++
			if again := planText(t, string(d.Text))[name]; again != edited && !usedTwice(files, planText(t, string(d.Text)), name, edited) {
				t.Fatalf("seed %d, %s: tangling does not give the edited text:\n%s\ndocument:\n%s", seed, name,
					textdiff.Unified("edited", "again", edited, again), textdiff.Unified("before", "after", text, string(d.Text)))
			}
		}
	}
	t.Logf("%d of %d edits came back, the others are conflicts", returned, edits)
	if returned < edits/3 {
		t.Errorf("only %d of %d edits came back", returned, edits)
	}
}

// usedTwice reports whether the edited lines show in other places too, which is
// right when a block is used more than once.
func usedTwice(before, after map[string]string, name, edited string) bool {
	mine := textdiff.Compare(textdiff.Lines(before[name]), textdiff.Lines(edited))
	now := textdiff.Compare(textdiff.Lines(before[name]), textdiff.Lines(after[name]))
	return len(now) > len(mine)
}

func randomEdit(r *rand.Rand, text string) string {
	lines := textdiff.Lines(text)
	at := r.Intn(len(lines))
	switch r.Intn(4) {
	case 0:
		lines[at] += fmt.Sprintf(" edited%d", r.Intn(100))
	case 1:
		lines = append(lines[:at:at], append([]string{"inserted"}, lines[at:]...)...)
	case 2:
		if len(lines) > 1 {
			lines = append(lines[:at:at], lines[at+1:]...)
		}
	case 3:
		indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
		lines[at] = indent + "* star"
	}
	return strings.Join(lines, "\n") + "\n"
}
