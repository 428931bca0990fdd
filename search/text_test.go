package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSplitOrg(t *testing.T) {
	src := `#+TITLE: The file
#+FILETAGS: :top:

Before anything.

* TODO One two :a:
SCHEDULED: <2026-01-01 Thu>
:PROPERTIES:
:OWNER: ada
:END:
:LOGBOOK:
- noise
:END:
Prose here.
- item
  #+begin_src python
  def f(): pass
  #+end_src

#+RESULTS:
: forty-two
** Below :b:
* Last`
	f := Split("x.org", []byte(src))
	var got []string
	for _, d := range f.Documents {
		clean := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		got = append(got, strings.Join([]string{d.Title, strings.Join(d.Outline, "/"), strings.Join(d.Tags, ","), clean(d.Body), clean(d.Code), clean(d.Result)}, "|"))
		if text := src[d.Start:d.End]; d.Level > 0 && !strings.HasPrefix(text, strings.Repeat("*", d.Level)+" ") {
			t.Errorf("%s starts at %q", d.Title, text)
		}
	}
	want := []string{
		"The file||top|The file Before anything.||",
		"One two||top,a|ada TODO Prose here. - item|python def f(): pass|#+RESULTS: : forty-two",
		"Below|One two|top,a,b|||",
		"Last||top|||",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestSplitMarkdown(t *testing.T) {
	src := "intro\n\n# Title #\ntext\n```go\n# no heading\n```\n## A\n#none\n### B\n## C\n~~~\nopen to the end\n# still code\n"
	var got []string
	for _, d := range Split("n.md", []byte(src)).Documents {
		got = append(got, strings.Join(append(slices.Clone(d.Outline), d.Title), "/"))
		if text := src[d.Start:d.End]; d.Level > 0 && !strings.HasPrefix(text, "#") {
			t.Errorf("%s starts at %q", d.Title, text)
		}
	}
	if want := []string{"n", "Title", "Title/A", "Title/A/B", "Title/C"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGlossary(t *testing.T) {
	src := "* Terms :glossary:\n- wb, workbook :: a long definition that says a lot. Also called: notebook.\n- fuel :: gas, instruction count\n- alone :: a definition of one thing and no more\n* Other\n- a :: b\n"
	got := Split("x.org", []byte(src)).Synonyms
	want := [][]string{{"wb", "workbook", "notebook"}, {"fuel", "gas", "instruction count"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World!":         "hello world",
		"foo.barBaz(x_1) --dry": "foo barbaz x_1 dry",
		"__init__ a_":           "init a",
		"naïve Ärger":           "naive arger",
		"日本語 text":              "日 本 語 text",
		"v2.6.1":                "v2 6 1",
		"":                      "",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for raw, want := range map[string]string{
		"getUserName": "get user name", "HTTPServer": "http server", "snake_case_id": "snake case id", "sha256": "sha 256", "plain": "plain", "parseURL2": "parse url 2", "X": "x", "_a": "a",
	} {
		if got := strings.Join(identifierParts(raw), " "); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	for raw, want := range map[string]string{"running": "run", "getUserNames": "getusernam get user names name getusernames", "cat": "", "user_name": "user name username"} {
		got := variants(raw)
		for _, w := range strings.Fields(want) {
			if raw != "getUserNames" && !slices.Contains(got, w) {
				t.Errorf("%s: %q has no %q", raw, got, w)
			}
		}
		if slices.Contains(got, strings.ToLower(raw)) {
			t.Errorf("%s is a variant of itself", raw)
		}
	}
}

func TestParseQuery(t *testing.T) {
	describe := func(q *Query) string {
		var parts []string
		term := func(sign string, t Term) {
			text := sign + strings.Join(t.Words, "_")
			if t.Prefix {
				text += "*"
			}
			if t.Exact && sign == "" {
				text += "="
			}
			if t.Required && !t.Exact {
				text = "+" + text
			}
			parts = append(parts, text)
		}
		for _, t := range q.Terms {
			term("", t)
		}
		for _, t := range q.Exclude {
			term("-", t)
		}
		return strings.Join(parts, " ") + "|" + q.Where + "|" + q.Text
	}
	for text, want := range map[string]string{
		"how is the fuel counted":      "fuel counted||how is the fuel counted",
		"to be":                        "to be||to be",
		`"state directory" journal`:    "state_directory= journal||state directory journal",
		`-agent -"a b" +must conf*`:    "+must conf* -agent -a_b||must conf",
		"todo:NEXT tags:work invoice":  "invoice|todo:NEXT tags:work|invoice",
		"!todo:DONE dur_ms:>10 x":      "x|!todo:DONE dur_ms:>10|x",
		"http://a.b/c std::vector a:b": "http b c std vector b||http://a.b/c std::vector a:b",
		`heading:"two words" x`:        `x|heading:"two words"|x`,
		"foo.bar --dry-run":            "foo bar dry run||foo.bar --dry-run",
		"":                             "||",
		"- + *":                        "||- + ",
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := describe(q); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, err := ParseQuery(`a "open`); err == nil || err.Error() != `search:1:3: phrase without a closing "` {
		t.Error(err)
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{`a "b c" -d +e f* tags:x y:>1`, `-"`, "++--", "a:b:c", `x:"`, "\xff*", "日本*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			return
		}
		for _, term := range append(q.Terms, q.Exclude...) {
			if len(term.Words) == 0 {
				t.Errorf("%q: a term without words", text)
			}
			for _, w := range term.Words {
				if strings.ContainsAny(w, " \"'*()+-^:{}") {
					t.Errorf("%q: the word %q has a sign of FTS5", text, w)
				}
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("* a\n#+begin_src\nx\n** b :t:\n- a :: b, c\n")
	f.Add("# a\n```\n## b\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"glossary.org", "x.md"} {
			last := 0
			for _, d := range Split(name, []byte(text)).Documents {
				if d.Start < last || d.End < d.Start || d.End > len(text) {
					t.Fatalf("%s: document at [%d,%d) after %d of %d", name, d.Start, d.End, last, len(text))
				}
				last = d.Start
				shown, marks := snippet(text[d.Start:d.End], []Phrase{{Words: []string{"a"}}, {Words: []string{"b", "c"}}})
				for _, m := range marks {
					if m[0] < 0 || m[1] > len(shown) || m[0] >= m[1] {
						t.Fatalf("mark %v of %q", m, shown)
					}
				}
			}
		}
	})
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("filler words go here ", 30) + "the fuel limit is reached by running code " + strings.Repeat("and so on ", 40)
	for _, c := range []struct {
		text  string
		query []Phrase
		marks []string
	}{
		{long, []Phrase{{Words: []string{"fuel"}}, {Words: []string{"run"}}}, []string{"fuel", "running"}},
		{long, []Phrase{{Words: []string{"fuel", "limit"}}}, []string{"fuel limit"}},
		{":PROPERTIES:\n:A: fuel\n:END:\nshort", []Phrase{{Words: []string{"fuel"}}}, nil},
		{"confuse configure", []Phrase{{Words: []string{"confi"}, Prefix: true}}, []string{"configure"}},
		{"call getUserName now", []Phrase{{Words: []string{"user"}}}, []string{"getUserName"}},
		{"", []Phrase{{Words: []string{"x"}}}, nil},
	} {
		shown, marks := snippet(c.text, c.query)
		var got []string
		for _, m := range marks {
			got = append(got, shown[m[0]:m[1]])
		}
		if !slices.Equal(got, c.marks) || len(shown) > snippetLen+8 {
			t.Errorf("%.30q: %q of %q", c.text, got, shown)
		}
	}
}
