package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const bakery = `#+TITLE: Bakery
#+PROPERTY: header-args:sh :var unit=revenue

#+NAME: sales
| bread | 120 |
| cake  |   7 |

#+NAME: revenue
#+begin_src js :var rows=sales :results value
rows
#+end_src

#+RESULTS: revenue
: 1

#+NAME: helper
#+begin_src js
help
#+end_src

#+CALL: revenue(rows=sales)

#+begin_src js :noweb yes :session shop :post tidy(data=*this*)
<<helper>> <<revenue()>>
#+end_src

#+NAME: tidy
#+begin_src js :var data="" :session shop
data
#+end_src

See [[revenue]], [[*Totals][the totals]], [[#first]] and [fn:note]. {{{where(x)}}} <<spot>> [[spot]]
Inline call_revenue(rows=sales) too.
#+MACRO: where here $1

[fn:note] A note.

* Totals
:PROPERTIES:
:CUSTOM_ID: first
:out: total
:deps: revenue
:END:
#+begin_src js
1
#+end_src

* Report
:PROPERTIES:
:in: total budget
:deps: totals
:sig: report(total: f64, budget: f64) -> f64
:default-budget: 10
:END:
#+begin_src js
2
#+end_src
#+EXPECT: total = 1
#+EXPECT: revenue = 1
`

// TestOccurrences finds every place of each name: «…» marks in the listing.
func TestOccurrences(t *testing.T) {
	a := analyze("file:///b.org", "/b.org", 1, newText(bakery, utf16Positions))
	var got []string
	for _, o := range a.index().all {
		line, _ := a.doc.Position(o.span.Start)
		mark := "ref"
		if o.def {
			mark = "def"
		}
		key, port, ok := strings.Cut(o.symbol.key, "\x00")
		if ok {
			key += "." + port
		}
		got = append(got, fmt.Sprintf("%d %s %s %s %s", line, mark, o.symbol.kind, key, a.doc.Text(o.span)))
	}
	want := `2 ref name revenue revenue
4 def name sales sales
8 def name revenue revenue
9 ref name sales sales
13 ref name revenue revenue
16 def name helper helper
21 ref name revenue revenue
21 ref name sales sales
23 ref session js.shop shop
23 ref name tidy tidy
24 ref name helper helper
24 ref name revenue revenue
27 def name tidy tidy
28 ref session js.shop shop
32 ref name revenue revenue
32 ref headline totals Totals
32 ref custom-id first first
32 ref footnote note note
32 ref macro where where
32 def target spot spot
32 ref target spot spot
33 ref name revenue revenue
33 ref name sales sales
34 def macro where where
36 def footnote note note
38 def headline totals Totals
40 def custom-id first first
41 def port bakery/totals.total total
42 ref name revenue revenue
48 def headline report Report
50 ref port bakery/totals.total total
50 ref input budget budget
51 ref headline totals totals
52 ref port bakery/totals.total total
52 ref input budget budget
53 ref input budget budget
58 ref port bakery/totals.total total
59 ref name revenue revenue`
	if list := strings.Join(got, "\n"); list != want {
		t.Errorf("got\n%s", list)
	}
}

// at returns where a text stands in the bakery: its nth occurrence, from 1.
func bakeryAt(t *testing.T, needle string, nth int) position {
	t.Helper()
	from := -1
	for range nth {
		i := strings.Index(bakery[from+1:], needle)
		if i < 0 {
			t.Fatalf("no %q", needle)
		}
		from += 1 + i
	}
	return newText(bakery, utf16Positions).position(from)
}

