// Package cite reads bibliographies and writes citations as Org's basic
// processor does: author and year, or numbers.
//
//	lib := cite.NewLibrary()
//	problems := lib.Add("refs.bib", src)
//	p := cite.New(lib, "author-year")
//	html := p.Cite(cite.Citation{Refs: []cite.Ref{{Key: "knuth84"}}})
//	list := p.Bibliography()
//
// A [Library] holds entries of BibTeX, biblatex and CSL-JSON files. A
// [Processor] remembers what a document cited, in order, since numbers and the
// letters behind years ("1984a") depend on it.
//
// Two things are nicer than in Emacs: names in running text are family names
// ("Knuth and Plass", "Ada et al."), and entries link to their DOI or URL.
// [Entry.CSL] makes items of works for the styles of CSL, which another program
// carries out (wb/compile/citeproc); [Suffix] finds the page that a citation names.
package cite

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Citation is one citation of the text. Prefixes and suffixes are HTML.
type Citation struct {
	Style, Variant string // "text", "author", "noauthor", "numeric", "note", "nocite", ""; or their short names
	Prefix, Suffix string // shared by all references
	Refs           []Ref
}

// Ref is one key of a citation.
type Ref struct{ Prefix, Key, Suffix string }

// Styles are the citation styles, by name and short name.
var Styles = map[string]string{"": "", "nil": "", "author": "author", "a": "author", "noauthor": "noauthor", "na": "noauthor", "text": "text", "t": "text",
	"note": "note", "ft": "note", "numeric": "numeric", "nb": "numeric", "nocite": "nocite", "n": "nocite"}

// Processor writes the citations of one document. It is not safe for
// concurrent use.
type Processor struct {
	lib     *Library
	style   string // of the bibliography: author-year, numeric or plain
	numbers map[string]int
	order   []string            // keys in the order they were first cited
	years   map[string][]string // author and year: the keys that share them
	uses    map[string]int      // how often a key was cited in the text
}

// New returns a processor whose bibliography has the style "author-year" (the
// default), "numeric" or "plain".
func New(lib *Library, style string) *Processor {
	return &Processor{lib: lib, style: style, numbers: map[string]int{}, years: map[string][]string{}, uses: map[string]int{}}
}

// See takes note of a key without showing it. Call it for all keys in document
// order before the first [Processor.Cite]: a year needs its letter only when
// another work of the same author and year is cited.
func (p *Processor) See(key string) {
	e, ok := p.lib.Entry(key)
	if _, seen := p.numbers[key]; seen || !ok {
		return
	}
	p.order = append(p.order, key)
	p.numbers[key] = len(p.order)
	same := e.Field("author") + "\x00" + e.Year()
	p.years[same] = append(p.years[same], key)
}

// ID is the anchor of an entry in the bibliography.
func ID(key string) string {
	return "ref:" + strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("\"'<>&`", r) {
			return '-'
		}
		return r
	}, key)
}

// Cite writes a citation as HTML. Keys that the library does not have are
// shown as they are; the caller reports them.
func (p *Processor) Cite(c Citation) string {
	style := Styles[c.Style]
	for _, r := range c.Refs {
		p.See(r.Key)
	}
	bare := slices.Contains([]string{"bare", "b", "bare-caps", "bc"}, c.Variant)
	caps := slices.Contains([]string{"caps", "c", "bare-caps", "bc"}, c.Variant)
	name := func(key string) string {
		a := p.authors(key)
		if caps {
			return capitalize(a)
		}
		return a
	}
	var parts []string
	open, shut := "(", ")"
	switch style {
	case "nocite":
		return ""
	case "numeric":
		return c.span("(" + c.Prefix + p.numberList(c.Refs) + c.Suffix + ")")
	case "author":
		open, shut = "", ""
		for _, r := range c.Refs {
			parts = append(parts, r.Prefix+p.link(r.Key, name(r.Key))+r.Suffix)
		}
	case "noauthor":
		for _, r := range c.Refs {
			parts = append(parts, r.Prefix+p.link(r.Key, p.year(r.Key))+r.Suffix)
		}
	case "text", "note":
		open, shut = "", ""
		for _, r := range c.Refs {
			year := " (" + p.year(r.Key) + ")"
			if bare {
				year = " " + p.year(r.Key)
			}
			parts = append(parts, r.Prefix+p.link(r.Key, name(r.Key)+year)+r.Suffix)
		}
	default:
		for _, r := range c.Refs {
			parts = append(parts, r.Prefix+p.link(r.Key, name(r.Key)+", "+p.year(r.Key))+r.Suffix)
		}
	}
	if bare {
		open, shut = "", ""
	}
	return c.span(open + c.Prefix + strings.Join(parts, "; ") + c.Suffix + shut)
}

func (c Citation) span(inner string) string { return `<span class="cite">` + inner + "</span>" }

// link leads to the entry in the bibliography.
func (p *Processor) link(key, text string) string {
	if _, ok := p.lib.Entry(key); !ok {
		return "<code>@" + html.EscapeString(key) + "</code>"
	}
	p.uses[key]++
	return fmt.Sprintf(`<a href="#%s">%s</a>`, html.EscapeString(ID(key)), text)
}

