package oql

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

// outcome is what a query parses to, or its error and hint.
func outcome(text string) string {
	q, err := Parse(text)
	var syntax *SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Tip != "":
		return err.Error() + " (" + syntax.Tip + ")"
	case err != nil:
		return err.Error()
	}
	return q.String()
}

// TestParse reads testdata/parse.txt: a query, what it parses to, a blank line.
func TestParse(t *testing.T) {
	const file = "testdata/parse.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(data), "\n\n")
	var out []string
	for _, c := range strings.Split(strings.TrimSpace(body), "\n\n") {
		query, want, _ := strings.Cut(c, "\n")
		got := outcome(query)
		if got != want && !*update {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
		out = append(out, query+"\n"+got)
	}
	if *update {
		text := head + "\n\n" + strings.Join(out, "\n\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzParse checks that no text crashes the parser, that errors carry a place
// inside the text, and that the canonical form means the same.
func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/parse.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Pos.Line < 1 || syntax.Pos.Col < 1 || syntax.Tip == "" {
				t.Fatalf("error without a place or a tip: %v", err)
			}
			return
		}
		canonical := q.String()
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("canonical form %q does not parse: %v", canonical, err)
		}
		if again.String() != canonical {
			t.Fatalf("canonical form is not stable:\n%s\n%s", canonical, again.String())
		}
	})
}
