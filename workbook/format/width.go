package format

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"wb/internal/lazyregexp"
)

// screen measures text as Emacs does: wide East Asian characters and emoji
// take two columns, combining marks none, whatever the locale.
var screen = &runewidth.Condition{StrictEmojiNeutral: true}

// bracketLink is [[target]] or [[target][description]].
var bracketLink = lazyregexp.New(`\[\[((?:[^\]\[\\]|\\.)+)\](?:\[((?:.)+?)\])?\]`)

// visible is text as Emacs shows it: of a link only its description.
func visible(s string) string {
	if !strings.Contains(s, "[[") {
		return s
	}
	return bracketLink.ReplaceAllStringFunc(s, func(link string) string {
		m := bracketLink.FindStringSubmatch(link)
		if m[2] != "" {
			return m[2]
		}
		return m[1]
	})
}

// displayWidth is the number of columns that text takes on a screen.
func displayWidth(s string) int {
	width := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < 0x7f:
			width++
		case r == utf8.RuneError && n == 1:
			width += 4 // Emacs shows a stray byte as \ooo
		default:
			width += screen.RuneWidth(r)
		}
		i += n
	}
	return width
}

// columns is the column behind text that starts a line: tabs stop at every
// eighth.
func columns(s string) int {
	at := 0
	for i, part := range strings.Split(visible(s), "\t") {
		if i > 0 {
			at += 8 - at%8
		}
		at += displayWidth(part)
	}
	return at
}
