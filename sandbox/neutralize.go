package sandbox

import (
	"bytes"
	"unicode/utf8"
)

// Neutralize makes guest output harmless to whatever shows it: a terminal, an
// org file, a page or a model. Terminal escape sequences (CSI, OSC, DCS and
// their 8-bit forms), NULs and other control characters except tab and line
// ends are removed; bidirectional controls and invisible format characters
// that can make text read differently than it is are removed; invalid UTF-8
// becomes U+FFFD. Text without any of these is returned as it is, not copied.
func Neutralize(b []byte) []byte {
	i := firstHarmful(b)
	if i < 0 {
		return b
	}
	out := make([]byte, i, len(b))
	copy(out, b)
	for i < len(b) {
		if n := escapeLen(b[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\uFFFD"...)
		case harmful(r):
		default:
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	return out
}

// firstHarmful is the offset of the first byte that must change, or -1.
func firstHarmful(b []byte) int {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			if harmful(rune(c)) {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || harmful(r) {
			return i
		}
		i += n
	}
	return -1
}

// harmful reports whether a rune is removed.
func harmful(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0: // C0 and C1 controls
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f: // directional marks
		return true
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // embeddings, overrides, isolates
		return true
	case r == 0xfeff || r >= 0xe0000 && r <= 0xe007f: // byte-order mark, tags
		return true
	}
	return false
}

// escapeLen is the length of the terminal escape sequence b starts with, 0 if
// it starts with none. A sequence that is cut off goes on to the end, but a
// string sequence is taken to end at a line's end, so that one stray byte
// cannot swallow a document.
func escapeLen(b []byte) int {
	kind, n := byte(0), 0
	switch {
	case len(b) >= 2 && b[0] == 0x1b:
		kind, n = b[1], 2
	case len(b) >= 2 && b[0] == 0xc2 && b[1] >= 0x80 && b[1] < 0xa0: // a C1 control in UTF-8
		kind, n = b[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[': // CSI: parameters, intermediates, one final byte
		for n < len(b) && b[n] >= 0x20 && b[n] < 0x40 {
			n++
		}
		if n < len(b) && b[n] >= 0x40 && b[n] < 0x7f {
			n++
		}
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: to BEL or ST
		return n + stringLen(b[n:])
	default:
		if b[0] == 0xc2 || kind < 0x20 || kind >= 0x7f {
			return n - 1 + boolInt(b[0] == 0xc2) // the control alone
		}
		for kind >= 0x20 && kind < 0x30 && n < len(b) { // nF: intermediates, final
			kind = b[n]
			if kind < 0x20 || kind >= 0x7f {
				break
			}
			n++
		}
	}
	return n
}

// stringLen is the length of a control string with its terminator.
func stringLen(b []byte) int {
	for i, c := range b {
		switch {
		case c == 0x07:
			return i + 1
		case c == 0x1b && bytes.HasPrefix(b[i:], []byte("\x1b\\")):
			return i + 2
		case c == 0xc2 && i+1 < len(b) && b[i+1] == 0x9c:
			return i + 2
		case c == 0x1b || c == '\n':
			return i
		}
	}
	return len(b)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
