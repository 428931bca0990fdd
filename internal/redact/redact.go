// Package redact takes secrets out of texts, in the forms they take on the way: as they
// are, in JSON, in URLs, in base64 at whatever offset, in hex also as dumps print it,
// backwards, in another case, and with blanks between the letters. Whoever may compute
// can still hide a secret from it; what keeps a secret is that guests are not given it.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Redactor takes secrets out of texts. Nil takes out nothing. It is safe for
// concurrent use.
type Redactor struct {
	replacer *strings.Replacer
	spread   *regexp.Regexp // secrets with something between their letters or bytes
	mark     string
}

// New makes a replacer that puts mark in place of each secret that has at least shortest
// bytes: shorter ones stand in any text.
func New(mark string, shortest int, secrets ...string) *Redactor {
	var pairs []string
	for _, form := range forms(shortest, secrets) {
		pairs = append(pairs, form, mark)
	}
	if len(pairs) == 0 {
		return nil
	}
	return &Redactor{strings.NewReplacer(pairs...), spread(shortest, secrets), mark}
}

// Text is a text without the secrets.
func (r *Redactor) Text(text string) string {
	if r == nil {
		return text
	}
	return r.spread.ReplaceAllLiteralString(r.replacer.Replace(text), r.mark)
}

// spread matches secrets in any case whose letters have blanks between them, forwards
// and backwards, and their bytes in hex as dumps print them: with blanks, colons or
// commas between, and over lines that begin with an offset.
func spread(shortest int, secrets []string) *regexp.Regexp {
	var all []string
	for _, secret := range secrets {
		if len(secret) < max(shortest, 1) {
			continue
		}
		var letters, digits []string
		for _, c := range secret {
			letters = append(letters, regexp.QuoteMeta(string(c)))
		}
		for _, b := range []byte(secret) {
			digits = append(digits, fmt.Sprintf("(?:0x|\\\\x|%%)?%02x", b))
		}
		const between = `[ \t\r\n]{0,3}`
		all = append(all, strings.Join(letters, between))
		slices.Reverse(letters)
		all = append(all, strings.Join(letters, between), strings.Join(digits, `[\s:,]{0,3}(?:\n[0-9a-f]{6,8}:?[ \t]+)?`))
	}
	return regexp.MustCompile("(?i)" + strings.Join(all, "|"))
}

// forms are the spellings of the secrets, the longest first.
func forms(shortest int, secrets []string) []string {
	var all []string
	for _, secret := range secrets {
		if len(secret) < max(shortest, 1) {
			continue
		}
		quoted, _ := json.Marshal(secret) // of a string
		digits := hex.EncodeToString([]byte(secret))
		all = append(all, secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), digits, strings.ToUpper(digits))
		for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			all = append(all, shifted(coding, secret)...)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// shifted are the base64 forms of a text at each of the three offsets it can
// have in a longer one, without the characters that depend on what is around.
func shifted(coding *base64.Encoding, text string) []string {
	var forms []string
	for pad := range 3 {
		whole := coding.EncodeToString([]byte(strings.Repeat("\x00", pad) + text))
		from := (pad*8 + 5) / 6
		to := (pad + len(text)) * 8 / 6
		if to-from >= 4 {
			forms = append(forms, whole[from:to])
		}
	}
	return forms
}