func TestDefinition(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///bakery.org"
	c.open(uri, bakery)
	for _, x := range []struct {
		from   position
		line   int
		absent bool
	}{
		{from: bakeryAt(t, "sales :results", 1), line: 3},
		{from: bakeryAt(t, "revenue(rows", 1), line: 7},
		{from: bakeryAt(t, "helper>>", 1), line: 15},
		{from: bakeryAt(t, "Totals][", 1), line: 37},
		{from: bakeryAt(t, "first]]", 1), line: 39},
		{from: bakeryAt(t, "total budget", 1), line: 40},
		{from: bakeryAt(t, "totals\n:sig", 1), line: 37},
		{from: bakeryAt(t, "note].", 1), line: 35},
		{from: bakeryAt(t, "where(x)", 1), line: 33},
		{from: bakeryAt(t, "budget", 1), absent: true},
		{from: bakeryAt(t, "Inline", 1), absent: true},
		{from: bakeryAt(t, "total = 1", 1), line: 40},
	} {
		var got []location
		c.call("textDocument/definition", placeAt(uri, x.from), &got)
		switch {
		case x.absent && len(got) > 1, x.absent && len(got) == 1 && got[0].Range.Start.Line == x.from.Line:
			t.Errorf("%v leads to %v", x.from, got)
		case !x.absent && (len(got) != 1 || got[0].Range.Start.Line != x.line || got[0].URI != uri):
			t.Errorf("%v leads to %v, want line %d", x.from, got, x.line)
		}
	}
	c.close()
}

func TestReferencesAndHighlight(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///bakery.org"
	c.open(uri, bakery)
	lines := func(method string, params any) (lines []int) {
		var list []struct{ Range textRange }
		c.call(method, params, &list)
		for _, l := range list {
			lines = append(lines, l.Range.Start.Line+1)
		}
		return lines
	}
	at := placeAt(uri, bakeryAt(t, "revenue\n", 1))
	withDefinition := struct {
		placeParams
		Context map[string]bool `json:"context"`
	}{at, map[string]bool{"includeDeclaration": true}}
	if got := lines("textDocument/references", withDefinition); !slices.Equal(got, []int{2, 8, 13, 21, 24, 32, 33, 42, 59}) {
		t.Errorf("references on %v", got)
	}
	if got := lines("textDocument/references", at); !slices.Equal(got, []int{2, 13, 21, 24, 32, 33, 42, 59}) {
		t.Errorf("uses on %v", got)
	}
	if got := lines("textDocument/documentHighlight", at); len(got) != 9 {
		t.Errorf("highlights on %v", got)
	}
	c.close()
}

func TestRename(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///bakery.org"
	d := c.open(uri, bakery)
	rename := func(from position, to string) (string, error) {
		var edit workspaceEdit
		if err := c.try("textDocument/rename", renameParams{placeAt(uri, from), to}, &edit); err != nil {
			return "", err
		}
		if len(edit.DocumentChanges) != 1 {
			t.Fatalf("edits %+v", edit)
		}
		return textOf(t, d.snapshot().text, edit.DocumentChanges[0].Edits), nil
	}
	for _, x := range []struct{ needle, name, old, new string }{
		{"revenue(rows=sales)\n", "income", "revenue", "income"},
		{"sales :results", "takings", "sales", "takings"},
		{"total budget", "sum", "total", "sum"},
		{"budget: f64", "limit", "budget", "limit"},
		{"shop :post", "store", "shop", "store"},
		{"helper>>", "aid", "helper", "aid"},
	} {
		got, err := rename(bakeryAt(t, x.needle, 1), x.name)
		want := bakery
		for _, o := range []string{"deps: totals", "[[*Totals][the totals]]", "* Totals"} { // other words that hold "total"
			want = strings.ReplaceAll(want, o, strings.ReplaceAll(strings.ReplaceAll(o, "otal", "\x00"), "sales", "\x01"))
		}
		want = strings.ReplaceAll(strings.ReplaceAll(want, x.old, x.new), "\x00", "otal")
		if err != nil || got != want {
			t.Errorf("renaming %s to %s: %v\n%s", x.old, x.new, err, got)
		}
	}
	got, err := rename(bakeryAt(t, "Totals\n", 1), "All Sums")
	if err != nil || !strings.Contains(got, "* All Sums\n") || !strings.Contains(got, "[[*All Sums][the totals]]") || !strings.Contains(got, ":deps: all-sums") {
		t.Errorf("renaming a headline: %v\n%s", err, got)
	}
	for _, bad := range []string{"", "a b", "helper", "x)", " y"} {
		if _, err := rename(bakeryAt(t, "revenue\n", 1), bad); err == nil {
			t.Errorf("revenue may be renamed to %q", bad)
		}
	}
	var prepared prepareRename
	c.call("textDocument/prepareRename", placeAt(uri, bakeryAt(t, "revenue\n", 1)), &prepared)
	if prepared.Placeholder != "revenue" {
		t.Errorf("prepared %+v", prepared)
	}
	c.close()
}

