package page

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"
	"golang.org/x/tools/txtar"

	"wb/internal/test/emacs"
)

var confirmSeed = flag.Uint64("confirm-seed", 1, "seed of the random documents that Emacs judges")

// TestConfirm compares pages with what Emacs makes of the same documents: the
// text that readers see, headings, where links lead, the cells of tables, how
// lists nest. The documents are the cases of testdata/confirm.txtar and random
// mixtures of them.
func TestConfirm(t *testing.T) {
	e := emacs.Need(t)
	archive, err := txtar.ParseFile("testdata/confirm.txtar")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]string{}
	var names []string
	add := func(name, text string) {
		documents[name] = text
		names = append(names, name)
	}
	var pieces []string
	for _, f := range archive.Files {
		add(f.Name, string(f.Data))
		if !strings.HasPrefix(f.Name, "whole-") && !strings.HasPrefix(f.Name, "file-") {
			pieces = append(pieces, string(f.Data))
		}
	}
	random := rand.New(rand.NewPCG(*confirmSeed, 0))
	for i := range 75 {
		add(fmt.Sprintf("random-%03d.org", i), mixture(random, pieces))
	}
	dir := t.TempDir()
	var list strings.Builder
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(documents[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".org") && !strings.HasPrefix(name, "file-") {
			fmt.Fprintln(&list, file)
		}
	}
	listFile := filepath.Join(dir, "list")
	if err := os.WriteFile(listFile, []byte(list.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/export.el", listFile)
	compared := 0
	for _, name := range names {
		theirs, err := os.ReadFile(filepath.Join(dir, name+".html"))
		if err != nil {
			continue // a file that others include
		}
		compared++
		t.Run(name, func(t *testing.T) {
			read := func(file string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))) }
			src := documents[name]
			if !strings.Contains(src, "#+OPTIONS: H:") {
				src += "\n#+OPTIONS: H:5 tex:verbatim broken-links:mark\n"
			}
			p, _, err := Fragment(context.Background(), name, []byte(src), Options{Read: read})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(string(theirs), "ERROR") {
				t.Fatalf("Emacs: %s", theirs)
			}
			ours, want := outlineOf(t, p.Body), outlineOf(t, string(theirs))
			for i := range max(len(ours), len(want)) {
				a, b := "(nothing)", "(nothing)"
				if i < len(ours) {
					a = ours[i]
				}
				if i < len(want) {
					b = want[i]
				}
				if a != b {
					t.Fatalf("line %d:\n  wb:    %s\n  Emacs: %s\nafter %s", i, a, b, ours[max(0, i-1):i])
				}
			}
		})
	}
	if compared < 150 {
		t.Errorf("only %d documents", compared)
	}
}

// mixture is a document of some pieces below headings of random levels.
func mixture(random *rand.Rand, pieces []string) string {
	var out strings.Builder
	level := 1
	for i := range 3 + random.IntN(4) {
		level = 1 + random.IntN(min(level+1, 4))
		fmt.Fprintf(&out, "%s Part %d %s\n", strings.Repeat("*", level), i, []string{"", "", ":tag:", ":a:b:"}[random.IntN(4)])
		piece := pieces[random.IntN(len(pieces))]
		piece = regexp.MustCompile(`(?m)^\*+ `).ReplaceAllStringFunc(piece, func(stars string) string { return strings.Repeat("*", level) + stars })
		pairs := []string{"[fn::", "[fn::", "line (two)", fmt.Sprintf("line (p%d-two)", i)} // names that a piece gives, and the links to them, are its own
		for _, form := range []string{"[fn:", "#+NAME: ", ":CUSTOM_ID: ", "[[#", "<<t-", "[[t-", "[[n-", "(ref:", "[[("} {
			head, tail := form, ""
			if strings.HasSuffix(form, "t-") || strings.HasSuffix(form, "n-") {
				head, tail = form[:len(form)-2], form[len(form)-2:]
			}
			pairs = append(pairs, form, fmt.Sprintf("%sp%d-%s", head, i, tail))
		}
		piece = strings.NewReplacer(pairs...).Replace(piece)
		out.WriteString(piece + "\n")
	}
	return out.String()
}

