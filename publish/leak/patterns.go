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

// pattern describes secrets of one kind.
type pattern struct {
	what   string
	needle string             // where one may begin; found first, since that is fast
	shape  *lazyregexp.Regexp // of the whole, from the needle on
	inside bool               // the needle may stand within a word
}

var patterns = []pattern{
	{"a private key", "-----BEGIN ", lazyregexp.New(`^-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY( BLOCK)?-----[\s\\nr]{0,8}[A-Za-z0-9+/=\s\\:,-]{40,}`), false},
	{"an age key", "AGE-SECRET-KEY-1", lazyregexp.New(`^AGE-SECRET-KEY-1[0-9A-Z]{40,}`), false},
	{"an AWS access key", "AKIA", lazyregexp.New(`^AKIA[A-Z2-7]{16}\b`), false},
	{"an AWS access key", "ASIA", lazyregexp.New(`^ASIA[A-Z2-7]{16}\b`), false},
	{"an AWS secret key", "aws_secret_access_key", lazyregexp.New(`^aws_secret_access_key["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9/+]{40}`), false},
	{"an Azure storage key", "AccountKey=", lazyregexp.New(`^AccountKey=[A-Za-z0-9+/]{86}==`), false},
	{"a GitHub token", "gh", lazyregexp.New(`^gh[pousr]_[A-Za-z0-9]{36,}\b`), false},
	{"a GitHub token", "github_pat_", lazyregexp.New(`^github_pat_[A-Za-z0-9_]{22,}`), false},
	{"a GitLab token", "glpat-", lazyregexp.New(`^glpat-[A-Za-z0-9_-]{20,}`), false},
	{"a model provider's key", "sk-", lazyregexp.New(`^sk-[A-Za-z0-9_-]{0,60}[0-9][A-Za-z0-9_-]{19,}`), false},
	{"a model provider's key", "gsk_", lazyregexp.New(`^gsk_[A-Za-z0-9]{50,}\b`), false},
	{"a Hugging Face token", "hf_", lazyregexp.New(`^hf_[A-Za-z0-9]{30,}\b`), false},
	{"a Stripe key", "k_live_", lazyregexp.New(`^k_live_[0-9a-zA-Z]{20,}`), true},
	{"a Slack token", "xox", lazyregexp.New(`^xox[abeprs]-[A-Za-z0-9-]{16,}`), false},
	{"a Slack token", "xapp-", lazyregexp.New(`^xapp-[0-9]-[A-Za-z0-9-]{30,}`), false},
	{"a Slack webhook", "hooks.slack.com/", lazyregexp.New(`^hooks\.slack\.com/(services|workflows|triggers)/[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{16,}`), true},
	{"a Discord webhook", "/api/webhooks/", lazyregexp.New(`^/api/webhooks/[0-9]{16,20}/[A-Za-z0-9_-]{50,}`), true},
	{"a Telegram token", ":AA", lazyregexp.New(`^:AA[A-Za-z0-9_-]{32,34}\b`), true},
	{"a Twilio key", "SK", lazyregexp.New(`^SK[0-9a-f]{32}\b`), false},
	{"a Twilio account", "AC", lazyregexp.New(`^AC[0-9a-f]{32}\b`), false},
	{"a SendGrid key", "SG.", lazyregexp.New(`^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}`), false},
	{"a Mailgun key", "key-", lazyregexp.New(`^key-[0-9a-f]{32}\b`), false},
	{"a Google key", "AIza", lazyregexp.New(`^AIza[0-9A-Za-z_-]{35}`), false},
	{"a Google secret", "GOCSPX-", lazyregexp.New(`^GOCSPX-[A-Za-z0-9_-]{28}`), false},
	{"an npm token", "npm_", lazyregexp.New(`^npm_[A-Za-z0-9]{36}\b`), false},
	{"a PyPI token", "pypi-", lazyregexp.New(`^pypi-AgE[A-Za-z0-9_-]{50,}`), false},
	{"a DigitalOcean token", "do", lazyregexp.New(`^do[por]_v1_[0-9a-f]{64}\b`), false},
	{"a Databricks token", "dapi", lazyregexp.New(`^dapi[0-9a-f]{32}\b`), false},
	{"a Shopify token", "shp", lazyregexp.New(`^shp(at|ca|pa|ss)_[0-9a-fA-F]{32}\b`), false},
	{"a Vault token", "hvs.", lazyregexp.New(`^hvs\.[A-Za-z0-9_-]{80,}`), false},
	{"a Grafana token", "gl", lazyregexp.New(`^gl(c|sa)_[A-Za-z0-9+/_]{32,}`), false},
	{"a Linear key", "lin_api_", lazyregexp.New(`^lin_api_[A-Za-z0-9]{40}\b`), false},
	{"an Atlassian token", "ATATT3", lazyregexp.New(`^ATATT3[A-Za-z0-9_=-]{100,}`), false},
	{"a web token", "eyJ", lazyregexp.New(`^eyJ[A-Za-z0-9_-]{14,}\.eyJ[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]{20,}`), false},
	{"a login in a header", "uthorization", lazyregexp.New(`^uthorization["']?\s{0,2}[:=,]\s{0,2}["']?([Bb]earer|[Bb]asic|[Tt]oken)\s+[A-Za-z0-9+/_.~-]{0,60}[0-9][A-Za-z0-9+/_.~=-]{15,}`), true},
	{"a signing key", "WB_SIGNING_KEY", lazyregexp.New(`^WB_SIGNING_KEY["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9+/]{43}=`), false},
	{"a password in a URL", "://", lazyregexp.New(`^://[^/\s:@"'<>\\]{1,64}:[^/\s:@"'<>\\]{6,}@[A-Za-z0-9.-]+`), true},
	{"a password", "assw", assigned(`assw(ord|d)`), true},
	{"a password", "ASSW", assigned(`ASSW(ORD|D)`), true},
	{"a secret", "ecret", assigned(`ecret([_-]?(key|Key|access[_-]key))?`), true},
	{"a secret", "ECRET", assigned(`ECRET(_KEY|_ACCESS_KEY)?`), true},
	{"a token", "oken", assigned(`oken`), true},
	{"a token", "TOKEN", assigned(`TOKEN`), true},
	{"a key", "pi", assigned(`pi[_-]?[kK]ey`), true},
	{"a key", "PI", assigned(`PI_?KEY`), true},
}

