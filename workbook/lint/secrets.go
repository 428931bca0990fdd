package lint

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

var (
	secretName  = lazyregexp.New(`(?i)(TOKEN|KEY|SECRET|ACCOUNT|PASSWORD|CREDENTIAL)$`)
	secretValue = lazyregexp.New(`^[a-f0-9]{20,}$`)
)

// secrets reports publishing settings that hold what must not be in a file
// that is published: as keywords, and as properties of :publish: headlines.
func (l *linter) secrets() {
	check := func(name string, val org.Token) {
		upper := strings.ToUpper(name)
		if !strings.HasPrefix(upper, "PUBLISH_") || val.Text == "" {
			return
		}
		switch {
		case secretName.MatchString(upper):
			l.errorf("secret", val.Start, "use an environment variable instead", "%s looks like a secret", upper)
		case secretValue.MatchString(val.Text):
			l.errorf("secret", val.Start, "use an environment variable instead", "the value of %s looks like a secret", upper)
		}
	}
	for n := range l.doc.All() {
		if k, ok := n.Keyword(); ok {
			check(k.Key.Text, k.Value)
		}
		if p, ok := n.Property(); ok {
			check(p.Key.Text, p.Value)
		}
	}
}