// TestWorkspace follows ids and files between documents, open and on disk.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return fileURI(path)
	}
	far := write("deep/far.org", "* Far away\n:PROPERTIES:\n:ID: abc-123\n:END:\n#+NAME: thing\n| 1 |\n")
	write(".hidden/no.org", "* Far hidden\n")
	other := write("other.org", "See [[id:abc-123]].\n")
	near := fileURI(filepath.Join(dir, "near.org"))
	source, place := mark(t, "Go to [[id:abc‸-123][far]] or [[file:deep/far.org::thing]] or [[file:deep/far.org::*Far away]].\n#+INCLUDE: \"other.org\"\n")
	c := connect(t, testConfig(t), fmt.Sprintf(`{"rootUri":%q,"capabilities":{}}`, fileURI(dir)))
	c.open(near, source)
	var got []location
	c.call("textDocument/definition", placeAt(near, place), &got)
	if len(got) != 1 || got[0].URI != far || got[0].Range.Start.Line != 2 {
		t.Errorf("the id leads to %+v", got)
	}
	for needle, line := range map[string]int{"::thing": 4, "::*Far": 0} {
		c.call("textDocument/definition", placeAt(near, newText(source, utf16Positions).position(strings.Index(source, needle))), &got)
		if len(got) != 1 || got[0].URI != far || got[0].Range.Start.Line != line {
			t.Errorf("%s leads to %+v", needle, got)
		}
	}
	var edit workspaceEdit
	c.call("textDocument/rename", renameParams{placeAt(near, place), "xyz"}, &edit)
	if len(edit.Changes) != 3 || len(edit.Changes[far]) != 1 || len(edit.Changes[other]) != 1 || edit.DocumentChanges != nil {
		t.Errorf("renaming the id: %+v", edit)
	}
	var symbols []symbolInformation
	c.call("workspace/symbol", map[string]string{"query": "far"}, &symbols)
	if len(symbols) != 1 || symbols[0].Name != "Far away" || symbols[0].Location.URI != far {
		t.Errorf("symbols %+v", symbols)
	}
	var links []documentLink
	c.call("textDocument/documentLink", placeAt(near, place), &links)
	if len(links) != 3 || links[2].Target != other {
		t.Errorf("links %+v", links)
	}
	c.close()
}

func TestOutline(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///bakery.org"
	c.open(uri, bakery)
	var tree []documentSymbol
	c.call("textDocument/documentSymbol", placeAt(uri, position{}), &tree)
	var list []string
	var walk func([]*documentSymbol, string)
	walk = func(symbols []*documentSymbol, indent string) {
		for _, d := range symbols {
			list = append(list, indent+d.Name)
			if d.SelectionRange.Start.before(d.Range.Start) || d.Range.End.before(d.SelectionRange.End) {
				t.Errorf("%s is selected at %v outside %v", d.Name, d.SelectionRange, d.Range)
			}
			walk(d.Children, indent+" ")
		}
	}
	for _, d := range tree {
		walk([]*documentSymbol{&d}, "")
	}
	want := []string{"sales", "revenue", "helper", "call-1", "block-1", "tidy", "Totals", " total", "Report", " report"}
	if !slices.Equal(list, want) {
		t.Errorf("outline %q", list)
	}
	var folds []foldingRange
	c.call("textDocument/foldingRange", placeAt(uri, position{}), &folds)
	if !slices.Contains(folds, foldingRange{37, 45, "region"}) || !slices.Contains(folds, foldingRange{8, 10, ""}) || !slices.Contains(folds, foldingRange{38, 42, ""}) ||
		!slices.Contains(folds, foldingRange{12, 13, ""}) {
		t.Errorf("folds %v", folds)
	}
	c.close()
}

