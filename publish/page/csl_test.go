package page_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/test/golden"
	"wb/internal/test/lanetest"
	"wb/publish/page"
)

// cslDir has documents with paragraphs that begin with "L1:", "L2:", ….
const cslDir = "testdata/csl"

var cslStyles = []string{"apa", "ieee", "chicago-author-date", "vancouver"}

// citer has what styles of CSL need; without its toolchains the test is skipped.
func citer(t *testing.T) compile.Citations {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "citeproc", "csl-locales", "csl-styles")
	return registry.Citations()
}

// cited exports a document with a line above it.
func cited(t *testing.T, citations compile.Citations, name, line string) (body string, messages []string) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(cslDir, name))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(cslDir, name)) }
	p, found, err := page.Fragment(t.Context(), name, []byte(line+"\n"+string(src)), page.Options{Read: read, Citations: citations})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		messages = append(messages, fmt.Sprintf("%d:%d: %s\n%s", f.Pos.Line, f.Pos.Col, f.Message, f.Hint))
	}
	return p.Body, messages
}

var (
	labelled = regexp.MustCompile(`(?s)<p[^>]*>\s*(L\d+:.*?)</p>`)
	ownEntry = regexp.MustCompile(`(?s)<li id="ref:[^"]*">(.*?)</li>`)
	anyTag   = regexp.MustCompile(`<[^>]*>`)
)

// spoken is the text of HTML.
func spoken(body string) string {
	text := html.UnescapeString(anyTag.ReplaceAllString(strings.ReplaceAll(body, "</div>", " "), ""))
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\u00a0", " ")), " ")
}

// lines are the paragraphs and the works of a page.
func lines(body string, entry *regexp.Regexp) []string {
	var out []string
	for _, form := range []*regexp.Regexp{labelled, entry} {
		for _, m := range form.FindAllStringSubmatch(body, -1) {
			out = append(out, spoken(m[1]))
		}
	}
	return out
}

// TestCitationStyles writes documents by styles of CSL. TestCitationsBesideEmacs, a
// long test, says how far Emacs writes the same.
func TestCitationStyles(t *testing.T) {
	citations := citer(t)
	files, err := filepath.Glob(filepath.Join(cslDir, "*.org"))
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	for _, style := range append(cslStyles, "chicago-note-bibliography", "nature") {
		var out strings.Builder
		for _, file := range files {
			name := filepath.Base(file)
			body, _ := cited(t, citations, name, "#+cite_export: csl "+style)
			fmt.Fprintf(&out, "%s\n%s\n\n", name, strings.Join(lines(body, ownEntry), "\n"))
		}
		golden.Check(t, filepath.Join(cslDir, style+".golden"), out.String())
	}
}

// TestCitationStyle looks at what surrounds a style: its file, links, mistakes.
func TestCitationStyle(t *testing.T) {
	citations := citer(t)
	body, messages := cited(t, citations, "01-styles.org", `#+cite_export: csl own.csl`)
	if want := `<span class="cite">&lt;<a href="#ref:knuth84">Knuth:1984</a>&gt;</span>`; !strings.Contains(strings.NewReplacer("&#60;", "&lt;", "&#62;", "&gt;").Replace(body), want) || len(messages) > 0 {
		t.Errorf("a document's own style: %v\n%s", messages, body)
	}
	if !strings.Contains(body, `<li id="ref:knuth84">`) {
		t.Errorf("there is nothing that citations lead to:\n%s", body)
	}
	body, _ = cited(t, citations, "01-styles.org", `#+cite_export: csl "own.csl" text`)
	if text := strings.Join(lines(body, ownEntry), "\n"); !strings.Contains(text, "Default Knuth <1984>") {
		t.Errorf("the style of citations without one is not text:\n%s", text)
	}
	dependent, _ := cited(t, citations, "01-styles.org", "#+cite_export: csl nature-genetics")
	nature, _ := cited(t, citations, "01-styles.org", "#+cite_export: csl nature")
	if dependent != nature || !strings.Contains(nature, "Default<span class=\"cite\"><sup>") {
		t.Errorf("a style that points to nature gives\n%s\nnot\n%s", dependent, nature)
	}
	for line, want := range map[string]string{
		"#+cite_export: csl vancuver":     "1:16: no style of CSL is named vancuver|did you mean vancouver?",
		"#+cite_export: csl broken.csl":   "carried out",
		"#+cite_export: csl no-style.csl": "this is no style of CSL",
		"#+cite_export: biblatex":         "1:16: wb writes citations with the processors basic and csl, not with biblatex",
	} {
		body, messages := cited(t, citations, "01-styles.org", line)
		said := strings.Join(messages, "\n")
		for part := range strings.SplitSeq(want, "|") {
			if !strings.Contains(strings.ReplaceAll(said, "citations are not written by a CSL style: ", ""), part) {
				t.Errorf("%s: no %q in %s", line, part, said)
			}
		}
		if !strings.Contains(body, `>Knuth, 1984</a>`) || strings.ContainsAny(body, "\ue014\ue015\ue016\ue017\ue01a") {
			t.Errorf("%s: the basic processor has not written the citations:\n%s", line, body)
		}
	}
	body, messages = cited(t, nil, "01-styles.org", "#+cite_export: csl apa")
	if len(messages) == 0 || !strings.Contains(messages[0], "no processor here") || !strings.Contains(body, ">Knuth, 1984</a>") {
		t.Errorf("without a processor: %v", messages)
	}
}
