package tangle

import (
	"sort"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// block is one source block as tangling meets it.
type block struct {
	org.Block
	heading *heading
	// number counts the blocks under the same heading from 1, whatever their
	// language and whether they are tangled or not.
	number int

	args org.Args // read by planner.argsOf; nil until then
}

// heading holds what tangling needs to know of a headline; one for all blocks
// below it. The zero heading stands for the text above the first headline.
type heading struct {
	node     *org.Node // nil above the first headline
	title    string    // without keyword, priority and tags
	customID string
	silenced bool // below COMMENT or :ARCHIVE:
	comment  bool // below COMMENT
}

// match is a pair of #+begin_src and #+end_src as org-babel finds them: by
// searching, without regard to structure.
type match struct {
	begin int // start of the begin line
	end   int // behind "#+end_src"
}

// matches lists the pairs in the document. Where org's structure and the search
// disagree (a begin line inside an example, one that is never closed), the
// search swallows real blocks.
func matches(text string) []match {
	begins, ends := markers(text)
	var all []match
	for i, e := 0, 0; i < len(begins); i++ {
		if len(all) > 0 && begins[i] < all[len(all)-1].end {
			continue
		}
		for e < len(ends) && ends[e].start < begins[i] {
			e++
		}
		if e == len(ends) {
			break
		}
		all = append(all, match{begins[i], ends[e].after})
	}
	return all
}

// endMarker is a line that begins with #+end_src: its start and the place
// behind the word.
type endMarker struct{ start, after int }

// markers finds the lines that begin with #+begin_src and #+end_src, case and
// indentation ignored.
func markers(text string) (begins []int, ends []endMarker) {
	for pos := 0; pos < len(text); {
		hash := strings.Index(text[pos:], "#+")
		if hash < 0 {
			break
		}
		hash += pos
		pos = hash + 2
		line := hash
		for line > 0 && (text[line-1] == ' ' || text[line-1] == '\t') {
			line--
		}
		if line > 0 && text[line-1] != '\n' {
			continue
		}
		switch {
		case hasFold(text[hash:], "#+begin_src"):
			if strings.IndexByte(text[hash:], '\n') >= 0 {
				begins = append(begins, line)
			}
		case hasFold(text[hash:], "#+end_src"):
			ends = append(ends, endMarker{line, hash + len("#+end_src")})
		}
	}
	return begins, ends
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// collect finds the document's blocks: all of them in order, and those that are
// tangled. It warns where org-babel's search goes astray.
func collect(doc *org.Document, at place) (all, met []*block, warnings []Warning) {
	byStart := map[int]*block{} // by the start of the begin line
	headings := map[*org.Node]*heading{}
	for n := range doc.Nodes(org.KindSrcBlock) {
		view, _ := n.Block()
		b := &block{Block: view, heading: headingAt(doc, view.Begin.Start, headings)}
		byStart[view.Begin.Start] = b
		all = append(all, b)
	}
	var last *heading
	number, next := 0, 0
	for _, m := range matches(doc.Source()) {
		// The search counts a pair when it ends inside a real block.
		i := sort.Search(len(all), func(i int) bool { return all[i].Begin.Start >= m.end }) - 1
		if i < 0 || all[i].EndLine.End < m.end {
			continue
		}
		h := headingAt(doc, m.begin, headings)
		if h != last {
			last, number = h, 0
		}
		number++
		if b := byStart[m.begin]; b != nil {
			b.number = number
		} else {
			line, _ := doc.Position(m.begin)
			swallowed := "Emacs cannot tangle this document"
			if h.silenced {
				swallowed = "Emacs does not tangle this block"
			}
			warnings = append(warnings, at.warning(all[i].Begin.Start,
				"%s: the #+begin_src in line %d has no end of its own", swallowed, line))
		}
		for ; next <= i; next++ {
			b := all[next]
			if b.Begin.Start < m.begin {
				continue
			}
			// Where Emacs gives up, each block stands for itself; where it
			// passes over one, so do we.
			if b.Begin.Start == m.begin || !h.silenced {
				b.number = max(b.number, number)
				met = append(met, b)
			}
		}
	}
	return all, met, warnings
}

// latePriority is a title in which COMMENT stands behind a priority that is not
// its first word. To Org such a heading is a comment too.
var latePriority = lazyregexp.New(`^.*?\[#(?:[A-Z]|[0-9]{1,2})\] ?COMMENT(?: |$)`)

// headingAt is the heading over an offset.
func headingAt(doc *org.Document, offset int, known map[*org.Node]*heading) *heading {
	h, ok := doc.Headline(doc.At(offset))
	if !ok {
		if known[nil] == nil {
			known[nil] = &heading{title: ""}
		}
		return known[nil]
	}
	if seen := known[h.Node]; seen != nil {
		return seen
	}
	id, _ := h.Property("CUSTOM_ID")
	made := &heading{node: h.Node, title: h.Title.Text, customID: id}
	if id == "nil" {
		made.customID = ""
	}
	for up, ok := h, true; ok; up, ok = up.Up() {
		comment := up.Comment || latePriority.MatchString(up.Title.Text)
		made.comment = made.comment || comment
		made.silenced = made.silenced || comment || up.Archived()
	}
	known[h.Node] = made
	return made
}

// preserved reports whether the block keeps its indentation (-i).
func (b *block) preserved() bool { return hasSwitch(b.Switches.Text, "-i") }

func hasSwitch(switches, want string) bool {
	for _, word := range strings.Fields(switches) {
		if word == want {
			return true
		}
	}
	return false
}

// value is the block's text as org reads it: unquoted, dedented, without the
// final newline.
func (p *planner) value(b *block) string {
	text := p.doc.Text(b.Body)
	if p.marking {
		first, _ := p.doc.Position(b.Body.Start)
		text = markLines(text, first)
	}
	text = strings.TrimSuffix(Uncomma(text), "\n")
	if b.preserved() {
		return text
	}
	return Dedent(text)
}