func TestHover(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := fileURI(filepath.Join(t.TempDir(), "bakery.org"))
	c.open(uri, bakery)
	for _, x := range []struct {
		at    position
		wants []string
	}{
		{bakeryAt(t, "js :var rows", 1), []string{"**js**", "words for tests", "jsscript"}},
		{bakeryAt(t, ":results value", 1), []string{"**:results**", "drawer"}},
		{bakeryAt(t, "revenue\n", 1), []string{"**revenue** · js", "in `rows` from `sales`", "Would run", "has not run"}},
		{bakeryAt(t, "rows\n#+end", 1), []string{"**revenue**"}},
		{bakeryAt(t, "sales :results", 1), []string{"**sales**", "| bread | 120 |"}},
		{bakeryAt(t, "Totals][", 1), []string{"bakery/totals", "out `total`"}},
		{bakeryAt(t, "budget\n", 1), []string{"--set budget"}},
		{bakeryAt(t, ":deps: totals", 1), []string{"must come first"}},
		{bakeryAt(t, "note].", 1), []string{"A note."}},
	} {
		var got *hover
		c.call("textDocument/hover", placeAt(uri, x.at), &got)
		for _, want := range x.wants {
			if got == nil || !strings.Contains(got.Contents.Value, want) {
				t.Errorf("hover at %v says %+v, want %q", x.at, got, want)
			}
		}
	}
	var none *hover
	c.call("textDocument/hover", placeAt(uri, bakeryAt(t, "See [[", 1)), &none)
	if none != nil {
		t.Errorf("hover on prose says %+v", none)
	}
	c.close()
}

func TestSemanticTokens(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///t.org"
	source := "* TODO Täsk :tag:\n#+begin_src js :var x=ä𝒳 :results value\n1\n#+end_src\n"
	c.open(uri, source)
	var answer struct{ Data []int }
	c.call("textDocument/semanticTokens/full", placeAt(uri, position{}), &answer)
	var got []string
	line, character := 0, 0
	txt := newText(source, utf16Positions)
	for i := 0; i+4 < len(answer.Data); i += 5 {
		if answer.Data[i] > 0 {
			character = 0
		}
		line, character = line+answer.Data[i], character+answer.Data[i+1]
		span := txt.span(textRange{position{line, character}, position{line, character + answer.Data[i+2]}})
		got = append(got, tokenTypes[answer.Data[i+3]]+" "+source[span.Start:span.End])
	}
	want := []string{"keyword TODO", "decorator :tag:", "type js", "property :var", "variable ä𝒳", "property :results", "string value"}
	if !slices.Equal(got, want) {
		t.Errorf("tokens %q", got)
	}
	var part struct{ Data []int }
	c.call("textDocument/semanticTokens/range", map[string]any{"textDocument": documentID{uri}, "range": textRange{position{0, 0}, position{1, 0}}}, &part)
	if len(part.Data) != 10 {
		t.Errorf("tokens of the first line: %v", part.Data)
	}
	c.close()
}

func TestFormatting(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///t.org"
	d := c.open(uri, "|a|bb|\n|-\n|ccc|d|\n")
	var edits []textEdit
	c.call("textDocument/formatting", placeAt(uri, position{}), &edits)
	if got := textOf(t, d.snapshot().text, edits); got != "| a   | bb |\n|-----+----|\n| ccc | d  |\n" {
		t.Errorf("formatted:\n%s", got)
	}
	c.call("textDocument/rangeFormatting", map[string]any{"textDocument": documentID{uri}, "range": textRange{position{0, 0}, position{3, 0}}}, &edits)
	if len(edits) == 0 {
		t.Error("the range is not formatted")
	}
	c.close()
}

