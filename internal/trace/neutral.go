package trace

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"wb/internal/value"
)

// excerptLen is how many characters of a body events.org shows.
const excerptLen = 300

// hidden reports whether a character could make a terminal or an editor show
// something other than the text: controls, and the marks that reorder text.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x200e && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff, r == 0x061c:
		return true
	}
	return false
}

// oneLine makes text safe to stand on one line of a file that people open:
// line breaks and tabs become blanks, terminal escapes and hidden characters
// go, invalid UTF-8 becomes U+FFFD, blanks at the ends go. At most limit
// characters are kept.
func oneLine(text string, limit int) string {
	text = strings.TrimLeft(text, " \t\r\n")
	if plain(text, limit) {
		return strings.TrimRight(text, " ")
	}
	var b strings.Builder
	count := 0
	for i := 0; i < len(text) && count < limit; {
		if n := escapeLen(text[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			i += n
			continue
		case r == '\n' || r == '\t' || r == '\r' || r == 0x2028 || r == 0x2029:
			r = ' '
		case hidden(r):
			i += n
			continue
		}
		b.WriteRune(r)
		count++
		i += n
	}
	return strings.TrimRight(b.String(), " ")
}

// plain reports whether oneLine would keep every byte of text.
func plain(text string, limit int) bool {
	if len(text) > limit {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// escapeLen is the length of the terminal escape sequence text starts with,
// or 0: CSI (ESC [ … letter), OSC (ESC ] … BEL or ESC \), or ESC and a byte.
func escapeLen(text string) int {
	if len(text) < 2 || text[0] != 0x1b {
		return 0
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			} else if c < 0x20 || c > 0x7e {
				return i
			}
		}
		return len(text)
	case ']':
		for i := 2; i < len(text); i++ {
			if text[i] == 0x07 {
				return i + 1
			}
			if text[i] == 0x1b {
				return i + min(2, len(text)-i)
			}
			if text[i] == '\n' {
				return i
			}
		}
		return len(text)
	}
	if text[1] >= 0x20 && text[1] < 0x7f {
		return 2
	}
	return 1
}

// active are the beginnings of inline org syntax that does something: links,
// targets, macros, snippets, inline code and calls, diary expressions.
var active = []string{"[[", "<<", "{{{", "@@", "src_", "call_", "%%(", "elisp:", "shell:"}

// activeAt is the length of the beginning of something active at the start of
// text, or 0. Timestamps count: agendas collect them.
func activeAt(text string) int {
	switch text[0] {
	case '[', '<', '{', '@', 's', '%', 'e', 'c', 'S', 'C', 'E':
	default:
		return 0
	}
	for _, a := range active {
		if len(text) >= len(a) && strings.EqualFold(text[:len(a)], a) {
			return len(a)
		}
	}
	if (text[0] == '<' || text[0] == '[') && looksDated(text[1:]) {
		return 1
	}
	return 0
}

// guarded reports whether org could take text, standing alone on an indented
// line, for more than prose. Such text is written as fixed-width text (after
// ": "), which org does not look into.
func guarded(text string) bool {
	if text == "" {
		return false
	}
	if strings.IndexByte("#:|*\\", text[0]) >= 0 || strings.HasPrefix(text, "[fn:") {
		return true
	}
	for i := range len(text) {
		if activeAt(text[i:]) > 0 {
			return true
		}
	}
	for _, k := range []string{"CLOCK:", "CLOSED:", "DEADLINE:", "SCHEDULED:"} {
		if strings.HasPrefix(text, k) {
			return true
		}
	}
	return false
}

// disarmed breaks what is active in a headline, where fixed-width text cannot
// stand, with zero-width spaces.
func disarmed(text string) string {
	var b strings.Builder
	last := 0
	for i := range len(text) {
		if activeAt(text[i:]) > 0 {
			b.WriteString(text[last : i+1])
			b.WriteString("\u200b")
			last = i + 1
		}
	}
	return b.String() + text[last:]
}

// looksDated reports whether text starts like the inside of a timestamp.
func looksDated(text string) bool {
	if len(text) < 5 || text[4] != '-' {
		return false
	}
	for _, c := range []byte(text[:4]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// hook is the marker of Emacs' local variables, in any case, which Emacs looks
// for near the end of a file, wherever it stands in a line. Text from a run
// must not contain it.
const hook = "local variables:"

// hookAt is the offset of the first hook in text, or -1.
func hookAt[T string | []byte](text T) int {
	for at := 0; ; {
		i := indexByte(text[at:], ':')
		if i < 0 {
			return -1
		}
		if at += i + 1; at >= len(hook) && strings.EqualFold(string(text[at-len(hook):at]), hook) {
			return at - len(hook)
		}
	}
}

func indexByte[T string | []byte](text T, c byte) int {
	switch text := any(text).(type) {
	case string:
		return strings.IndexByte(text, c)
	case []byte:
		return bytes.IndexByte(text, c)
	}
	return -1
}

// unhooked breaks every hook with a zero-width space.
func unhooked(text string) string {
	var b strings.Builder
	for {
		i := hookAt(text)
		if i < 0 {
			break
		}
		b.WriteString(text[:i+len("local")])
		b.WriteString("\u200b")
		text = text[i+len("local"):]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}

// argsLine is the event's Args as [jsonLine] has them.
func (e *Event) argsLine() []byte {
	if e.lined {
		return e.Args
	}
	return jsonLine(e.Args)
}

// jsonLine is raw as compact JSON on one line in which every hidden character
// is escaped; what is not JSON comes back as a JSON string.
func jsonLine(raw []byte) []byte {
	var compact bytes.Buffer
	compact.Grow(len(raw))
	if err := json.Compact(&compact, raw); err != nil {
		return escapeHidden(value.AppendQuoted(nil, string(raw)))
	}
	return escapeHidden(compact.Bytes())
}

// escapeHidden escapes hidden characters, invalid UTF-8 and hooks in compact
// JSON. They can only stand in strings, so the JSON means the same afterwards.
func escapeHidden(text []byte) []byte {
	if tame(text) {
		return text
	}
	next := hookAt(text)
	out := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		switch {
		case i == next:
			n = len("local ")
			out = append(append(out, text[i:i+n-1]...), `\u0020`...)
			if next = hookAt(text[i+n:]); next >= 0 {
				next += i + n
			}
		case hidden(r) || r == utf8.RuneError && n == 1:
			out = append(out, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return out
}

// tame reports whether escapeHidden has nothing to do.
func tame(text []byte) bool {
	for _, c := range text {
		if c >= 0x7f {
			return false
		}
	}
	return hookAt(text) < 0
}

const hexDigits = "0123456789abcdef"
