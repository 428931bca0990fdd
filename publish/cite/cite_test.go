package cite

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"wb/internal/test/golden"
)

func library(t testing.TB) *Library {
	t.Helper()
	src, err := os.ReadFile("testdata/refs.bib")
	if err != nil {
		t.Fatal(err)
	}
	lib := NewLibrary()
	if problems := lib.Add("refs.bib", src); len(problems) > 0 {
		t.Fatal(problems)
	}
	return lib
}

// TestGolden writes each style of citation and of bibliography.
func TestGolden(t *testing.T) {
	lib := library(t)
	var got strings.Builder
	for _, style := range []string{"author-year", "numeric", "plain"} {
		p := New(lib, style)
		for _, key := range []string{"knuth84", "erdos", "who"} {
			p.See(key)
		}
		fmt.Fprintf(&got, "* %s\n", style)
		for _, form := range []string{"", "/b", "/c", "text", "t/b", "author", "a/c", "noauthor", "na/b", "note", "numeric", "nocite"} {
			name, variant, _ := strings.Cut(form, "/")
			for _, refs := range [][]Ref{{{Key: "knuth84"}}, {{Prefix: "see ", Key: "erdos", Suffix: ", p. 3"}, {Key: "bad-url"}, {Key: "none"}},
				{{Key: "knuth84"}, {Key: "erdos"}, {Key: "who"}, {Key: "knuth-plass"}}} {
				fmt.Fprintf(&got, "%s: %s\n", form, p.Cite(Citation{Style: name, Variant: variant, Refs: refs}))
			}
		}
		p.See("knuth84b")
		p.See("paren")
		fmt.Fprintf(&got, "%s\n%s", p.Cite(Citation{Prefix: "compare ", Refs: []Ref{{Key: "knuth84b"}, {Key: "paren"}}, Suffix: ", and others"}), p.Bibliography())
	}
	golden.Check(t, "testdata/styles.golden", got.String())
}

// TestProblems: mistakes have places, and what follows them is read.
func TestProblems(t *testing.T) {
	for src, want := range map[string]string{
		"@article{a, title = {x}\n@article{b, title = {y}}": "24 the entry is not closed by }",
		"@article{a, title = {x\n":                          "20 { is not closed",
		"@article{a, title = \"x\n":                         `20 " is not closed`,
		"@article{a, title}\n@misc{b, year = 2}":            "17 the field title of a has no value",
		"@article{, title = {x}}":                           "9 the entry has no key",
		"@misc{a, month = nope}":                            "17 no @string is named nope",
		"@misc{a, year = 1}\n@misc{a, year = 2}":            "19 the key a is used twice",
		"me@example.org @ nothing":                          "",
	} {
		got := ""
		for _, p := range NewLibrary().Add("x.bib", []byte(src)) {
			got += fmt.Sprintf("%d %s", p.Offset, p.Message)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	lib := library(t)
	for key, want := range map[string]string{"knuth48": "knuth84", "Erdos": "erdos", "knuth-plas": "knuth-plass", "completely-else": ""} {
		if got := lib.Nearest(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	lib := NewLibrary()
	src := `[{"id":"a","type":"book","title":"Sets & {braces} -- $5","author":[{"family":"Berg","given":"Jan","non-dropping-particle":"van der"},{"literal":"A and B"}],
		"issued":{"date-parts":[[2020,3]]},"publisher":"P","DOI":"10.1000/xyz"}]`
	if problems := lib.Add("x.json", []byte(src)); len(problems) > 0 {
		t.Fatal(problems)
	}
	p := New(lib, "author-year")
	if got, want := p.Cite(Citation{Refs: []Ref{{Key: "a"}}}), `<span class="cite">(<a href="#ref:a">van der Berg and A and B, 2020</a>)</span>`; got != want {
		t.Errorf("%s", got)
	}
	if got, want := p.Bibliography(), `<li id="ref:a">van der Berg, Jan; A and B (2020). <cite><a href="https://doi.org/10.1000/xyz">Sets &amp; {braces} -- $5</a></cite>, P.</li>`; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	if problems := lib.Add("y.json", []byte(`{"id":1`)); len(problems) != 1 {
		t.Error(problems)
	}
}

// FuzzBib: whatever the file, it is read without a panic, problems have
// places, and what is written nests.
func FuzzBib(f *testing.F) {
	src, err := os.ReadFile("testdata/refs.bib")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	for _, entry := range bytes.Split(src, []byte("\n\n")) {
		f.Add(entry)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lib := NewLibrary()
		for _, p := range lib.Add("x.bib", src) {
			if p.Offset < 0 || p.Offset > len(src) {
				t.Fatalf("%+v in %d bytes", p, len(src))
			}
		}
		text := New(lib, "").All()
		if strings.ToValidUTF8(string(src), "") != string(src) || bytes.ContainsFunc(src, func(r rune) bool { return r < ' ' && r != '\n' || r == 0xFFFE || r == 0xFFFF }) {
			return
		}
		dec := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%v: %s", err, text)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("testdata/refs.bib")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		NewLibrary().Add("refs.bib", src)
	}
}
