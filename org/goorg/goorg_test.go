package goorg

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	goorg "github.com/niklasfasching/go-org/org"

	"wb/internal/test/corpus"
	"wb/org"
)

var show = flag.Bool("show", false, "show every difference")

// facts are what a document says, by kind: headlines, keywords, blocks, tables
// and items of lists, each as a line.
func facts(nodes []goorg.Node) map[string][]string {
	out := map[string][]string{}
	add := func(kind, format string, args ...any) {
		out[kind] = append(out[kind], strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	}
	var walk func(list []goorg.Node)
	walk = func(list []goorg.Node) {
		for _, n := range list {
			switch n := n.(type) {
			case goorg.Headline:
				add("headline", "%d %s [%s] %v %s %s", n.Lvl, n.Status, n.Priority, n.IsComment, goorg.String(n.Title...), strings.Join(n.Tags, ":"))
				if n.Properties != nil {
					for _, p := range n.Properties.Properties {
						add("property", "%s %s", strings.ToUpper(p[0]), p[1])
					}
				}
				walk(n.Children)
			case goorg.Include:
				add("keyword", "%s %s", n.Key, n.Value)
			case goorg.Keyword:
				add("keyword", "%s %s", n.Key, n.Value)
			case goorg.Block:
				text := ""
				if n.Name == "SRC" || n.Name == "EXAMPLE" || n.Name == "EXPORT" {
					text = goorg.String(n.Children...)
				} else {
					walk(n.Children)
				}
				add("block", "%s %s %s", n.Name, strings.Join(n.Parameters, " "), text)
				if n.Result != nil {
					walk([]goorg.Node{n.Result})
				}
			case goorg.Result:
				walk([]goorg.Node{n.Node})
			case goorg.NodeWithName:
				add("name", "%s", n.Name)
				walk([]goorg.Node{n.Node})
			case goorg.NodeWithMeta:
				walk([]goorg.Node{n.Node})
			case goorg.Drawer:
				add("drawer", "%s", n.Name)
				walk(n.Children)
			case goorg.PropertyDrawer:
				for _, p := range n.Properties {
					add("property", "%s %s", strings.ToUpper(p[0]), p[1])
				}
			case goorg.Table:
				for _, r := range n.Rows {
					var cells []string
					for _, c := range r.Columns {
						cells = append(cells, strings.TrimSpace(goorg.String(c.Children...)))
					}
					add("table", "%s", strings.Join(cells, " | "))
				}
			case goorg.List:
				walk(n.Items)
			case goorg.ListItem:
				add("item", "%s [%s] %s", n.Bullet, n.Status, n.Value)
				walk(n.Children)
			case goorg.DescriptiveListItem:
				add("item", "%s [%s] %s ::", n.Bullet, n.Status, goorg.String(n.Term...))
				walk(n.Details)
			case goorg.FootnoteDefinition:
				add("footnote", "%s", n.Name)
				walk(n.Children)
			case goorg.Example:
				add("example", "%s", goorg.String(n))
			}
		}
	}
	walk(nodes)
	return out
}

func ours(src string) *goorg.Document {
	return Document(org.Parse([]byte(src)), Options{Path: "a.org", Readable: true})
}

func theirs(src string) *goorg.Document {
	return goorg.New().Silent().Parse(strings.NewReader(src), "a.org")
}

// only are the lines of a that are not in b, one for one.
func only(a, b []string) (out []string) {
	rest := slices.Clone(b)
	for _, line := range a {
		if i := slices.Index(rest, line); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			out = append(out, line)
		}
	}
	return out
}

// faults are where go-org 1.9.1 reads otherwise than Org does, each with what
// Org's parser says of it (asked of Emacs 28.2).
var faults = map[string]string{
	"* TODO [#D] x\n":                           "headline: any letter is a priority; beyond C go-org leaves it in the title",
	"* FERTIG y\n* b\n#+TODO: TODO | FERTIG\n":  "headline: the keywords of a file hold for all of it; go-org learns them as it goes",
	"#+begin_src c\n,* x\n#+end_src\n":          "block: a comma before a star is not part of any block; go-org takes it off in few",
	"#+CAPTION: c\n#+ATTR_LATEX: :x y\n| a |\n": "keyword: a caption may stand above other affiliated keywords; go-org makes a keyword of it",
	"* a\ntext\n:PROPERTIES:\n:A: b\n:END:\n":   "property: a drawer behind text holds no properties; go-org takes them",
	":LOGBOOK:\ntext\n":                         "drawer: one without an end is none; go-org takes it",
	"| a || b |\n":                              "table: a cell may be empty; go-org leaves it out",
	"#+begin_src c\nx\n#+END_SRC\n#+NAME: a\n":  "keyword: a name above nothing is a keyword; go-org drops it",
	"- [x] a\n": "item: [x] is a box that is neither on nor off; go-org leaves it in the text",
	"#+NAME: a\n#+begin_src c\nx\n#+end_src\n\n#+RESULTS: a\n: 1\n": "keyword: the name of a result is kept; go-org drops it",
}

// TestFaults holds the list to the truth: each text is read differently.
func TestFaults(t *testing.T) {
	for src, fault := range faults {
		kind, _, _ := strings.Cut(fault, ":")
		a, b := facts(ours(src).Nodes), facts(theirs(src).Nodes)
		if slices.Equal(a[kind], b[kind]) {
			t.Errorf("%q: ours %v, go-org %v: %s", src, a[kind], b[kind], fault)
		}
	}
}

// known are the files in which one of the faults shows, with its kind.
var known = []string{"oql.org block", "article.org keyword", "misplaced-drawer.org property", "misplaced-drawer.org drawer", "unbalanced-drawer.org drawer"}

// TestBothReaders reads real and generated documents with both. Where they do not
// agree, it is by one of the faults above.
func TestBothReaders(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../docs/*.org", "../../examples/*.org", "../../examples/*/*.org", "../testdata/*.org"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	dir := t.TempDir()
	if err := corpus.Write(dir, corpus.Size{Files: 40, Headlines: 2000, Bytes: 800_000, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".org") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	total, differ, named := map[string]int{}, map[string]int{}, map[string]int{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a, b := facts(ours(string(src)).Nodes), facts(theirs(string(src)).Nodes)
		for _, kind := range []string{"headline", "property", "keyword", "block", "table", "item", "name", "footnote", "drawer"} {
			mine, other := only(a[kind], b[kind]), only(b[kind], a[kind])
			mine = slices.DeleteFunc(mine, func(line string) bool {
				if kind == "keyword" && strings.HasPrefix(line, "RESULTS") { // see faults
					named[kind]++
					return true
				}
				return false
			})
			total[kind] += len(a[kind])
			if slices.Contains(known, filepath.Base(name)+" "+kind) {
				named[kind] += len(mine)
				continue
			}
			differ[kind] += max(len(mine), len(other))
			if len(mine)+len(other) > 0 {
				t.Errorf("%s: %s: only ours %.200q, only go-org %.200q", name, kind, mine, other)
			}
			if *show {
				for _, line := range mine {
					t.Logf("%s: only ours: %s: %.150s", filepath.Base(name), kind, line)
				}
				for _, line := range other {
					t.Logf("%s: only go-org: %s: %.150s", filepath.Base(name), kind, line)
				}
			}
		}
	}
	for _, kind := range []string{"headline", "property", "keyword", "block", "table", "item", "name", "footnote", "drawer"} {
		t.Logf("%-9s %6d read alike, %5d by a known fault, %d otherwise", kind, total[kind]-differ[kind]-named[kind], named[kind], differ[kind])
	}
	if len(files) < 40 || total["headline"] < 500 {
		t.Errorf("only %d files, %v", len(files), total)
	}
}

// TestOrgWriter writes documents with go-org's Org writer and reads them again:
// nothing that both readers agree on is lost on the way.
func TestOrgWriter(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.org")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Document(org.Parse(src), Options{Path: name}).Write(NewOrgWriter())
		if err != nil {
			t.Fatal(err)
		}
		a, b := facts(ours(string(src)).Nodes), facts(ours(out).Nodes)
		for kind := range a {
			if lost, made := only(a[kind], b[kind]), only(b[kind], a[kind]); len(lost)+len(made) > 0 {
				t.Errorf("%s: %s: lost %.3q, made %.3q", name, kind, lost, made)
			}
		}
	}
}