// numberList is "1, 3-5".
func (p *Processor) numberList(refs []Ref) string {
	var known []string
	var missing []string
	for _, r := range refs {
		if p.numbers[r.Key] > 0 {
			known = append(known, r.Key)
		} else {
			missing = append(missing, p.link(r.Key, ""))
		}
	}
	slices.SortFunc(known, func(a, b string) int { return p.numbers[a] - p.numbers[b] })
	known = slices.Compact(known)
	var out []string
	for i := 0; i < len(known); i++ {
		j := i
		for j+1 < len(known) && p.numbers[known[j+1]] == p.numbers[known[j]]+1 {
			j++
		}
		text := p.link(known[i], fmt.Sprint(p.numbers[known[i]]))
		if j > i+1 {
			text += "–" + p.link(known[j], fmt.Sprint(p.numbers[known[j]]))
			i = j
		}
		out = append(out, text)
	}
	return strings.Join(append(out, missing...), ", ")
}

// authors are the family names as running text has them.
func (p *Processor) authors(key string) string {
	e, _ := p.lib.Entry(key)
	names := e.Authors()
	switch len(names) {
	case 0:
		return "??"
	case 1:
		return names[0].Family
	case 2:
		return names[0].Family + " and " + names[1].Family
	}
	return names[0].Family + " et al."
}

// year is the year with a letter when the author's other works of that year
// are cited too.
func (p *Processor) year(key string) string {
	e, _ := p.lib.Entry(key)
	year := e.Year()
	if year == "" {
		return "????"
	}
	same := p.years[e.Field("author")+"\x00"+year]
	if at := slices.Index(same, key); len(same) > 1 && at >= 0 {
		return html.EscapeString(year) + letter(at)
	}
	return html.EscapeString(year)
}

// letter is a, b, … z, aa, ab, …
func letter(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}
	return letter(n/26-1) + letter(n%26)
}

func capitalize(text string) string {
	for i, r := range text {
		return strings.ToUpper(text[:i]+string(r)) + text[i+len(string(r)):]
	}
	return text
}

// Bibliography writes the list of what was cited, sorted by author, or by
// number for the style numeric. It is "" when nothing was.
func (p *Processor) Bibliography() string { return p.list(p.order) }

// All writes the list of everything in the library, as after
// [cite/nocite:@*].
func (p *Processor) All() string {
	for _, key := range p.lib.order {
		p.See(key)
	}
	return p.list(p.order)
}

// list writes entries.
func (p *Processor) list(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	keys = slices.Clone(keys)
	if p.style != "numeric" {
		slices.SortStableFunc(keys, func(a, b string) int {
			return strings.Compare(p.sortKey(a), p.sortKey(b))
		})
	}
	var out strings.Builder
	tag := "ul"
	if p.style == "numeric" {
		tag = "ol"
	}
	out.WriteString("<" + tag + " class=\"bibliography\">\n")
	for _, key := range keys {
		e, _ := p.lib.Entry(key)
		fmt.Fprintf(&out, "<li id=\"%s\">%s</li>\n", html.EscapeString(ID(key)), p.entry(e))
	}
	return out.String() + "</" + tag + ">\n"
}

func (p *Processor) sortKey(key string) string {
	e, _ := p.lib.Entry(key)
	var names []string
	for _, n := range e.Authors() {
		names = append(names, n.Family+" "+n.Given)
	}
	return strings.ToLower(strings.Join(names, "; ")) + "\x00" + e.Year() + "\x00" + e.HTML("title")
}

// entry is one work in the style of the bibliography.
func (p *Processor) entry(e *Entry) string {
	var names []string
	for _, n := range e.Authors() {
		names = append(names, n.String())
	}
	author := strings.Join(names, "; ")
	title := e.HTML("title")
	if url := e.URL(); url != "" {
		title = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(url), title)
	}
	from := e.source()
	switch p.style {
	case "numeric":
		return sentence(join(", ", author, "<cite>"+title+"</cite>", from, html.EscapeString(e.Year())))
	case "plain":
		if author != "" {
			author = sentence(author)
		}
		return sentence(join(" ", author, join(", ", title, from, html.EscapeString(e.Year()))))
	}
	who := author
	if year := p.year(e.Key); year != "????" || who == "" {
		who = join(" ", author, "("+strings.ReplaceAll(year, "????", "no year")+")")
	}
	return sentence(join(". ", who, join(", ", "<cite>"+title+"</cite>", from)))
}

// source is where a work appeared.
func (e *Entry) source() string {
	where := ""
	for _, field := range []string{"journal", "journaltitle", "booktitle", "publisher", "institution", "school", "organization", "howpublished"} {
		if where = e.HTML(field); where != "" {
			break
		}
	}
	if v := e.HTML("volume"); v != "" {
		where = join(" ", where, v)
		if n := e.HTML("number"); n != "" {
			where += "(" + n + ")"
		}
	}
	return join(", ", where, e.HTML("pages"))
}

// join joins what is there.
func join(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" || s == "<cite></cite>" }), by)
}

func sentence(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