// TestCompletion types at the mark and looks for a label and its text.
func TestCompletion(t *testing.T) {
	c := connect(t, testConfig(t), "")
	for i, x := range []struct{ marked, label, text string }{
		{"#+begin_src j‸\n#+end_src\n", "js", "js"},
		{"#+begin_src js :res‸\n#+end_src\n", ":results", ":results"},
		{"#+begin_src js :var x=1 :‸\n#+end_src\n", ":noweb", ":noweb"},
		{"#+begin_src js :results out‸\n#+end_src\n", "output", "output"},
		{"#+begin_src js :results value ra‸\n#+end_src\n", "raw", "raw"},
		{"#+begin_src js :uses ‸\n#+end_src\n", "clock", "clock"},
		{"#+begin_src js :profile n‸\n#+end_src\n", "network", "network"},
		{"#+HEADER: :exp‸\n#+begin_src js\n#+end_src\n", ":exports", ":exports"},
		{"#+PROPERTY: header-args :cac‸\n", ":cache", ":cache"},
		{"#+PROPERTY: header‸\n", "header-args:js", "header-args:js"},
		{"#+NAME: sales\n| 1 |\n#+begin_src js :var x=sa‸\n#+end_src\n", "sales", "sales"},
		{"#+NAME: sales\n#+begin_src js\n#+end_src\n#+CALL: s‸\n", "sales", "sales"},
		{"#+NAME: f\n#+begin_src js :var depth=1\n#+end_src\n#+CALL: f(‸\n", "depth", "depth="},
		{"#+NAME: f\n#+begin_src js\n#+end_src\n#+begin_src js :noweb yes\n<<‸\n#+end_src\n", "f", "f>>"},
		{"#+NAME: f\n#+begin_src js\n#+end_src\n#+begin_src js :noweb yes\n<<‸>>\n#+end_src\n", "f", "f"},
		{"#+TODO: TODO NEXT | DONE\n* NE‸\n", "NEXT", "NEXT"},
		{"* a :work:\n* b :wo‸\n", "work", "work"},
		{"* Great plan\n[[*Gre‸\n", "*Great plan", "*Great plan]]"},
		{"* A\n:PROPERTIES:\n:CUSTOM_ID: here\n:END:\n[[#‸]]\n", "#here", "#here"},
		{"* A\n:PROPERTIES:\n:ID: u-1\n:END:\n[[id:‸\n", "id:u-1", "id:u-1]]"},
		{"* A\n:PROPERTIES:\n:i‸\n:END:\n", "in", "in: "},
		{"* A\n:PROPERTIES:\n:out: total\n:END:\n#+begin_src js\n#+end_src\n* B\n:PROPERTIES:\n:in: t‸\n:END:\n#+begin_src js\n#+end_src\n", "total", "total"},
		{"* A\n:PROPERTIES:\n:uses: ‸\n:END:\n", "llm", "llm"},
		{"#+ti‸\n", "#+TITLE:", "#+TITLE:"},
		{"#+begin_s‸\n", "#+begin_src", "#+begin_src"},
		{"x[fn:a] y[fn:‸\n\n[fn:a] note\n", "a", "a"},
		{"#+MACRO: hi there\n{{{h‸\n", "hi", "hi"},
		{"#+NAME: n\n| 1 |\n\n#+EXPECT: ‸\n", "n", "n"},
		{"ä𝒳 [[*Ü‸ and more\n* Übung\n", "*Übung", "*Übung]]"},
	} {
		uri := fmt.Sprintf("file:///c%d.org", i)
		source, place := mark(t, x.marked)
		d := c.open(uri, source)
		var list completionList
		c.call("textDocument/completion", placeAt(uri, place), &list)
		at := slices.IndexFunc(list.Items, func(i completionItem) bool { return i.Label == x.label })
		if at < 0 {
			t.Errorf("%q: no %s among %d", x.marked, x.label, len(list.Items))
			continue
		}
		edit := list.Items[at].TextEdit
		before, _, _ := strings.Cut(x.marked, "‸")
		got := textOf(t, d.snapshot().text, []textEdit{*edit})
		if edit.NewText != x.text || !strings.HasPrefix(got, before[:strings.LastIndexAny(before, "\n ")+1]) {
			t.Errorf("%q: %+v gives %q", x.marked, edit, got)
		}
	}
	// In code, and where nothing fits, there is nothing to offer.
	for i, marked := range []string{"#+begin_src js\n:re‸\n#+end_src\n", "just pro‸se\n", "#+begin_src js\n* T‸\n#+end_src"} {
		uri := fmt.Sprintf("file:///n%d.org", i)
		source, place := mark(t, marked)
		c.open(uri, source)
		var list completionList
		c.call("textDocument/completion", placeAt(uri, place), &list)
		if len(list.Items) > 0 && i < 2 {
			t.Errorf("%q offers %d items", marked, len(list.Items))
		}
	}
	c.close()
}

