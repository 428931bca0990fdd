package formula

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"wb/internal/test/golden"
)

// TestGolden compares each line of testdata/formulas.tex with what it became.
// Definitions hold for the lines below.
func TestGolden(t *testing.T) {
	src, err := os.ReadFile("testdata/formulas.tex")
	if err != nil {
		t.Fatal(err)
	}
	formulas := strings.Split(strings.TrimSpace(string(src)), "\n")
	macros, numbers := NewMacros(), &Numbering{}
	for _, tex := range formulas {
		numbers.Scan(tex, macros.Clone())
	}
	numbers.Restart()
	var got strings.Builder
	failed := 0
	for _, tex := range formulas {
		fmt.Fprintf(&got, "%s\n", tex)
		e, err := Display(tex, macros, numbers)
		if err != nil {
			failed++
			var at *Error
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(tex) {
				t.Errorf("%s: %v has no place", tex, err)
			}
			fmt.Fprintf(&got, "  error %v; %s\n", err, at.Hint)
			continue
		}
		wellFormed(t, e.MathML)
		body, _, _ := strings.Cut(strings.TrimPrefix(e.MathML, `<math display="block"><semantics>`), "<annotation")
		fmt.Fprintf(&got, "  %s\n", body)
		if e.Tag != "" {
			fmt.Fprintf(&got, "  (%s) %s\n", e.Tag, e.ID)
		}
	}
	if n := len(formulas) - failed; n < 60 {
		t.Errorf("only %d formulas", n)
	}
	golden.Check(t, "testdata/formulas.golden", got.String())
}

// core are the elements of MathML Core.
var core = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq("math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd") {
		core[name] = true
	}
}

// arity is how many children an element has.
var arity = map[string]int{"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3, "mmultiscripts": 4}

func wellFormed(t testing.TB, mathml string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(mathml))
	type open struct {
		name string
		kids int
	}
	var stack []open
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v: %s", err, mathml)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if !core[e.Name.Local] {
				t.Fatalf("%s is not in MathML Core: %s", e.Name.Local, mathml)
			}
			if len(stack) > 0 {
				stack[len(stack)-1].kids++
			}
			stack = append(stack, open{name: e.Name.Local})
		case xml.EndElement:
			top := stack[len(stack)-1]
			if n, ok := arity[top.name]; ok && n != top.kids {
				t.Fatalf("%s has %d children: %s", top.name, top.kids, mathml)
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// FuzzDisplay: whatever the formula, the answer is MathML or an error with a
// place.
func FuzzDisplay(f *testing.F) {
	src, err := os.ReadFile("testdata/formulas.tex")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		e, err := Display(tex, nil, &Numbering{})
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(tex) {
				t.Fatalf("%v has no place in %d bytes", err, len(tex))
			}
			return
		}
		if strings.ToValidUTF8(tex, "") == tex && !strings.ContainsFunc(tex, func(r rune) bool { return r < ' ' || r == 0xFFFE || r == 0xFFFF }) {
			wellFormed(t, e.MathML)
		}
	})
}

func BenchmarkDisplay(b *testing.B) {
	const tex = `\begin{align} \int_0^\infty e^{-x^2}\,dx &= \frac{\sqrt\pi}{2} \\ \sum_{i=1}^{n} i &= \frac{n(n+1)}{2} \end{align}`
	b.SetBytes(int64(len(tex)))
	for b.Loop() {
		if _, err := Display(tex, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
