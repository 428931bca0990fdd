package clang

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/emacs"
	"wb/internal/value"
)

var update = flag.Bool("update", false, "write the expected files again, with Emacs where it is the judge")

// expandCase is a block as an org file has it and as the lane gets it.
type expandCase struct {
	before string // org text above the block
	lang   string
	header string // header arguments as written
	body   string
	args   map[string][]string
	vars   []compile.Var
}

func ints(list ...int64) value.Value {
	items := make([]value.Value, len(list))
	for i, n := range list {
		items[i] = value.OfInt(n)
	}
	return value.OfList(items...)
}

var (
	text = value.OfString
	hi   = `printf("hi");`
)

var expandCases = map[string]expandCase{
	"bare":          {body: "return 3;"},
	"include":       {header: ":includes <stdio.h>", body: hi, args: map[string][]string{"includes": {"<stdio.h>"}}},
	"include-words": {header: `:includes <stdio.h> own.h other.h`, body: hi, args: map[string][]string{"includes": {`<stdio.h> own.h other.h`}}},
	"include-list":  {header: `:includes '(<stdio.h> <stdlib.h> "own.h")`, body: hi, args: map[string][]string{"includes": {`'(<stdio.h> <stdlib.h> "own.h")`}}},
	"defines":       {header: ":defines N 10 M 20", body: hi, args: map[string][]string{"defines": {"N 10 M 20"}}},
	"define-list":   {header: `:defines '("N 10" "M (N + 1)")`, body: hi, args: map[string][]string{"defines": {`'("N 10" "M (N + 1)")`}}},
	"main":          {body: "int main(void) {\n  return 1;\n}"},
	"main-newline":  {body: "int\nmain (int argc, char **argv)\n{\n  return 1;\n}"},
	"main-later":    {body: "static int x;\nvoid main() { }"},
	"main-no":       {header: ":main no", body: "int f(void) { return 1; }", args: map[string][]string{"main": {"no"}}},
	"namespaces":    {lang: "C++", header: ":namespaces std", body: "cout << 1;", args: map[string][]string{"namespaces": {"std"}}},
	"logues": {header: `:prologue "int a = 1;" :epilogue "a++;"`, body: "a = 2;",
		args: map[string][]string{"prologue": {"int a = 1;"}, "epilogue": {"a++;"}}},
	"var-int":    {header: ":var x=3", vars: []compile.Var{{Name: "x", Value: value.OfInt(3)}}, body: hi},
	"var-float":  {header: ":var x=2.50 y=1e10 z=1e21 w=-0.1", vars: []compile.Var{{Name: "x", Value: value.OfFloat(2.5)}, {Name: "y", Value: value.OfFloat(1e10)}, {Name: "z", Value: value.OfFloat(1e21)}, {Name: "w", Value: value.OfFloat(-0.1)}}, body: hi},
	"var-string": {header: `:var s="some text" t="a\\nb"`, vars: []compile.Var{{Name: "s", Value: text("some text")}, {Name: "t", Value: text(`a\nb`)}}, body: hi},
	"var-list":   {header: ":var l='(1 2 3)", vars: []compile.Var{{Name: "l", Value: ints(1, 2, 3)}}, body: hi},
	"var-floats": {header: ":var l='(1 2.5)", vars: []compile.Var{{Name: "l", Value: value.OfList(value.OfInt(1), value.OfFloat(2.5))}}, body: hi},
	"var-mixed":  {header: `:var l='(1 "two" 3.0)`, vars: []compile.Var{{Name: "l", Value: value.OfList(value.OfInt(1), text("two"), value.OfFloat(3))}}, body: hi},
	"var-nil":    {header: ":var l='()", vars: []compile.Var{{Name: "l", Value: value.Nil()}}, body: hi},
	"var-table": {before: "#+NAME: t\n| 1 | 2 |\n| 3 | 4 |\n", header: ":var t=t", body: hi,
		vars: []compile.Var{{Name: "t", Value: value.OfList(ints(1, 2), ints(3, 4))}}},
	"var-table-text": {before: "#+NAME: t\n| a | 1.5 |\n| b |   |\n", header: ":var t=t", body: hi,
		vars: []compile.Var{{Name: "t", Value: value.OfList(value.OfList(text("a"), value.OfFloat(1.5)), value.OfList(text("b"), text("")))}}},
	"var-two": {header: ":var a=1 :var b=2 :includes <stdio.h>", body: hi, args: map[string][]string{"includes": {"<stdio.h>"}},
		vars: []compile.Var{{Name: "a", Value: value.OfInt(1)}, {Name: "b", Value: value.OfInt(2)}}},
	"var-columns": {before: "#+NAME: t\n| n | m |\n|---+---|\n| 1 | 2 |\n| 3 | 4 |\n", header: ":var t=t :colnames yes", body: hi,
		vars: []compile.Var{{Name: "t", Value: value.OfList(ints(1, 2), ints(3, 4)), ColNames: []string{"n", "m"}}}},
}

func (c expandCase) source() *compile.Source {
	lang := c.lang
	if lang == "" {
		lang = "C"
	}
	return &compile.Source{Lang: lang, Body: c.body, Args: c.args, Vars: c.vars, Shape: compile.ShapeBabel, Pos: diag.Position{File: "t.org", Line: 3, Col: 1}}
}

// TestExpand compares with the expansions of org-babel 9.8.9, byte for byte.
// The helper that finds columns has our own text: the comparison leaves it out.
func TestExpand(t *testing.T) {
	if *update {
		updateExpansions(t)
	}
	for name, c := range expandCases {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", "expand", name+".c"))
			if err != nil {
				t.Fatal(err)
			}
			u, err := babelUnit(c.source())
			if err != nil {
				t.Fatal(err)
			}
			got := u.plain()
			if withoutHelper(got) != withoutHelper(string(want)) {
				t.Errorf("got\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// withoutHelper cuts out everything between the table sizes and the headers.
func withoutHelper(text string) string {
	start, end := strings.Index(text, "\n#ifndef _STRING_H"), strings.Index(text, "  return -1;\n}\n")
	if start < 0 || end < 0 {
		return text
	}
	return text[:start] + "<helper>" + text[end+len("  return -1;\n}\n"):]
}

func updateExpansions(t *testing.T) {
	dir := t.TempDir()
	for name, c := range expandCases {
		text := c.before + "\n#+begin_src " + c.source().Lang + " " + c.header + "\n" + c.body + "\n#+end_src\n"
		if err := os.WriteFile(filepath.Join(dir, name+".org"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	emacs.Need(t).Run(t, "testdata/expand.el", dir)
	for name := range expandCases {
		data, err := os.ReadFile(filepath.Join(dir, name+".c"))
		if err != nil {
			t.Fatal(err)
		}
		// The helper is ob-C's own text; keep only where it stood.
		if err := os.WriteFile(filepath.Join("testdata", "expand", name+".c"), []byte(withoutHelper(string(data))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