// assigned is a quoted value, with letters and digits and no blanks, that is given
// to something of that name.
func assigned(name string) *lazyregexp.Regexp {
	return lazyregexp.New(`^` + name + `["']?\s{0,3}(=>|:=|[=:])\s{0,3}(["'])(?:[A-Za-z!@#$%^&*_+=/.~?-]{0,40}[0-9][A-Za-z0-9!@#$%^&*_+=/.~?-]{7,}|[A-Za-z0-9!@#$%^&*_+=/.~?-]{7,40}[0-9])["']`)
}

// longest is how much of a file a shape is tried on.
const longest = 512

// match is the part to show of a secret that begins at data[at], "" when there is
// none.
func (p pattern) match(data []byte, at int) string {
	if at > 0 && !p.inside && wordByte(data[at-1]) {
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

// documented is the beginning of the web token that every manual shows.
const documented = "eyJzdWIiOiIxMjM0NTY3ODkwIi"

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '+' || c == '/'
}

// placeholder reports whether a text stands for a secret in documentation.
func placeholder(text string) bool {
	low := strings.ToLower(text)
	for _, word := range []string{"example", "xxxx", "0000000", "your", "placeholder", ":password@", ":secret@", "****", "changeme", "redacted", strings.ToLower(documented)} {
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

// search holds the values to look for besides patterns.
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
