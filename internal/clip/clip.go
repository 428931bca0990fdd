// Package clip shortens text for a line or a message, between two characters and
// with … where it ends early.
package clip

import "unicode/utf8"

// Chars is text of at most n characters, the last of them … where some are missing.
func Chars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end, count := len(text), 0
	for i := range text {
		if count++; count == n {
			end = i
		} else if count > n {
			return text[:end] + "…"
		}
	}
	return text
}

// Bytes is the characters that lie in the first n bytes of text, and … behind them
// where some are missing.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