// TestFixes applies the first fix of a document's first finding.
func TestFixes(t *testing.T) {
	c := connect(t, testConfig(t), "")
	for i, x := range []struct{ source, title, want string }{
		{"#+begin_src js :reslts value\n1\n#+end_src\n", "Change to :results", "#+begin_src js :results value\n1\n#+end_src\n"},
		{"#+NAME: sales\n| 1 |\n\n#+begin_src js :var x=saels\n1\n#+end_src\n", "Change to sales", "#+NAME: sales\n| 1 |\n\n#+begin_src js :var x=sales\n1\n#+end_src\n"},
		{"#+begin_src js :var x=nowhere\n1\n#+end_src\n", "Add a block named nowhere",
			"#+NAME: nowhere\n#+begin_src js\n\n#+end_src\n\n#+begin_src js :var x=nowhere\n1\n#+end_src\n"},
		{"#+begin_src jss\n1\n#+end_src\n", "Change to js", "#+begin_src js\n1\n#+end_src\n"},
		{"#+begin_src js\n1\n\n* Next\n", "Add #+end_src", "#+begin_src js\n1\n#+end_src\n\n* Next\n"},
		{"* A\n:PROPERTIES:\n:x: 1\ntext\n", "Add :END:", "* A\n:PROPERTIES:\n:x: 1\n:END:\ntext\n"},
		{"text\n#+end_src\n", "Remove this line", "text\n"},
		{"* WAITING for it\n", "Declare WAITING", "#+TODO: TODO WAITING | DONE\n* WAITING for it\n"},
		{"#+TITLE: x\n#+TODO: TODO | DONE\n* WAITING for it\n", "Declare WAITING", "#+TITLE: x\n#+TODO: TODO WAITING | DONE\n* WAITING for it\n"},
		{"* A\ntext\n:PROPERTIES:\n:x: 1\n:END:\n", "Move the drawer below its headline", "* A\n:PROPERTIES:\n:x: 1\n:END:\ntext\n"},
		{"* A\nSCHEDULED: <2026-06-06 Sat>\nDEADLINE: <2026-06-07 Sun>\n", "Join with the planning line", "* A\nSCHEDULED: <2026-06-06 Sat> DEADLINE: <2026-06-07 Sun>\n"},
		{"on <2026-06-06 Sat\n", "Change to <2026-06-06 Sat>", "on <2026-06-06 Sat>\n"},
		{"* B\n:PROPERTIES:\n:in: total\n:END:\n#+begin_src js\n1\n#+end_src\n", "Add a component that produces total",
			"* Make total\n:PROPERTIES:\n:out: total\n:END:\n#+begin_src js\n\n#+end_src\n\n* B\n:PROPERTIES:\n:in: total\n:END:\n#+begin_src js\n1\n#+end_src\n"},
		{"* B\n:PROPERTIES:\n:in: total\n:END:\n#+begin_src js\n1\n#+end_src\n", "Give total a default",
			"* B\n:PROPERTIES:\n:in: total\n:default-total: null\n:END:\n#+begin_src js\n1\n#+end_src\n"},
		{"* B\n:PROPERTIES:\n:out: x\n:END:\n", "Add a source block", "* B\n:PROPERTIES:\n:out: x\n:END:\n#+begin_src js\n\n#+end_src\n"},
		{"See [[*Gone]].\n", "Add the headline Gone", "See [[*Gone]].\n* Gone\n"},
		{"#+begin_src js :uses cloc\n1\n#+end_src\n", "Change to clock", "#+begin_src js :uses clock\n1\n#+end_src\n"},
	} {
		uri := fmt.Sprintf("file:///f%d.org", i)
		d := c.open(uri, x.source)
		found := c.await(uri, func(list []diagnostic) bool { return len(list) > 0 })
		var actions []codeAction
		c.call("textDocument/codeAction", map[string]any{"textDocument": documentID{uri}, "range": found[0].Range,
			"context": map[string]any{"diagnostics": found, "only": []string{"quickfix"}}}, &actions)
		at := slices.IndexFunc(actions, func(a codeAction) bool { return a.Title == x.title })
		if at < 0 {
			data, _ := json.Marshal(actions)
			t.Errorf("%q: no action %q among %s for %+v", x.source, x.title, data, found)
			continue
		}
		if got := textOf(t, d.snapshot().text, actions[at].Edit.DocumentChanges[0].Edits); got != x.want {
			t.Errorf("%q: %s gives\n%s", x.source, x.title, got)
		}
	}
	c.close()
}

