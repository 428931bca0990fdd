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

// record is a part of a page in the search index: a heading and what stands below it.
type record struct {
	ID, Title string
	Length    int    // words of the text
	Words     string // lines of a word, a blank, and how often it is there; those of titles count more
}

// titleWeight is how many words of the text one of a heading is worth, pageWeight one
// of the page's title or tags, for the page's beginning.
const (
	titleWeight = 8
	pageWeight  = 12
)

// newRecords reads the words of a page: of what readers see, and of nothing else.
// Parts without an id are one record, the page's beginning.
func newRecords(p *page.Page) []record {
	out := []record{{}}
	counts := []map[string]int{{}}
	for w := range words(p.Title + " " + strings.Join(p.Tags, " ")) {
		counts[0][w] += pageWeight
	}
	for _, part := range p.Parts {
		at := 0
		if part.ID != "" {
			at = len(out)
			out = append(out, record{ID: part.ID, Title: part.Title})
			counts = append(counts, map[string]int{})
		}
		for w := range words(part.Text) {
			out[at].Length++
			counts[at][w]++
		}
		for w := range words(part.Title) {
			counts[at][w] += titleWeight
		}
	}
	for i, count := range counts {
		var text strings.Builder
		for _, w := range slices.Sorted(maps.Keys(count)) {
			text.WriteString(w + " " + strconv.Itoa(count[w]) + "\n")
		}
		out[i].Words = text.String()
	}
	return out
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

// index writes the search index of the pages in one language: a script, since pages opened from a disk may
// load those and nothing else. It calls wbSearch with
//
//	{pages: [[href, title], …], parts: [[page, words, title, id], …], words: "…"}
//
// A part's page is a number, as the difference to that of the part before; one without
// a title and an id is the beginning of its page, and an id that [plainID] makes of the
// title is left out. A line of words is a word and its list: how many characters it
// shares with the word before (in base 36), the rest, a blank, and the parts that have
// it, as [posting] writes them. The texts are on the pages, where the script reads the
// passages that it shows.
func (b *Builder) index(lang string) ([]byte, error) {
	type list struct {
		out  strings.Builder
		last int
	}
	lists := map[string]*list{}
	var pages, parts [][]any
	n, before := 0, 0
	for _, d := range b.p.Documents {
		if d.Lang != lang {
			continue
		}
		built, i := b.pages[d.Path], len(pages)
		pages = append(pages, []any{d.Page, built.Title})
		for _, r := range built.Records {
			part := []any{i - before, r.Length}
			if before = i; r.ID != "" {
				if part = append(part, r.Title); plainID(r.Title) != r.ID {
					part = append(part, r.ID)
				}
			}
			parts = append(parts, part)
			for line := range strings.Lines(r.Words) {
				w, often, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				count, err := strconv.Atoi(often)
				if err != nil {
					return nil, err
				}
				l := lists[w]
				if l == nil {
					l = &list{}
					lists[w] = l
				}
				posting(&l.out, n-l.last, count)
				l.last = n
			}
			n++
		}
	}
	var text strings.Builder
	last := ""
	for i, w := range slices.Sorted(maps.Keys(lists)) {
		if i > 0 {
			text.WriteByte('\n')
		}
		same := shared(last, w)
		text.WriteString(strconv.FormatInt(int64(same), 36) + w[same:] + " " + lists[w].out.String())
		last = w
	}
	var out bytes.Buffer
	out.WriteString("wbSearch({\"pages\":")
	if err := encode(&out, pages); err != nil {
		return nil, err
	}
	out.WriteString(",\n\"parts\":")
	if err := encode(&out, parts); err != nil {
		return nil, err
	}
	out.WriteString(",\n\"words\":")
	if err := encode(&out, text.String()); err != nil {
		return nil, err
	}
	out.WriteString("})\n")
	return out.Bytes(), nil
}

// The digits of postings: of 32 each, those that others follow and those that end a
// number, and the characters for how often, from 2 on.
const (
	moreDigits = "0123456789abcdefghijklmnopqrstuv"
	lastDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%()"
	oftenMarks = ":;=?@[]^_`{|}~"
)

// posting writes a number, and how often unless that is once.
func posting(out *strings.Builder, n, count int) {
	var high []byte
	for rest := n / 32; rest > 0; rest /= 32 {
		high = append(high, moreDigits[rest%32])
	}
	slices.Reverse(high)
	out.Write(high)
	out.WriteByte(lastDigits[n%32])
	if count > 1 {
		out.WriteByte(oftenMarks[min(count-2, len(oftenMarks)-1)])
	}
}

// plainID is the id that most headings get, as the script makes it of their titles.
func plainID(title string) string {
	var out strings.Builder
	for _, c := range []byte(title) {
		switch {
		case 'A' <= c && c <= 'Z':
			out.WriteByte(c | 0x20)
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			out.WriteByte(c)
		case out.Len() > 0 && out.String()[out.Len()-1] != '-':
			out.WriteByte('-')
		}
	}
	return strings.TrimSuffix(out.String(), "-")
}

// shared is how many bytes two words begin with alike: whole characters of one
// UTF-16 unit, as the script counts, so only ASCII.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b), 35) && a[n] == b[n] && a[n] < 0x80 {
		n++
	}
	return n
}

func encode(out *bytes.Buffer, v any) error {
	text, err := json.Marshal(v)
	out.Write(text)
	return err
}
