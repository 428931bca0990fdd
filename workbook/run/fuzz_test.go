package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/workbook/lint"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// seedDocuments are org texts to start fuzzing from.
func seedDocuments(f *testing.F) {
	for _, pattern := range []string{"../plan/testdata/plan/*.org", "testdata/results/*.in.org"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil && len(src) < 4000 {
				f.Add(string(src))
			}
		}
	}
}

// FuzzPlan makes sure that any text can be planned, that everything in the
// plan hangs together, and that it prints.
func FuzzPlan(f *testing.F) {
	seedDocuments(f)
	f.Add("* a :workflow:component:\n:PROPERTIES:\n:in: x\n:out: x\n:deps: a\n:END:\n#+begin_src js :in x :var x=x()[0]\n<<x>>\n#+end_src\n")
	f.Fuzz(func(t *testing.T, src string) {
		p := plan.New("f.org", []byte(src))
		ids := map[string]bool{}
		for i, c := range p.Components {
			if ids[c.ID] {
				t.Fatalf("two components are called %q", c.ID)
			}
			ids[c.ID] = true
			if c.Index() != i || c.Pos.Line < 1 {
				t.Fatalf("%s: index %d at %d, line %d", c.ID, c.Index(), i, c.Pos.Line)
			}
		}
		for _, e := range p.Edges {
			if !ids[e.From.Component] || !ids[e.To.Component] {
				t.Fatalf("edge %+v leads nowhere", e)
			}
		}
		if len(p.Order()) != len(p.Components) {
			t.Fatal("the order leaves components out")
		}
		if len(p.Graph(true).Cycles()) > 0 && !diag.HasErrors(p.Problems) {
			t.Fatal("a cycle is not an error")
		}
		if strings.Contains(p.SVG(), "NaN") || p.DOT() == "" {
			t.Fatal("the picture is broken")
		}
		lint.Plan(p, lint.Options{})
	})
}

// FuzzResults writes a text as the result of every block of a document. All
// other bytes stay, and writing the same again changes nothing.
func FuzzResults(f *testing.F) {
	for _, words := range []string{"replace", "output drawer replace", "list replace", "raw replace", "html replace", "table replace", "silent", "code replace"} {
		f.Add("* H\n  #+begin_src sh\n  x\n  #+end_src\ntext src_sh{y} z\n\n#+name: n\n#+begin_src sh\n#+end_src\n#+RESULTS: n\n| a |\n", "one\n* two\n#+three", words)
	}
	f.Add("#+begin_src sh\r\nx\r\n#+end_src\r\n\r\n#+RESULTS:\r\n: old\r\n", "a\n\n", "replace")
	f.Fuzz(func(t *testing.T, src, text, words string) {
		if strings.Contains(words, "append") || strings.Contains(words, "prepend") {
			return
		}
		once := writeAll(t, src, text, words)
		if twice := writeAll(t, once, text, words); twice != once && sameBlocks(src, once) {
			t.Errorf("writing again changes %q\nto %q", once, twice)
		}
	})
}

// writeAll writes the same result below every component of a document.
func writeAll(t *testing.T, src, text, words string) string {
	t.Helper()
	doc := org.ParseString(src)
	p := plan.Of("f.org", doc)
	w := &result.Writer{Doc: doc}
	for _, c := range p.Components {
		if c.Kind == plan.KindData || c.Node() == nil {
			continue
		}
		r := &result.Result{Value: value.OfString(text), Words: strings.Fields(words), Lang: "sh"}
		if c.IsElement() {
			w.Block(c.Node(), r)
		} else {
			_ = w.Inline(c.Span(), r) // refused where it cannot stand
		}
	}
	edits := w.Settled()
	out, err := org.Apply([]byte(src), edits)
	if err != nil {
		t.Fatalf("%v in %q", err, src)
	}
	rest := len(src)
	for _, e := range edits {
		rest -= e.End - e.Start
		rest += len(e.New)
	}
	if rest != len(out) {
		t.Fatalf("bytes outside the edits changed")
	}
	return string(out)
}

// sameBlocks reports whether two texts have the same components: a result that
// is org itself may add or remove some.
func sameBlocks(a, b string) bool {
	x, y := plan.New("f.org", []byte(a)), plan.New("f.org", []byte(b))
	if len(x.Components) != len(y.Components) {
		return false
	}
	for i := range x.Components {
		if x.Components[i].Body != y.Components[i].Body || x.Components[i].Kind != y.Components[i].Kind {
			return false
		}
	}
	return true
}

// FuzzReference makes sure that references and indices never panic.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{"a", "a[0]", "f(x=1, y=\"a,b\")[1:2,*]", "f[:results raw](a[0])", "x.org:name", "a[]", "f(g(1)", "a[(]"} {
		f.Add(seed)
	}
	table := value.OfList(value.OfList(value.OfInt(1), value.OfInt(2)), value.Rule(), value.OfList(value.OfInt(3)))
	f.Fuzz(func(t *testing.T, text string) {
		ref := plan.ParseReference(text)
		if !strings.Contains(strings.TrimSpace(text), strings.TrimSpace(ref.Name)) {
			t.Errorf("%q: name %q is not in it", text, ref.Name)
		}
		_ = plan.Index(table, ref.Index)
	})
}
