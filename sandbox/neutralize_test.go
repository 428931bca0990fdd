package sandbox

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNeutralize(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"plain", "hello\tworld\r\n", "hello\tworld\r\n"},
		{"unicode", "naïve ☃ 日本語 👩‍👩‍👧", "naïve ☃ 日本語 👩‍👩‍👧"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"title", "a\x1b]0;pwned\x07b", "ab"},
		{"hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\x07", ""},
		{"8-bit CSI", "a\u009b2Jb", "ab"},
		{"8-bit OSC", "a\u009d0;x\u009cb", "ab"},
		{"device control", "a\x1bPq#0;2;0\x1b\\b", "ab"},
		{"charset", "a\x1b(0b", "ab"},
		{"reset", "a\x1bcb", "ab"},
		{"cut off", "a\x1b[31", "a"},
		{"lone escape", "a\x1b", "a"},
		{"unterminated string ends with the line", "a\x1b]0;x\nb", "a\nb"},
		{"escape in a string", "a\x1b]0;\x1b[31mb", "ab"},
		{"NUL, bell, backspace, delete", "a\x00b\x07c\x08d\x7fe", "abcde"},
		{"bidi override", "a\u202eb\u202cc", "abc"},
		{"isolate", "a\u2066b\u2069c\u200fd", "abcd"},
		{"byte-order mark", "\ufeffa", "a"},
		{"tags", "a\U000e0041b", "ab"},
		{"invalid UTF-8", "a\xffb\xc3(", "a\ufffdb\ufffd("},
		{"overlong escape", "a\xc0\x9b[31mb", "a\ufffd\ufffd[31mb"},
	} {
		if got := string(Neutralize([]byte(test.in))); got != test.want {
			t.Errorf("%s: %q gives %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

// Text that is harmless is not copied.
func TestNeutralizeKeepsHarmlessText(t *testing.T) {
	in := []byte(strings.Repeat("plain text, naïve ☃\n", 100))
	if out := Neutralize(in); &out[0] != &in[0] {
		t.Error("harmless text was copied")
	}
}

// Whatever goes in, what comes out is harmless, and stays the same when
// neutralized again.
func FuzzNeutralize(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31mb", "\x1b]0;x\x07", "\xc2\x9b31m", "\x1b\x1b[[", "\xe2\x80\xae", "\xc2\x1b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := Neutralize(bytes.Clone(in))
		if !utf8.Valid(out) {
			t.Errorf("%q gives invalid UTF-8 %q", in, out)
		}
		for _, r := range string(out) {
			if harmful(r) {
				t.Errorf("%q gives %q with %U", in, out, r)
			}
		}
		if again := Neutralize(out); !bytes.Equal(again, out) {
			t.Errorf("%q gives %q, then %q", in, out, again)
		}
	})
}

func BenchmarkNeutralize(b *testing.B) {
	text := []byte(strings.Repeat("plain text with some \x1b[1mbold\x1b[0m words in it, naïve ☃\n", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Neutralize(text)
	}
}
