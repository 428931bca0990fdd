package tangle

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

// target is a dedicated target <<x>> in running text; a link stored next to one
// points to it.
var target = lazyregexp.New(`[^<]<<([^<>]+)>>[^>]`)

// spot is a place in the document that a link can lead to.
type spot struct {
	offset  int // start of a line
	name    string
	heading *heading
}

func (b *block) spot() spot { return spot{b.Begin.Start, b.Name().Text, b.heading} }

// linkTo is the link that `:comments link` writes for a block: what Emacs
// stores with point on its begin line, relative to the directory of the tangled
// file. tangle is the value of :tangle.
func (p *planner) linkTo(s spot, tangle string) string {
	from := p.dir
	if dir := tangle[:strings.LastIndexByte(tangle, '/')+1]; dir != "" {
		from = elisp.Expand(dir, p.dir, p.opts.Machine.Home)
	}
	path := escapeLink(p.file + "::" + p.searchFor(s))
	return "file:" + elisp.Relative(elisp.Expand(path, p.dir, p.opts.Machine.Home), from)
}

// searchFor is the part of a link that finds the place in its file.
func (p *planner) searchFor(s spot) string {
	text := p.doc.Source()
	if name, ok := targetAt(text, s.offset); ok {
		return name
	}
	if s.name != "" {
		return s.name
	}
	if s.heading.node == nil {
		line, _, _ := strings.Cut(text[s.offset:], "\n")
		return contextSearch(line)
	}
	if s.heading.customID != "" {
		return "#" + s.heading.customID
	}
	return "*" + squeeze(s.heading.title)
}

// targetAt returns the dedicated target that touches offset, the start of a
// line; one line before and after it count.
func targetAt(text string, offset int) (string, bool) {
	if offset == 0 {
		return "", false
	}
	from := strings.LastIndexByte(text[:offset-1], '\n') + 1
	to := offset
	for range 2 {
		eol := strings.IndexByte(text[to:], '\n')
		if eol < 0 {
			to = len(text)
			break
		}
		to += eol + 1
	}
	if to > offset && text[to-1] == '\n' {
		to--
	}
	for at := from; at <= offset; {
		m := target.FindStringSubmatchIndex(text[at:to])
		if m == nil || at+m[0] > offset {
			return "", false
		}
		if at+m[1] >= offset {
			return text[at+m[2] : at+m[3]], true
		}
		at += m[1]
	}
	return "", false
}

// cookie is a statistics cookie such as [1/2] or [50%].
var cookie = lazyregexp.New(`\[[0-9]*(?:%|/[0-9]*)\]`)

var blanks = lazyregexp.New(`[ \t]+`)

// squeeze removes statistics cookies and packs blanks.
func squeeze(s string) string {
	return trim(blanks.ReplaceAllString(cookie.ReplaceAllString(s, " "), " "))
}

// contextSearch makes a search string of a line: without what a search would
// take for syntax.
func contextSearch(line string) string {
	s := squeeze(line)
	for {
		if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && len(s) > 1 {
			s = trim(s[1 : len(s)-1])
			continue
		}
		bare := strings.TrimLeft(s, "#*")
		if len(bare) == len(s) {
			return s
		}
		s = strings.TrimLeft(bare, " \t")
	}
}

// escapeLink puts a backslash before brackets, and doubles backslashes that
// stand before them or at the end.
func escapeLink(s string) string {
	var b strings.Builder
	run := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			run++
		case '[', ']':
			b.WriteString(strings.Repeat(`\`, run+1))
			run = 0
		default:
			run = 0
		}
		b.WriteByte(s[i])
	}
	b.WriteString(strings.Repeat(`\`, run))
	return b.String()
}

// fillTemplate replaces %key by its value; longer keys first, and values may
// hold further keys.
func fillTemplate(template string, data linkData) string {
	for _, pair := range [][2]string{
		{"%source-name", data.name}, {"%start-line", data.line}, {"%file", data.file}, {"%link", data.link},
	} {
		template = strings.ReplaceAll(template, pair[0], pair[1])
	}
	return template
}

// linkData holds the values for the comments around a block.
type linkData struct{ name, line, file, link string }

func (d linkData) open() string { return fillTemplate("[[%link][%source-name]]", d) }
func (d linkData) end() string  { return fillTemplate("%source-name ends here", d) }
