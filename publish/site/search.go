package site

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"wb/publish/page"
)

// record is a page in the search index.
type record struct {
	title, excerpt string
	length         int            // words of the page
	words          map[string]int // how often each is there; those of the title count more
}

// titleWeight is how many words of the text one of the title is worth.
const titleWeight = 8

// maxExcerpt bounds what a search result shows of a page, in runes.
const maxExcerpt = 150

// newRecord reads the words of a page: of what readers see, and of nothing else.
func newRecord(p *page.Page) *record {
	r := &record{title: p.Title, excerpt: p.Description, words: map[string]int{}}
	if r.excerpt == "" {
		r.excerpt = cut(p.Text, maxExcerpt)
	}
	for w := range words(p.Text) {
		r.length++
		r.words[w]++
	}
	for w := range words(p.Title + " " + strings.Join(p.Tags, " ")) {
		r.words[w] += titleWeight
	}
	return r
}

// cut shortens a text to about n runes, at a word.
func cut(text string, n int) string {
	if len(text) > 8*n {
		text = text[:8*n] // the last rune may be cut, and is not reached
	}
	text = strings.Join(strings.Fields(text), " ")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	short := string(runes[:n])
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return short + "…"
}

// words are those of a text as the index has them: in lower case, without
// accents, at most maxWord runes. Chinese and Japanese, which put nothing
// between words, are taken apart into pairs of characters. The script in the
// theme does the same to a query.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var word []rune
		var before rune // the ideograph before this one
		flush := func() bool {
			w := word
			word = word[:0]
			return len(w) < 2 || len(w) > maxWord || yield(string(w))
		}
		for _, r := range norm.NFKD.String(strings.ToLower(text)) {
			switch {
			case unicode.Is(unicode.Mn, r):
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				if !flush() || before != 0 && !yield(string([]rune{before, r})) {
					return
				}
				before = r
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
				word, before = append(word, r), 0
			default:
				before = 0
				if !flush() {
					return
				}
			}
		}
		flush()
	}
}

// maxWord bounds the words that are indexed, in runes: longer ones are hashes
// and addresses.
const maxWord = 32

// index writes the search index: a script, since pages opened from a disk may
// load those and nothing else. It calls wbSearch with
//
//	{pages: [[href, title, excerpt, words], …], words: {word: "page*count page …"}}
//
// where pages in a word's list are numbers of pages, each as the difference to
// the one before, and a count of 1 is left out.
func (b *Builder) index() ([]byte, error) {
	type list struct {
		out  strings.Builder
		last int
	}
	lists := map[string]*list{}
	var pages [][]any
	for i, d := range b.p.Documents {
		r := b.pages[d.Path].record
		pages = append(pages, []any{d.Page, r.title, r.excerpt, r.length})
		for w, n := range r.words {
			l := lists[w]
			if l == nil {
				l = &list{}
				lists[w] = l
			}
			if l.out.Len() > 0 {
				l.out.WriteByte(' ')
			}
			l.out.WriteString(strconv.Itoa(i - l.last))
			l.last = i
			if n > 1 {
				l.out.WriteByte('*')
				l.out.WriteString(strconv.Itoa(n))
			}
		}
	}
	var out bytes.Buffer
	out.WriteString("wbSearch({\"pages\":")
	if err := encode(&out, pages); err != nil {
		return nil, err
	}
	out.WriteString(",\"words\":{")
	for i, w := range slices.Sorted(maps.Keys(lists)) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		if err := encode(&out, w); err != nil {
			return nil, err
		}
		out.WriteString(":\"" + lists[w].out.String() + "\"")
	}
	out.WriteString("}})\n")
	return out.Bytes(), nil
}

func encode(out *bytes.Buffer, v any) error {
	text, err := json.Marshal(v)
	out.Write(text)
	return err
}
