package plan

import (
	"strings"
	"unicode"
)

// Slug makes an identifier of a title: lower case, runs of anything but
// letters and digits become one "-".
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lastPart is the part after the last slash.
func lastPart(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }
