package tangle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wb/internal/textdiff"
	"wb/org"
)

// FuzzPlan tangles whatever text there is: it must come to files or to an error
// with a place, and detangling the unedited files must change nothing.
func FuzzPlan(f *testing.F) {
	for seed := range int64(6) {
		f.Add(generate(seed))
	}
	f.Add("#+begin_src sh :tangle a :noweb yes\n<<a()>>\n#+end_src")
	f.Add("#+begin_src org :tangle x\r\n,* a\r\n#+end_src\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		doc := org.ParseString(text)
		opts := Options{File: "/d/doc.org", Name: "doc.org"}
		out, err := Plan(context.Background(), doc, opts)
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		var files []Edited
		for _, file := range out.Files {
			if !strings.HasPrefix(file.Path, "/") || strings.Contains(file.Path, "/../") {
				t.Fatalf("path %q", file.Path)
			}
			for _, s := range file.Sections {
				if s.Start > s.End || s.End > len(file.Content) {
					t.Fatalf("section %+v of %d bytes", s, len(file.Content))
				}
			}
			files = append(files, Edited{Path: file.Path, Text: file.Content})
		}
		back, err := Detangle(context.Background(), doc, opts, files)
		if err != nil || len(back.Applied) > 0 || len(back.Conflicts) > 0 || string(back.Text) != text {
			t.Fatalf("detangling unedited files: %v %+v", err, back)
		}
	})
}

// FuzzDetangle edits one line of a tangled file. Whatever is accepted must
// tangle to the edited text.
func FuzzDetangle(f *testing.F) {
	f.Add(detangleDoc, 3, "edited")
	f.Add(detangleDoc, 6, "    * star")
	f.Add("- x\n  #+begin_src sh :tangle a -i\n\tx\n\n\ty\n  #+end_src", 1, "\tz")
	f.Fuzz(func(t *testing.T, text string, at int, line string) {
		if len(text) > 1<<13 || strings.ContainsAny(line, "\n\r") {
			return
		}
		doc := org.ParseString(text)
		opts := Options{File: "/d/doc.org"}
		out, err := Plan(context.Background(), doc, opts)
		if err != nil || len(out.Files) == 0 {
			return
		}
		file := out.Files[0]
		lines := textdiff.Lines(string(file.Content))
		at = max(0, at) % len(lines)
		before := lines[at]
		lines[at] = line
		edited := strings.Join(lines, "\n") + "\n"
		back, err := Detangle(context.Background(), doc, opts, []Edited{{Path: file.Path, Text: []byte(edited)}})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case line == before && string(back.Text) != text:
			t.Fatal("no edit, but the document changed")
		case len(back.Conflicts) > 0 && string(back.Text) != text:
			t.Fatalf("one edit was both refused and made:\n%s", textdiff.Unified("a", "b", text, string(back.Text)))
		case len(back.Conflicts) > 0 || line == before:
			return
		}
		again, err := Plan(context.Background(), org.Parse(back.Text), opts)
		if err != nil {
			t.Fatalf("the new document cannot be tangled: %v", err)
		}
		for _, f := range again.Files {
			if f.Path == file.Path && !strings.Contains("\n"+string(f.Content), "\n"+line+"\n") {
				t.Fatalf("the edited line %q is gone:\n%s", line, f.Content)
			}
		}
	})
}
