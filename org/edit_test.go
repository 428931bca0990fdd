package org

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	const src = "0123456789"
	for _, c := range []struct {
		edits []Edit
		want  string // "" when refused
	}{
		{nil, src},
		{[]Edit{{2, 4, "ab"}}, "01ab456789"},
		{[]Edit{{5, 5, "x"}, {0, 1, ""}}, "1234x56789"},
		{[]Edit{{3, 3, "a"}, {3, 3, "b"}}, "012ab3456789"},
		{[]Edit{{3, 5, "y"}, {3, 3, "x"}}, "012xy56789"},
		{[]Edit{{3, 5, "y"}, {5, 5, "x"}}, "012yx56789"},
		{[]Edit{{0, 10, ""}}, ""},
		{[]Edit{{3, 5, ""}, {4, 6, ""}}, "refused"},
		{[]Edit{{3, 5, ""}, {4, 4, "x"}}, "refused"},
		{[]Edit{{3, 5, ""}, {3, 5, ""}}, "refused"},
		{[]Edit{{-1, 5, ""}}, "refused"},
		{[]Edit{{5, 4, ""}}, "refused"},
		{[]Edit{{5, 11, ""}}, "refused"},
	} {
		given := slices.Clone(c.edits)
		out, err := Apply([]byte(src), c.edits)
		if c.want == "refused" {
			var e *EditError
			if !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: got %q, %v, want an EditError", c.edits, out, err)
			}
			continue
		}
		if err != nil || string(out) != c.want {
			t.Errorf("%v: got %q, %v, want %q", c.edits, out, err, c.want)
		}
		if !slices.Equal(given, c.edits) {
			t.Errorf("%v: edits were reordered", given)
		}
	}
}

// edited applies what set returns for the first headline.
func edited(t *testing.T, src string, set func(Headline) ([]Edit, error)) string {
	t.Helper()
	for h := range ParseString(src).Headlines() {
		edits, err := set(h)
		if err != nil {
			return "error: " + err.Error()
		}
		out, err := Apply([]byte(src), edits)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	t.Fatal("no headline")
	return ""
}

func TestSetKeyword(t *testing.T) {
	for _, c := range []struct{ src, keyword, want string }{
		{"* a\n", "TODO", "* TODO a\n"},
		{"*  a", "DONE", "* DONE  a"},
		{"** TODO  a :t:\r\n", "DONE", "** DONE  a :t:\r\n"},
		{"* TODO  a\n", "", "* a\n"},
		{"* TODO", "", "* "},
		{"* TODO a\n", "TODO", "* TODO a\n"},
		{"* a\n", "NOPE", `error: the file does not declare the keyword "NOPE"; it declares TODO | DONE`},
		{"* a\n#+todo: X | Y\n", "Y", "* Y a\n#+todo: X | Y\n"},
	} {
		got := edited(t, c.src, func(h Headline) ([]Edit, error) { return SetKeyword(h, c.keyword) })
		if got != c.want {
			t.Errorf("%q to %q: got %q, want %q", c.src, c.keyword, got, c.want)
		}
	}
}

func TestSetProperty(t *testing.T) {
	for _, c := range []struct{ src, key, value, want string }{
		{"* a\ntext", "ID", "x", "* a\n:PROPERTIES:\n:ID:       x\n:END:\ntext"},
		{"* a", "ID", "x", "* a\n:PROPERTIES:\n:ID:       x\n:END:"},
		{"* a\r\n", "ID", "x", "* a\r\n:PROPERTIES:\r\n:ID:       x\r\n:END:\r\n"},
		{"* a\nSCHEDULED: <2026-01-01>\n", "ID", "x", "* a\nSCHEDULED: <2026-01-01>\n:PROPERTIES:\n:ID:       x\n:END:\n"},
		{"* a\n  :PROPERTIES:\n  :Id:  old \n  :END:\n", "ID", "new", "* a\n  :PROPERTIES:\n  :Id:  new \n  :END:\n"},
		{"* a\n:PROPERTIES:\n:ID:\n:END:\n", "ID", "new", "* a\n:PROPERTIES:\n:ID: new\n:END:\n"},
		{"* a\n  :PROPERTIES:\n  :END:\n", "LONG_KEY_NAME", "v", "* a\n  :PROPERTIES:\n  :LONG_KEY_NAME: v\n  :END:\n"},
		{"* a\n:PROPERTIES:\n:K+: 1\n:END:\n", "K", "0", "* a\n:PROPERTIES:\n:K+: 1\n:K:        0\n:END:\n"},
		{"* a\n", "ID", "", "* a\n:PROPERTIES:\n:ID:\n:END:\n"},
		{"* a\n", "a b", "x", `error: property name "a b" is empty, has white space or ends in +`},
		{"* a\n", "K", "x\ny", "error: value of property K spans lines"},
	} {
		got := edited(t, c.src, func(h Headline) ([]Edit, error) { return SetProperty(h, c.key, c.value) })
		if got != c.want {
			t.Errorf("%q %s=%q:\n got %q\nwant %q", c.src, c.key, c.value, got, c.want)
		}
	}
}

func TestRemoveProperty(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"* a\n:PROPERTIES:\n:ID: x\n:B: y\n:id+: z\n:END:\n", "* a\n:PROPERTIES:\n:B: y\n:END:\n"},
		{"* a\n:PROPERTIES:\n:ID: x\n:END:\nb", "* a\nb"},
		{"* a\n:PROPERTIES:\n:END:\n", "* a\n:PROPERTIES:\n:END:\n"},
		{"* a\n", "* a\n"},
	} {
		got := edited(t, c.src, func(h Headline) ([]Edit, error) { return RemoveProperty(h, "ID"), nil })
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
	}
}

func TestSetTags(t *testing.T) {
	aligned := "* a" + strings.Repeat(" ", 70) + ":xy:"
	for _, c := range []struct {
		src  string
		tags []string
		want string
	}{
		{"* a\n", []string{"xy"}, aligned + "\n"},
		{"* a  \r\n", []string{"xy"}, aligned + "\r\n"},
		{aligned, []string{"long", "tag"}, "* a" + strings.Repeat(" ", 64) + ":long:tag:"},
		{"* a :x:\n", []string{"y", "z"}, "* a :y:z:\n"},
		{"* a  :x: \n", nil, "* a \n"},
		{"* a\n", nil, "* a\n"},
		{"* :x:\n", nil, "* \n"},
		{"* a\n", []string{"no-dash"}, `error: tag "no-dash" has characters other than letters, digits and _@#%`},
		{"* a\n", []string{"a:b"}, `error: tag "a:b" has characters other than letters, digits and _@#%`},
		{"* " + strings.Repeat("a", 80), []string{"x"}, "* " + strings.Repeat("a", 80) + " :x:"},
	} {
		got := edited(t, c.src, func(h Headline) ([]Edit, error) { return SetTags(h, c.tags) })
		if got != c.want {
			t.Errorf("%q %v:\n got %q\nwant %q", c.src, c.tags, got, c.want)
		}
	}
}
