package org

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Link is a link in any of its three forms.
type Link struct {
	*Node
	Form   LinkForm
	Target Token  // everything that says where the link leads
	Desc   Token  // the description of a bracket link
	Type   string // "https", "file", "id", …; "fuzzy", "custom-id", "coderef" or "radio" for places in the file
	Path   string // the target without its type, #+LINK: abbreviations expanded
	Search string // of file:path::search
}

// LinkForm is how a link is written.
type LinkForm uint8

// The forms of a Link.
const (
	BracketLink LinkForm = iota // [[target][description]]
	AngleLink                   // <type:path>
	PlainLink                   // type:path
	RadioLink                   // the text of a radio target
)

// linkTypes are the types of plain and angle links that Org knows as it
// starts.
var linkTypes = map[string]bool{
	"attachment": true, "bbdb": true, "bibtex": true, "docview": true, "doi": true, "elisp": true,
	"eww": true, "file": true, "file+emacs": true, "file+sys": true, "ftp": true, "gnus": true,
	"help": true, "http": true, "https": true, "id": true, "info": true, "irc": true, "mailto": true,
	"mhe": true, "news": true, "rmail": true, "shell": true, "shortdoc": true, "w3m": true,
}

// Link reads a node of [KindLink].
func (n *Node) Link() (Link, bool) {
	if n.kind != KindLink {
		return Link{}, false
	}
	s := n.doc.text
	link := Link{Node: n, Form: PlainLink, Target: n.token(n.Span())}
	switch {
	case strings.HasPrefix(n.Text(), "[["):
		link.Form = BracketLink
		target, _ := linkTarget(s, n.start, n.end)
		link.Target = n.token(target)
		if s[target.End+1] == '[' {
			link.Desc = n.token(Span{target.End + 2, n.end - 2})
		}
	case s[n.start] == '<':
		link.Form = AngleLink
		link.Target = n.token(Span{n.start + 1, n.end - 1})
	case linkType(s, n.start, n.end) == 0:
		link.Form, link.Type, link.Path = RadioLink, "radio", n.Text()
		return link, true
	}
	link.resolve()
	return link, true
}

// resolve tells the type from the path.
func (l *Link) resolve() {
	target := l.Target.Text
	if l.Form == BracketLink {
		target = l.doc.expandLink(foldLines(unescapeLink(target), " "))
	} else {
		target = foldLines(target, "")
	}
	typ, rest, ok := strings.Cut(target, ":")
	switch {
	case l.Form == BracketLink && (strings.HasPrefix(target, "/") || strings.HasPrefix(target, "~") ||
		strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../")):
		l.Type, l.Path = "file", target
	case ok && linkTypes[typ]:
		l.Type, l.Path = typ, rest
	case strings.HasPrefix(target, "(") && strings.HasSuffix(target, ")"):
		l.Type, l.Path = "coderef", target[1:len(target)-1]
	case strings.HasPrefix(target, "#"):
		l.Type, l.Path = "custom-id", target[1:]
	default:
		l.Type, l.Path = "fuzzy", target
	}
	if l.Type == "file+sys" || l.Type == "file+emacs" {
		l.Type = "file"
	}
	if l.Type == "file" {
		l.Path, l.Search, _ = strings.Cut(l.Path, "::")
	}
}

// expandLink replaces an abbreviation that #+LINK: declares: in "key:tag" the
// tag takes the place of %s, or of %h in its URL-encoded form, or is appended.
func (d *Document) expandLink(target string) string {
	key, tag, tagged := strings.Cut(target, ":")
	for i := range d.settings.links {
		abbrev := &d.settings.links[i]
		if abbrev.key != key {
			continue
		}
		if tagged {
			tag = strings.TrimPrefix(tag, ":")
		}
		switch {
		case strings.Contains(abbrev.text, "%("): // a lisp function
			return target
		case strings.Contains(abbrev.text, "%s"):
			return strings.Replace(abbrev.text, "%s", tag, 1)
		case strings.Contains(abbrev.text, "%h"):
			return strings.Replace(abbrev.text, "%h", url.PathEscape(tag), 1)
		}
		return abbrev.text + tag
	}
	return target
}

// foldLines replaces each line ending and the blanks around it.
func foldLines(text, by string) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i > 0 {
			lines[i] = strings.TrimLeft(lines[i], " \t")
		}
		if i < len(lines)-1 {
			lines[i] = strings.TrimRight(lines[i], " \t\r")
		}
	}
	return strings.Join(lines, by)
}

