package site

import (
	"strings"
	"wb/internal/lazyregexp"
)

// secretNames are what names of secrets end with.
var secretNames = []string{"TOKEN", "KEY", "SECRET", "ACCOUNT", "PASSWORD", "CREDENTIAL", "CREDENTIALS"}

// longHex is a value that only a machine would write: at least 32 hexadecimal
// digits in a row.
var longHex = lazyregexp.New(`(?i)(?:^|[^0-9a-z])[0-9a-f]{32,}(?:[^0-9a-z]|$)`)

// secretIn says why a setting looks like a secret, never its value. A
// configuration is published with its history; a secret does not belong there
// whatever it is for.
func secretIn(name, value string) (string, bool) {
	for _, end := range secretNames {
		if strings.HasSuffix(name, end) {
			return "#+" + name + " names a secret: secrets do not belong in documents", true
		}
	}
	if longHex.MatchString(value) {
		return "#+" + name + " has a value that looks like a secret", true
	}
	return "", false
}
