package plan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"wb/internal/diag"
)

// NotText finds the first byte of a file that no text has: a NUL, or one that
// is not UTF-8. Emacs opens such a file as well, but guesses what the bytes mean,
// and pages, manifests and hashes of it would differ from what it shows.
func NotText(file string, src []byte) (found diag.Finding, bad bool) {
	return notText(file, string(src))
}

func notText(file, src string) (diag.Finding, bool) {
	at, what := firstBad(src)
	if at < 0 {
		return diag.Finding{}, false
	}
	hint := "is this an org file? if it is, save it as UTF-8: C-x RET f utf-8 in Emacs, or iconv -f latin1 -t utf-8"
	switch {
	case strings.HasPrefix(src, "\xff\xfe"), strings.HasPrefix(src, "\xfe\xff"):
		what, hint = "the file is UTF-16", "save it as UTF-8: C-x RET f utf-8 in Emacs, or iconv -f utf-16 -t utf-8"
	case src[at] == 0:
		hint = "is this an org file? if it is, take the NUL out: tr -d '\\000'"
	}
	begin := strings.LastIndexByte(src[:at], '\n') + 1
	return diag.Finding{
		Pos:      diag.Position{File: file, Line: strings.Count(src[:at], "\n") + 1, Col: utf8.RuneCountInString(src[begin:at]) + 1},
		Severity: diag.Error, Code: "not-text", Message: what, Hint: hint,
	}, true
}

// firstBad is where a text stops being one, and what stands there; -1 if nowhere.
func firstBad(src string) (at int, what string) {
	nul := strings.IndexByte(src, 0)
	valid := src
	if nul >= 0 {
		valid = src[:nul]
	}
	if !utf8.ValidString(valid) {
		for i, r := range valid {
			if r != utf8.RuneError {
				continue
			}
			if _, size := utf8.DecodeRuneInString(valid[i:]); size == 1 {
				return i, fmt.Sprintf("the byte 0x%X is not UTF-8", valid[i])
			}
		}
	}
	return nul, "a NUL byte is not text"
}