// unescapeLink removes the backslashes that protect brackets.
func unescapeLink(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			i++
			continue
		}
		run := i
		for i < len(s) && s[i] == '\\' {
			i++
		}
		n := i - run
		if i == len(s) || s[i] == '[' || s[i] == ']' {
			n /= 2
		}
		out.WriteString(s[run : run+n])
	}
	return out.String()
}

// bracketLink reads [[target]] or [[target][description]].
func (p *objectParser) bracketLink(j *objectJob, pos int) (object, bool) {
	target, ok := linkTarget(p.src, pos, j.end)
	if !ok || target.End+1 >= j.end {
		return object{}, false
	}
	o := object{kind: KindLink, start: pos}
	switch p.src[target.End+1] {
	case ']':
		o.end = target.End + 2
		return o, true
	case '[':
		desc := target.End + 2
		if end, ok := p.find.next("]]", desc+1, j.end); ok {
			o.end, o.innerStart, o.innerEnd, o.set = end+2, desc, end, linkSet
			return o, true
		}
	}
	return object{}, false
}

// angleLink reads <type:path>. The path may span lines but no blank one.
func (p *objectParser) angleLink(j *objectJob, pos int) (object, bool) {
	colon := linkType(p.src, pos+1, j.end)
	if colon == 0 {
		return object{}, false
	}
	end, ok := p.find.next(">", colon+1, j.end)
	if !ok {
		return object{}, false
	}
	for i := colon + 1; ; {
		k := strings.IndexByte(p.src[i:end], '\n')
		if k < 0 {
			return object{kind: KindLink, start: pos, end: end + 1}, true
		}
		i = skipBlanks(p.src, i+k+1, end)
		if i == end || p.src[i] == '\n' {
			return object{}, false
		}
	}
}

// linkType returns the offset of the colon behind a known type at pos, or 0.
func linkType(s string, pos, end int) int {
	const longest = len("attachment")
	for i := pos; i < end && i <= pos+longest; i++ {
		c := s[i]
		if c == ':' {
			var buf [longest]byte
			if linkTypes[string(lowerASCII(buf[:0], s[pos:i]))] {
				return i
			}
			return 0
		}
		if !isAlnum(c) && c != '+' {
			return 0
		}
	}
	return 0
}

// plainLink reads type:path. The path ends before white space and trailing
// punctuation; brackets in it must match, two levels deep.
func (p *objectParser) plainLink(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindLink) {
		return object{}, false
	}
	colon := linkType(p.src, pos, j.end)
	if colon == 0 || !p.atWordStart(j, pos) {
		return object{}, false
	}
	end := pathEnd(p.src, colon+1, j.end)
	return object{kind: KindLink, start: pos, end: end}, end > 0
}

// pathEnd returns the end of the longest path at pos that does not end in
// punctuation; 0 when there is none.
func pathEnd(s string, pos, end int) int {
	last, start := 0, pos
	for pos < end {
		next, final := pos, false
		c := s[pos]
		switch {
		case c == '(' || c == '[' || c == '<':
			next = groupEnd(s, pos, end)
			final = true
			if next == 0 {
				return last
			}
		case !isPathByte(c):
			return last
		case c < utf8.RuneSelf:
			next++
			final = isAlnum(c) || c == '-' || c == '/' || c < ' ' && c != '\r' && c != '\f' && c != '\v'
		default:
			r, size := utf8.DecodeRuneInString(s[pos:end])
			next += size
			final = isSyntaxWord(r)
		}
		if final && pos > start {
			last = next
		}
		pos = next
	}
	return last
}

func isPathByte(c byte) bool { return strings.IndexByte("[] \t\n()<>", c) < 0 }

// groupEnd returns the end of a bracketed group in a path, which may hold
// groups without groups; 0 when it is not closed.
func groupEnd(s string, pos, end int) int {
	for i := pos + 1; i < end; {
		switch c := s[i]; {
		case isPathByte(c):
			i++
		case c == '(' || c == '[' || c == '<':
			for i++; i < end && isPathByte(s[i]); i++ {
			}
			if i == end || !isClosing(s[i]) {
				return 0
			}
			i++
		case isClosing(c):
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

func isClosing(c byte) bool { return c == ')' || c == ']' || c == '>' }
