package clip

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text         string
		n            int
		chars, bytes string
	}{
		{"", 3, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "ab…", "abc…"},
		{"äöü", 3, "äöü", "ä…"},
		{"äöüß", 3, "äö…", "ä…"},
		{"ä", 1, "ä", "…"},
	} {
		if got := Chars(c.text, c.n); got != c.chars {
			t.Errorf("Chars(%q, %d) = %q, want %q", c.text, c.n, got, c.chars)
		}
		if got := Bytes(c.text, c.n); got != c.bytes {
			t.Errorf("Bytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
		}
	}
}
