package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wb/org"
)

// quoteMarks open and close, double and single. Languages that are not there have
// the English ones.
var quoteMarks = map[string][4]string{"en": {"“", "”", "‘", "’"}, "de": {"„", "“", "‚", "‘"},
	"fr": {"«\u202f", "\u202f»", "“", "”"}, "es": {"«", "»", "“", "”"}}

// What a straight quote is. Those before apostrophe are places in [quoteMarks].
const (
	opening = iota
	closing
	innerOpening
	innerClosing
	apostrophe
	straight // a double quote that nothing closes
)

// quote is a straight quote at a place of the source.
type quote struct{ at, is int }

// quotesIn says what the straight quotes directly in a node become: those within an
// emphasis of it are on their own.
func (w *writer) quotesIn(n *org.Node) map[int]string {
	var texts []org.Token
	from, to := n.Start(), n.Start()
	for c := range n.Children() {
		if to == n.Start() {
			from = c.Start()
		}
		to = c.End()
		if c.Kind() == org.KindText {
			texts = append(texts, org.Token{Span: c.Span(), Text: c.Text()})
		}
	}
	if n.FirstChild() == nil {
		texts, to = []org.Token{{Span: n.Span(), Text: n.Text()}}, n.End()
	}
	return w.marksOf(texts, from, to)
}

// marksOf says what the straight quotes in texts become, which are parts of the
// source between two places, by the rules of Org: double quotes open and close in
// turn; single ones are apostrophes unless they open and close within double ones.
func (w *writer) marksOf(texts []org.Token, from, to int) map[int]string {
	var quotes []quote
	open := false
	for _, text := range texts {
		for i, c := range []byte(text.Text) {
			is := apostrophe
			switch {
			case c == '"' && open:
				is, open = closing, false
			case c == '"':
				is, open = opening, true
			case c != '\'':
				continue
			case open:
				is = w.inner(text, i, from, to)
			}
			quotes = append(quotes, quote{text.Start + i, is})
		}
	}
	balance(quotes)
	language, _, _ := strings.Cut(strings.ToLower(w.language()), "-")
	marks, ok := quoteMarks[language]
	if !ok {
		marks = quoteMarks["en"]
	}
	out := map[int]string{}
	for _, q := range quotes {
		switch q.is {
		case apostrophe:
			out[q.at] = "’"
		case straight:
			out[q.at] = "&#34;"
		default:
			out[q.at] = marks[q.is]
		}
	}
	return out
}

// balance makes apostrophes of single quotes that have no other side within their
// double ones, and leaves a double quote straight that nothing closes.
func balance(quotes []quote) {
	outer := -1     // the double quote that is open
	var inner []int // the single ones
	for i := range quotes {
		switch quotes[i].is {
		case opening:
			outer = i
		case innerOpening:
			inner = append(inner, i)
		case innerClosing:
			if len(inner) == 0 {
				quotes[i].is = apostrophe
				continue
			}
			inner = inner[:len(inner)-1]
		case closing:
			for _, j := range inner {
				quotes[j].is = apostrophe
			}
			outer, inner = -1, nil
		}
	}
	if outer < 0 {
		return
	}
	quotes[outer].is = straight
	for i := outer + 1; i < len(quotes); i++ {
		quotes[i].is = apostrophe
	}
}

// inner says whether the single quote at i of a text opens, closes or does neither,
// by what stands on both sides.
func (w *writer) inner(text org.Token, i, from, to int) int {
	before, after := blank, blank
	switch {
	case i > 0:
		r, _ := utf8.DecodeLastRuneInString(text.Text[:i])
		before = syntaxOf(r)
	case text.Start > from && !unicode.IsSpace(rune(w.doc.Source()[text.Start-1])): // an object
		before = word
	}
	switch {
	case i+1 < len(text.Text):
		r, _ := utf8.DecodeRuneInString(text.Text[i+1:])
		after = syntaxOf(r)
	case text.End < to:
		after = word
	}
	switch {
	case (before == blank || before == double || before == left) && (after == word || after == sign):
		return innerOpening
	case (before == word || before == sign) && (after == blank || after == double || after == right || after == sign):
		return innerClosing
	}
	return apostrophe
}

// syntax is how Emacs sorts characters.
type syntax int

const (
	blank  syntax = iota
	word          // and symbols
	sign          // of punctuation
	double        // a double quote
	left          // brackets
	right
)

func syntaxOf(r rune) syntax {
	switch {
	case unicode.IsSpace(r):
		return blank
	case r == '"':
		return double
	case r == '<' || unicode.Is(unicode.Ps, r):
		return left
	case r == '>' || unicode.Is(unicode.Pe, r):
		return right
	case unicode.IsPunct(r) && !strings.ContainsRune(`_-+*/&\\'`, r):
		return sign
	}
	return word
}

// quoted puts marks into the place of the straight quotes of a text, which stands at a
// place of the source; escaped is its HTML.
func (w *writer) quoted(text string, at int, escaped string) string {
	var out strings.Builder
	for i, c := range []byte(text) {
		if c != '"' && c != '\'' {
			continue
		}
		next := min(indexOr(escaped, "&#34;"), indexOr(escaped, "&#39;"))
		to, ok := w.quotes[at+i]
		if !ok {
			to = escaped[next : next+len("&#34;")]
		}
		out.WriteString(escaped[:next])
		out.WriteString(to)
		escaped = escaped[next+len("&#34;"):]
	}
	return out.String() + escaped
}

// indexOr is where a part stands in a text; its end, when it does not.
func indexOr(text, part string) int {
	if i := strings.Index(text, part); i >= 0 {
		return i
	}
	return len(text)
}
