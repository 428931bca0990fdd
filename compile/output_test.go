package compile

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/internal/value"
)

var update = flag.Bool("update", false, "write the expected files again, with Emacs where it is the judge")

// TestImportTable compares with what org-babel 9.8.9 made of the same bytes.
func TestImportTable(t *testing.T) {
	if *update {
		emacs.Need(t).Run(t, "testdata/import.el", "testdata/import")
	}
	files, err := filepath.Glob("testdata/import/*.txt")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if got := show(ImportTable(string(text))) + "\n"; got != string(want) {
				t.Errorf("%q\ngot  %swant %s", text, got, want)
			}
		})
	}
}

// show prints a value as Emacs Lisp.
func show(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "nil"
	case value.Int:
		return v.String()
	case value.Float:
		if math.IsInf(v.Float(), 1) {
			return "1.0e+INF"
		}
		text := strconv.FormatFloat(v.Float(), 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	case value.String:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text()) + `"`
	case value.List:
		var items []string
		for _, item := range v.Items() {
			items = append(items, show(item))
		}
		return "(" + strings.Join(items, " ") + ")"
	}
	return "?"
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             nil,
		"  -O2   -Wall ":               {"-O2", "-Wall"},
		`-DX='"a b"' -DY=\"c\"`:        {`-DX="a b"`, `-DY="c"`},
		`"two words" 'three "4" five'`: {"two words", `three "4" five`},
		`a\ b "c\d" "e\"f" ''`:         {"a b", `c\d`, `e"f`, ""},
	} {
		if got := Words(text); strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestList(t *testing.T) {
	for text, want := range map[string][]string{
		"<stdio.h>":                 {"<stdio.h>"},
		"'(<stdio.h> <stdlib.h>)":   {"<stdio.h>", "<stdlib.h>"},
		`(list "<a.h>" "b.h")`:      {"<a.h>", "b.h"},
		`'("N 10" "STR \"x y\"")`:   {"N 10", `STR "x y"`},
		`"<stdio.h> <math.h>"`:      {"<stdio.h> <math.h>"},
		"[a b]":                     {"a", "b"},
		"'()":                       {},
		"plain words, not (a list)": {"plain words, not (a list)"},
	} {
		if got, _ := List(text); strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("List(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDedent(t *testing.T) {
	for text, want := range map[string]string{
		"  a\n    b\n":     "a\n  b\n",
		"a\n  b\n":         "a\n  b\n",
		"  a\n\n  b":       "a\n\nb",
		"\ta\n        b\n": "a\nb\n",
		"":                 "",
		"   \n":            "   \n",
	} {
		if got := Dedent(text); got != want {
			t.Errorf("Dedent(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzImportTable(f *testing.F) {
	files, _ := filepath.Glob("testdata/import/*.txt")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := ImportTable(text)
		if v.Kind() != value.List {
			return
		}
		width := -1
		for _, row := range v.Items() {
			if row.Kind() != value.List {
				t.Fatalf("%q: a row that is not a list", text)
			}
			if width >= 0 && len(row.Items()) != width {
				t.Fatalf("%q: rows of %d and %d cells", text, width, len(row.Items()))
			}
			width = len(row.Items())
		}
	})
}
