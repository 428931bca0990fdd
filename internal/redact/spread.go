package redact

import (
	"fmt"
	"slices"
	"strings"
)

// spread is a secret whose letters or bytes stand one after the other with gaps
// between, in any case.
type spread struct {
	tokens   []string // what stands there; anyDigit is any digit of hex
	prefixes []string // one of them may stand before a token
	between  string   // what may stand between two, a few times
	column   bool     // the lines of the dump may end with its text
}

// anyDigit is a digit of a byte that is not the secret's.
const anyDigit = "\x00"

// mostBetween is how many characters may stand between two tokens on a line.
const mostBetween = 4

// spreads are the ways in which commands spread a secret: with blanks between its
// letters, forwards and backwards; its bytes in hex as dumps print them, with blanks,
// colons or commas between; and by words of two bytes, the lower first.
func spreads(secret string) []spread {
	var letters, digits []string
	for _, c := range secret {
		letters = append(letters, string(c))
	}
	for _, b := range []byte(secret) {
		digits = append(digits, fmt.Sprintf("%02x", b))
	}
	backwards := slices.Clone(letters)
	slices.Reverse(backwards)
	const blanks = " \t"
	return []spread{{tokens: letters, between: blanks}, {tokens: backwards, between: blanks},
		{tokens: digits, prefixes: []string{"0x", `\x`, "%"}, between: blanks + ":,", column: true},
		{tokens: words(digits), between: blanks}, {tokens: words(append([]string{anyDigit + anyDigit}, digits...)), between: blanks}}
}

// words are bytes by two, the lower first, as od -x and hexdump print them.
func words(digits []string) []string {
	var all []string
	for pair := range slices.Chunk(digits, 2) {
		if len(pair) == 1 {
			pair = []string{pair[0], anyDigit + anyDigit}
		}
		all = append(all, pair[1]+pair[0])
	}
	return all
}

// match is where a secret that begins at a place ends, -1 if none does.
func (s *spread) match(text string, at int) int {
	end := s.token(text, at, s.tokens[0])
	for _, token := range s.tokens[1:] {
		if end < 0 {
			return -1
		}
		end = s.next(text, end, token)
	}
	if s.column && end >= 0 {
		return restOfLine(text, end)
	}
	return end
}

// token is where a token that begins at a place ends, -1 if it is another.
func (s *spread) token(text string, at int, token string) int {
	if same(text, at, token) {
		return at + len(token)
	}
	for _, p := range s.prefixes {
		if same(text, at, p) && same(text, at+len(p), token) {
			return at + len(p) + len(token)
		}
	}
	return -1
}

// next is where the next token ends: on the same line, or on the next one, which may
// begin with an offset.
func (s *spread) next(text string, at int, token string) int {
	i := at
	for ; i-at <= mostBetween; i++ {
		if end := s.token(text, i, token); end >= 0 {
			return end
		}
		if i == len(text) || strings.IndexByte(s.between, text[i]) < 0 {
			break
		}
	}
	if s.column && at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		if line := strings.IndexByte(text[at:], '\n'); line >= 0 {
			i = at + line
		}
	}
	if same(text, i, "\r") {
		i++
	}
	if !same(text, i, "\n") {
		return -1
	}
	i = skip(text, i+1, " \t")
	offset := skip(text, i, hexDigits)
	if width := offset - i; 6 <= width && width <= 8 {
		if same(text, offset, ":") {
			offset++
		}
		if end := s.token(text, skip(text, offset, " \t"), token); end >= 0 {
			return end
		}
	}
	return s.token(text, i, token)
}

const hexDigits = "0123456789abcdefABCDEF"

// restOfLine is the end of a dump's line where its text follows, after more bytes.
func restOfLine(text string, at int) int {
	bytes := at
	for i := at; ; bytes = i {
		i = skip(text, i, " \t")
		digits := skip(text, i, hexDigits)
		if width := digits - i; i-bytes > 2 || width != 2 && width != 4 {
			break
		}
		i = digits
	}
	column := skip(text, bytes, " \t")
	if column-bytes < 2 || column == len(text) || text[column] == '\n' {
		return at
	}
	if line := strings.IndexByte(text[column:], '\n'); line >= 0 {
		return column + line
	}
	return len(text)
}

// skip is the first place from one on at which none of some characters stands.
func skip(text string, at int, chars string) int {
	for at < len(text) && strings.IndexByte(chars, text[at]) >= 0 {
		at++
	}
	return at
}

// same reports whether a token stands at a place, in whatever case.
func same(text string, at int, token string) bool {
	if at+len(token) > len(text) {
		return false
	}
	if strings.HasPrefix(token, anyDigit) || strings.HasSuffix(token, anyDigit) {
		for i, c := range []byte(token) {
			if c == anyDigit[0] && strings.IndexByte(hexDigits, text[at+i]) < 0 || c != anyDigit[0] && lower(text[at+i]) != c {
				return false
			}
		}
		return true
	}
	return strings.EqualFold(text[at:at+len(token)], token)
}

// begins marks the bytes with which a token of a spread can begin.
func (s *spread) begins(first *[256]bool) {
	for _, token := range append(slices.Clone(s.prefixes), s.tokens[0], strings.ToUpper(s.tokens[0]), strings.ToLower(s.tokens[0])) {
		if token[0] != anyDigit[0] {
			first[token[0]] = true
			continue
		}
		for _, c := range []byte(hexDigits) {
			first[c] = true
		}
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