// outlineOf is what two pages have in common when they say the same.
func outlineOf(t *testing.T, body string) []string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader("<body>" + body + "</body>"))
	if err != nil {
		t.Fatal(err)
	}
	o := &outliner{places: map[string]string{}}
	o.find(root, "top")
	o.blocks(root, "")
	o.flush()
	return append(o.lines, o.notes...)
}

type outliner struct {
	lines, notes []string
	text         strings.Builder
	prefix       string
	places       map[string]string // what stands at an id
}

// find says of each id what stands there: the heading above.
func (o *outliner) find(n *nethtml.Node, under string) string {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != nethtml.ElementNode {
			continue
		}
		if isHeading(c.Data) {
			under = "heading " + o.inline(c)
		}
		if id := get(c, "id"); id != "" {
			if o.places[id] == "" {
				o.places[id] = under
			}
		}
		under = o.find(c, under)
	}
	return under
}

func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

func get(n *nethtml.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *nethtml.Node, class string) bool {
	for _, c := range strings.Fields(get(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

func (o *outliner) flush() {
	text := strings.TrimSpace(strings.Join(strings.Fields(strings.ReplaceAll(o.text.String(), "\u00a0", " ")), " "))
	o.text.Reset()
	text = strings.TrimSpace(strings.TrimSuffix(text, "⏎"))
	if text != "" {
		o.lines = append(o.lines, o.prefix+text)
	}
}

// blocks goes through what stands on lines of its own.
func (o *outliner) blocks(n *nethtml.Node, prefix string) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		o.prefix = prefix
		if c.Type == nethtml.TextNode {
			o.text.WriteString(c.Data)
			continue
		}
		if c.Type != nethtml.ElementNode {
			continue
		}
		name := c.Data
		switch {
		case name == "head", name == "nav", has(c, "made"), get(c, "id") == "table-of-contents":
		case get(c, "id") == "footnotes" || has(c, "footnotes"):
			o.flush()
			o.footnotes(c)
		case isHeading(name):
			o.flush()
			o.lines = append(o.lines, prefix+name+": "+o.inline(c))
		case name == "pre":
			o.flush()
			o.lines = append(o.lines, prefix+"pre: "+strings.Join(strings.Fields(raw(c)), " "))
		case name == "table":
			o.flush()
			o.table(c, prefix)
		case name == "li", name == "dt", name == "dd":
			o.flush()
			o.lines = append(o.lines, prefix+name)
			o.blocks(c, prefix+"  ")
			o.flush()
		case has(c, "bibliography"):
			for item := c.FirstChild; item != nil; item = item.NextSibling {
				o.text.WriteString(o.spaced(item))
				o.flush()
			}
		case name == "blockquote", name == "ul", name == "ol", name == "dl":
			o.flush()
			o.lines = append(o.lines, prefix+name)
			o.blocks(c, prefix+"  ")
			o.flush()
		case name == "hr":
			o.flush()
			o.lines = append(o.lines, prefix+"hr")
		case name == "p", name == "div", name == "section", name == "figure", name == "figcaption", name == "body", name == "html", name == "aside", name == "details", name == "summary", name == "label", name == "caption", name == "main":
			o.flush()
			o.blocks(c, prefix)
			o.prefix = prefix
			o.flush()
		default:
			o.text.WriteString(o.one(c))
		}
	}
	o.prefix = prefix
}

func (o *outliner) footnotes(n *nethtml.Node) {
	number := 0
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != nethtml.ElementNode {
				continue
			}
			if has(c, "footdef") || c.Data == "li" && strings.HasPrefix(get(c, "id"), "fn:") {
				number++
				inner := &outliner{places: o.places}
				inner.blocks(c, "")
				inner.flush()
				text := strings.Join(inner.lines, " / ")
				o.notes = append(o.notes, fmt.Sprintf("note %d: %s", number, text))
				continue
			}
			walk(c)
		}
	}
	walk(n)
}

