package oql

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"wb/internal/nearest"
	"wb/org"
)

// Saved is a query that an org file keeps under a name:
//
//	#+OQL: name = todo:NEXT tags:work | sort deadline
type Saved struct {
	Name, Text string
	Path       string
	Line, Col  int // of Text
}

// SavedIn lists the queries a document keeps.
func SavedIn(path string, doc *org.Document) []Saved {
	var out []Saved
	for k := range doc.Keywords("OQL") {
		name, text, ok := strings.Cut(k.Value.Text, "=")
		name = strings.TrimSpace(name)
		if !ok || !isFieldName(name) {
			continue
		}
		at := k.Value.Start + strings.Index(k.Value.Text, "=") + 1
		at += len(text) - len(strings.TrimLeft(text, " \t"))
		s := Saved{Name: name, Text: strings.TrimSpace(text), Path: path}
		s.Line, s.Col = doc.Position(at)
		out = append(out, s)
	}
	return out
}

// ReadSaved lists the queries that the files among paths keep, directories
// included.
func ReadSaved(paths []string) ([]Saved, error) {
	names, err := Files(paths)
	if err != nil {
		return nil, err
	}
	var out []Saved
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(text, []byte("#+OQL:")) || bytes.Contains(text, []byte("#+oql:")) {
			out = append(out, SavedIn(name, org.Parse(text))...)
		}
	}
	return out, nil
}

// maxSaved is how deep saved queries may name one another.
const maxSaved = 10

// Expand replaces a leading @name by the query saved under that name; what
// follows, such as another stage, stays.
func Expand(text string, saved []Saved) (string, error) {
	for range maxSaved {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "@") {
			return text, nil
		}
		name, rest, _ := strings.Cut(text[1:], " ")
		i := slices.IndexFunc(saved, func(s Saved) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, s := range saved {
				names = append(names, s.Name)
			}
			tip := "save it in an org file: #+OQL: " + name + " = todo:NEXT"
			if near := nearest.Word(name, names); near != "" {
				tip = "did you mean @" + near + "?"
			} else if len(names) > 0 {
				tip = "saved queries: @" + strings.Join(names, " @")
			}
			return "", errorf(Pos{1, 1}, tip, "no saved query @%s", name)
		}
		text = saved[i].Text + " " + rest
	}
	return "", errorf(Pos{1, 1}, "a saved query must not name itself", "saved queries name one another more than %d times", maxSaved)
}
