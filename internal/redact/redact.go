// Package redact takes secrets out of texts, in the forms they take on the way: as they
// are, in JSON, in URLs, in base64 at whatever offset, in hex also as dumps print it,
// backwards, in another case, and with blanks between the letters. Whoever may compute
// can still hide a secret from it; what keeps a secret is that guests are not given it.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Redactor takes secrets out of texts. Nil takes out nothing. It is safe for
// concurrent use.
type Redactor struct {
	replacer *strings.Replacer
	spreads  []spread  // secrets with something between their letters or bytes
	first    [256]bool // the bytes with which one of them can begin
	mark     string
}

// New makes a replacer that puts mark in place of each secret that has at least shortest
// bytes: shorter ones stand in any text.
func New(mark string, shortest int, secrets ...string) *Redactor {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < max(shortest, 1) })
	if len(secrets) == 0 {
		return nil
	}
	var pairs []string
	for _, form := range forms(secrets) {
		pairs = append(pairs, form, mark)
	}
	r := &Redactor{replacer: strings.NewReplacer(pairs...), mark: mark}
	for _, secret := range secrets {
		r.spreads = append(r.spreads, spreads(secret)...)
	}
	for i := range r.spreads {
		r.spreads[i].begins(&r.first)
	}
	return r
}

// Text is a text without the secrets.
func (r *Redactor) Text(text string) string {
	if r == nil {
		return text
	}
	text = r.replacer.Replace(text)
	var kept strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		if end := r.at(text, i); end >= 0 {
			kept.WriteString(text[from:i])
			kept.WriteString(r.mark)
			from, i = end, end-1
		}
	}
	if from == 0 {
		return text
	}
	return kept.String() + text[from:]
}

// at is where a secret that begins at a place ends, -1 if none does.
func (r *Redactor) at(text string, i int) int {
	if r.first[text[i]] {
		for s := range r.spreads {
			if end := r.spreads[s].match(text, i); end >= 0 {
				return end
			}
		}
	}
	return -1
}

// forms are the spellings of the secrets, the longest first.
func forms(secrets []string) []string {
	var all []string
	for _, secret := range secrets {
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