func TestOtherActions(t *testing.T) {
	c := connect(t, testConfig(t), "")
	uri := "file:///o.org"
	source := "|a|bb|\n|c|d|\n\n#+begin_src js :reslts x :exprts y\n1\n#+end_src\n"
	d := c.open(uri, source)
	after := func(line int, title string, only ...string) string {
		t.Helper()
		var actions []codeAction
		c.call("textDocument/codeAction", map[string]any{"textDocument": documentID{uri}, "range": textRange{position{line, 0}, position{line, 0}},
			"context": map[string]any{"only": only}}, &actions)
		at := slices.IndexFunc(actions, func(a codeAction) bool { return a.Title == title })
		if at < 0 {
			t.Fatalf("no action %q in %+v", title, actions)
		}
		if actions[at].Command != nil {
			return actions[at].Command.Command
		}
		return textOf(t, d.snapshot().text, actions[at].Edit.DocumentChanges[0].Edits)
	}
	if got := after(0, "Fix all misspellings", "source.fixAll.wb"); !strings.Contains(got, ":results x :exports y") {
		t.Errorf("fixed all: %s", got)
	}
	if got := after(0, "Align tables, tags and properties"); !strings.HasPrefix(got, "| a | bb |\n| c | d  |\n") {
		t.Errorf("aligned: %s", got)
	}
	if got := after(4, "Name this block"); !strings.Contains(got, "#+NAME: block-1\n#+begin_src") {
		t.Errorf("named: %s", got)
	}
	if got := after(4, "Run block-1"); got != "wb.runBlock" {
		t.Errorf("runs %s", got)
	}
	var lenses []codeLens
	c.call("textDocument/codeLens", placeAt(uri, position{}), &lenses)
	if len(lenses) != 1 || lenses[0].Command.Command != "wb.runBlock" || lenses[0].Range.Start.Line != 3 {
		t.Errorf("lenses %+v", lenses)
	}
	c.close()
}
