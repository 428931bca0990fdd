// Package slug makes names of titles.
package slug

import "strings"

// Of is a title as a name: lower case, everything but letters and digits becomes one
// hyphen. All characters beyond ASCII count as letters.
func Of(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c > 127)
	}), "-")
}