func (o *outliner) table(n *nethtml.Node, prefix string) {
	var walk func(*nethtml.Node, bool)
	walk = func(n *nethtml.Node, head bool) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != nethtml.ElementNode {
				continue
			}
			switch c.Data {
			case "tr":
				line := "tr:"
				if head {
					line = "th:"
				}
				for cell := c.FirstChild; cell != nil; cell = cell.NextSibling {
					if cell.Type != nethtml.ElementNode {
						continue
					}
					class := get(cell, "class")
					align := map[string]string{"r": ">", "org-right": ">", "c": "=", "org-center": "="}[strings.TrimSpace(class)]
					line += " " + align + o.inline(cell) + " |"
				}
				o.lines = append(o.lines, prefix+line)
			case "caption":
				o.lines = append(o.lines, prefix+o.inline(c))
			case "thead":
				walk(c, true)
			default:
				walk(c, head)
			}
		}
	}
	walk(n, false)
}

// raw is the text of an element as it stands.
func raw(n *nethtml.Node) string {
	if n.Type == nethtml.TextNode {
		return n.Data
	}
	var out strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out.WriteString(raw(c))
	}
	if has(n, "linenr") {
		return strings.TrimRight(out.String(), ": ") + " "
	}
	return out.String()
}

// inline is text with what marks it up.
func (o *outliner) inline(n *nethtml.Node) string {
	var out strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == nethtml.TextNode {
			out.WriteString(c.Data)
		} else if c.Type == nethtml.ElementNode {
			out.WriteString(o.one(c))
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\u00a0", " ")), " ")
}

var marks = map[string]string{"b": "*", "strong": "*", "i": "/", "em": "/", "code": "~", "samp": "~", "cite": "/", "del": "+", "u": "_", "sub": "_{", "sup": "^{"}

func (o *outliner) one(c *nethtml.Node) string {
	switch {
	case c.Data == "br":
		return " ⏎ "
	case c.Data == "img":
		return " !(" + get(c, "src") + ") "
	case c.Data == "a" && (strings.HasPrefix(get(c, "id"), "fnr") || has(c, "footref")):
		return "note " + raw(c)
	case c.Data == "a" && (has(c, "footnum") || has(c, "footback")):
		return ""
	case c.Data == "a" && get(c, "href") == "":
		return o.inline(c)
	case c.Data == "a":
		href := get(c, "href")
		if id, ok := strings.CutPrefix(href, "#"); ok {
			href = "#" + o.places[id]
		}
		return "[" + o.spaced(c) + "](" + href + ")"
	case has(c, "underline"):
		return "_" + o.spaced(c) + "_"
	case has(c, "box"):
		return map[string]string{"☑": "[X] ", "☐": "[ ] ", "◪": "[-] "}[raw(c)]
	case has(c, "cookie"):
		return "~" + o.spaced(c) + "~"
	case has(c, "cite"):
		return raw(c)
	case has(c, "section-number"), has(c, "section-number-2"):
		return ""
	case c.Data == "sup" && (has(c, "footref") || strings.HasPrefix(childID(c), "fnr")):
		return "^{" + o.spaced(c) + "}"
	case c.Data == "sup" && c.FirstChild != nil && has(c.FirstChild, "footnum"):
		return ""
	case marks[c.Data] != "":
		m := marks[c.Data]
		inner := o.spaced(c)
		if box := strings.ReplaceAll(inner, "\u00a0", " "); c.Data == "code" && (box == "[ ]" || box == "[X]" || box == "[-]") {
			return box + " "
		}
		if c.Data == "strong" && get(c, "id") != "" { // a heading that is an item
			return inner + " ⏎ "
		}
		return m + inner + m
	}
	return o.spaced(c)
}

func childID(n *nethtml.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return get(n.FirstChild, "id")
}

// spaced is inline with the blanks at both ends.
func (o *outliner) spaced(n *nethtml.Node) string {
	var out strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == nethtml.TextNode {
			out.WriteString(c.Data)
		} else if c.Type == nethtml.ElementNode {
			out.WriteString(o.one(c))
		}
	}
	return out.String()
}
