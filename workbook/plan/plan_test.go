package plan

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/diag"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with a file, or rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to make it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func readPlan(t *testing.T, path string) *Plan {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return New(filepath.Base(path), src)
}

func TestPlan(t *testing.T) {
	files, _ := filepath.Glob("testdata/plan/*.org")
	for _, file := range files {
		base := strings.TrimSuffix(file, ".org")
		t.Run(filepath.Base(base), func(t *testing.T) {
			p := readPlan(t, file)
			flat, err := p.JSON(PlanFlat)
			if err != nil {
				t.Fatal(err)
			}
			nested, err := p.JSON(PlanNested)
			if err != nil {
				t.Fatal(err)
			}
			var problems strings.Builder
			for _, d := range p.Problems {
				fmt.Fprintf(&problems, "%s\n", d)
				if d.Hint != "" {
					fmt.Fprintf(&problems, "  hint: %s\n", d.Hint)
				}
			}
			golden(t, base+".flat.json", indented(t, flat))
			golden(t, base+".nested.json", indented(t, nested))
			golden(t, base+".problems", problems.String())
			golden(t, base+".dot", p.DOT())
		})
	}
}

// TestPlanIsStable makes sure that planning twice gives the same bytes.
func TestPlanIsStable(t *testing.T) {
	src, err := os.ReadFile("testdata/plan/babel.org")
	if err != nil {
		t.Fatal(err)
	}
	first := New("babel.org", src)
	for range 20 {
		again := New("babel.org", src)
		if indented(t, first.flat()) != indented(t, again.flat()) || first.SVG() != again.SVG() {
			t.Fatal("plans of the same text differ")
		}
	}
}

func TestPlanSVG(t *testing.T) {
	p := readPlan(t, "testdata/plan/babel.org")
	svg := p.SVG()
	for _, c := range p.Components {
		if !strings.Contains(svg, c.ID) {
			t.Errorf("%s is not in the picture", c.ID)
		}
	}
	if strings.Contains(svg, "NaN") || !strings.Contains(svg, "prefers-color-scheme") {
		t.Error("the picture is malformed")
	}
	if strings.Count(svg, "http") != 1 { // the namespace
		t.Error("the picture is not self-contained")
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Parse User Input": "parse-user-input", " -- Ä? Ö! 3": "ä-ö-3", "": "", "a__b": "a-b",
	} {
		if got := Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

// chain is a workbook of n blocks, each using the one before.
func chain(n int) []byte {
	var b bytes.Buffer
	b.WriteString("#+TITLE: Chain\n\n")
	for i := range n {
		fmt.Fprintf(&b, "* Step %d\n\nSome words about it.\n\n#+NAME: s%d\n", i, i)
		if i == 0 {
			b.WriteString("#+begin_src js\nreturn 1\n#+end_src\n\n")
			continue
		}
		fmt.Fprintf(&b, "#+begin_src js :var x=s%d\nreturn x + 1\n#+end_src\n\n", i-1)
	}
	return b.Bytes()
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 2000} {
		src := chain(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if p := New("chain.org", src); len(p.Components) != n || diag.HasErrors(p.Problems) {
					b.Fatal(len(p.Components), p.Problems)
				}
			}
		})
	}
}
