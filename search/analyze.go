package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// A token is a word of a text: its place in bytes, and how it is searched.
type token struct {
	start, end int
	word       string // lower case, letters, digits and _
}

// scan cuts text into tokens: runs of letters, digits and underscores. Scripts
// that put no blanks between words give one token a character, so that any
// run of them can be found as a phrase.
func scan(text string) []token {
	tokens := make([]token, 0, len(text)/6)
	start := -1
	flush := func(end int) {
		if start >= 0 {
			if word := fold(text[start:end]); word != "" {
				tokens = append(tokens, token{start, end, word})
			}
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if !wordByte[r] {
				flush(i)
			} else if start < 0 {
				start = i
			}
		case unspaced(r):
			flush(i)
			end := i + len(string(r))
			tokens = append(tokens, token{i, end, text[i:end]})
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return tokens
}

// wordByte are the ASCII characters of words.
var wordByte = func() (is [utf8.RuneSelf]bool) {
	for c := range is {
		is[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
	}
	return is
}()

// fold is a word as it is searched: in lower case, Latin letters without their
// accents, and no _ around it.
func fold(raw string) string {
	word := strings.Trim(strings.ToLower(raw), "_")
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			return withoutAccents(word)
		}
	}
	return word
}

func withoutAccents(word string) string {
	var b strings.Builder
	base := rune(0)
	for _, r := range norm.NFD.String(word) {
		if unicode.Is(unicode.Mn, r) && base < utf8.RuneSelf {
			continue
		}
		if !unicode.Is(unicode.Mn, r) {
			base = r
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// unspaced reports whether a character belongs to a script without blanks
// between words.
func unspaced(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// Words are the words of a text as they are searched exactly.
func Words(text string) []string {
	tokens := scan(text)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.word
	}
	return words
}

// variants are the further words under which a token of a text is found: its
// stem, the parts of an identifier and their stems.
func variants(raw string) []string {
	word := fold(raw)
	var out []string
	add := func(w string) {
		if w != "" && w != word && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	add(stemOf(word))
	if parts := identifierParts(raw); len(parts) > 1 {
		for _, p := range parts {
			add(p)
			add(stemOf(p))
		}
		for from := range parts { // getUserName is found by userName
			for to := from + 2; to <= min(len(parts), from+maxRun); to++ {
				add(strings.Join(parts[from:to], ""))
			}
		}
		add(strings.Join(parts, ""))
	}
	return out
}

// maxRun is how many neighbouring parts of an identifier are a word together.
const maxRun = 4

// identifierParts splits camelCase, PascalCase, snake_case and HTTPServer2
// into lower-case words.
func identifierParts(raw string) []string {
	var parts []string
	runes := []rune(raw)
	start := 0
	flush := func(end int) {
		if end > start {
			parts = append(parts, fold(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case r == '_':
			flush(i)
			start = i + 1
		case i == start:
		case unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]):
			flush(i)
		case unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			flush(i) // the S of HTTPServer
		case unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			flush(i)
		}
	}
	flush(len(runes))
	return parts
}

// stemOf is the English stem of a word; words with digits or _ have none.
func stemOf(word string) string {
	for _, r := range word {
		if r < 'a' || r > 'z' {
			return word
		}
	}
	return english.Stem(word, false)
}

// analyzer remembers the variants of words: texts use few words often, and a
// stem takes longer to find than to remember. It serves one goroutine at a time.
type analyzer struct {
	memo map[string]string // raw word to its variants, each followed by a blank
}

// maxMemo bounds the words an analyzer remembers.
const maxMemo = 1 << 17

// more is the variants of a word as they are indexed.
func (a *analyzer) more(raw string) string {
	if text, ok := a.memo[raw]; ok {
		return text
	}
	var b strings.Builder
	for _, v := range variants(raw) {
		b.WriteString(v)
		b.WriteByte(' ')
	}
	if parts := identifierParts(raw); len(parts) > 1 { // the whole name counts more than a run of its parts
		b.WriteString(strings.Join(parts, "") + " ")
	}
	if len(raw) < 64 && len(a.memo) < maxMemo {
		if a.memo == nil {
			a.memo = map[string]string{}
		}
		a.memo[strings.Clone(raw)] = b.String()
	}
	return b.String()
}

// field is the indexed text of one field: the words in order, and their
// variants.
func (a *analyzer) field(text string) field {
	var words, more strings.Builder
	words.Grow(len(text))
	previous := token{}
	for i, t := range scan(text) {
		words.WriteString(t.word)
		words.WriteByte(' ')
		more.WriteString(a.more(text[t.start:t.end]))
		if i > 0 && text[previous.end:t.start] == "-" { // dry-run is also dryrun
			more.WriteString(previous.word + t.word + " ")
		}
		previous = t
	}
	return field{words.String(), more.String()}
}

// stopWords carry no meaning of their own in a question; they are searched
// only when nothing else is asked or in phrases.
var stopWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`a an and are as at be been but by can could did do does for from had has have how i if in
into is it its me my not of on or our shall should so that the their them then there these they this to was we were what
when where which who whom whose why will with would you your`) {
		stopWords[w] = true
	}
}
