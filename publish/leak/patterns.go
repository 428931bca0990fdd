package leak

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"

	"wb/internal/lazyregexp"
)

// pattern is what secrets of one kind look like.
type pattern struct {
	what   string
	needle string             // where one may begin; found first, since that is fast
	shape  *lazyregexp.Regexp // of the whole, from the needle on
}

var patterns = []pattern{
	{"a private key", "-----BEGIN ", lazyregexp.New(`^-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY( BLOCK)?-----[\s\\nr]{0,8}[A-Za-z0-9+/=\s\\:,-]{40,}`)},
	{"an age key", "AGE-SECRET-KEY-1", lazyregexp.New(`^AGE-SECRET-KEY-1[0-9A-Z]{40,}`)},
	{"an AWS access key", "AKIA", lazyregexp.New(`^AKIA[A-Z2-7]{16}\b`)},
	{"an AWS access key", "ASIA", lazyregexp.New(`^ASIA[A-Z2-7]{16}\b`)},
	{"an AWS secret key", "aws_secret_access_key", lazyregexp.New(`^aws_secret_access_key["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9/+]{40}`)},
	{"a GitHub token", "gh", lazyregexp.New(`^gh[pousr]_[A-Za-z0-9]{36,}\b`)},
	{"a GitHub token", "github_pat_", lazyregexp.New(`^github_pat_[A-Za-z0-9_]{22,}`)},
	{"a GitLab token", "glpat-", lazyregexp.New(`^glpat-[A-Za-z0-9_-]{20,}`)},
	{"a model provider's key", "sk-", lazyregexp.New(`^sk-[A-Za-z0-9_-]{0,60}[0-9][A-Za-z0-9_-]{19,}`)},
	{"a Stripe key", "k_live_", lazyregexp.New(`^k_live_[0-9a-zA-Z]{20,}`)},
	{"a Slack token", "xox", lazyregexp.New(`^xox[abeprs]-[A-Za-z0-9-]{16,}`)},
	{"a Google key", "AIza", lazyregexp.New(`^AIza[0-9A-Za-z_-]{35}`)},
	{"an npm token", "npm_", lazyregexp.New(`^npm_[A-Za-z0-9]{36}\b`)},
	{"a signing key", "WB_SIGNING_KEY", lazyregexp.New(`^WB_SIGNING_KEY["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9+/]{43}=`)},
	{"a password in a URL", "://", lazyregexp.New(`^://[^/\s:@"'<>\\]{1,64}:[^/\s:@"'<>\\]{6,}@[A-Za-z0-9.-]+`)},
}

// longest is how much of a file a shape is tried on.
const longest = 512

// match is what to show of a secret that begins at data[at], "" when there is
// none.
func (p pattern) match(data []byte, at int) string {
	if at > 0 && p.needle != "://" && p.needle != "k_live_" && wordByte(data[at-1]) {
		return "" // within a longer word
	}
	span := p.shape.FindIndex(data[at:min(at+longest, len(data))])
	if span == nil {
		return ""
	}
	found := string(data[at : at+span[1]])
	if placeholder(found) {
		return ""
	}
	return found[:min(len(found), max(len(p.needle)+4, 8))] + "…"
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '+' || c == '/'
}

// placeholder reports whether a text stands for a secret in documentation.
func placeholder(text string) bool {
	low := strings.ToLower(text)
	for _, word := range []string{"example", "xxxx", "0000000", "your", "placeholder", ":password@", ":secret@", "****"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

// Secret is a value that must not leave, and what to call it.
type Secret struct {
	Name  string // "the secret API_KEY"
	Value []byte
}

// search is what is looked for besides patterns.
type search struct{ forms []form }

type form struct {
	name string
	text []byte
}

// minSecret is the length, in bytes, under which a value stands in any text.
const minSecret = 6

func newSearch(secrets []Secret) *search {
	s := &search{}
	for _, secret := range secrets {
		if len(secret.Value) < minSecret {
			continue
		}
		for _, text := range spellings(string(secret.Value)) {
			s.forms = append(s.forms, form{secret.Name, []byte(text)})
		}
	}
	return s
}

// spellings are the ways in which programs write a value.
func spellings(value string) []string {
	quoted, _ := json.Marshal(value) // of a string
	digits := hex.EncodeToString([]byte(value))
	out := []string{value, strings.Trim(string(quoted), `"`), html.EscapeString(value), url.QueryEscape(value), url.PathEscape(value), digits, strings.ToUpper(digits)}
	for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		out = append(out, shifted(coding, value)...)
	}
	seen := map[string]bool{}
	kept := out[:0]
	for _, text := range out {
		if !seen[text] && len(text) >= minSecret {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	return kept
}

// shifted are the middles of base64 texts that hold a value: what it becomes
// depends on how many bytes stand before it, by three.
func shifted(coding *base64.Encoding, value string) []string {
	var out []string
	for before := range 3 {
		text := coding.WithPadding(base64.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", before) + value))
		skip := []int{0, 2, 3}[before]  // letters that hold bits of what stands before
		if (before+len(value))%3 != 0 { // the last one holds bits of what follows
			text = text[:len(text)-1]
		}
		out = append(out, text[skip:])
	}
	return out
}
