package oql

import (
	"slices"
	"strings"
)

// Tips that several errors give.
const (
	dateTip   = "try 2026-12-01, today, +2w, sat, a number of days, or a range such as today..+2w"
	escapeTip = "escape special characters with \\"
)

// validate checks arguments that can be judged without a row, so that a wrong
// query fails before any file is read.
func validate(c *Call) error {
	switch c.Name {
	case "regexp", "heading-regexp", "tags-regexp", "path", "src":
		for _, a := range c.Args {
			if err := validRegexp(a); err != nil {
				return err
			}
		}
	case "level":
		for _, a := range c.Args {
			if a.Kind != ArgNumber && !isComparator(a) {
				return errorf(a.Pos, "write (level 2) or (level > 2)", "level takes numbers, got %q", a.Text)
			}
		}
	}
	if !isTimePredicate(c.Name) {
		return nil
	}
	for _, n := range c.Named {
		if !slices.Contains(timeKeys[:3], n.Name) {
			continue
		}
		if _, ok := parseWhen(n.Value); !ok && !(n.Name == "on" && isDate(n.Value)) {
			return noDate(n.Value)
		}
	}
	if len(c.Args) == 1 && !isDate(c.Args[0]) && !(c.Name == "deadline" && c.Args[0].Text == "auto") {
		return noDate(c.Args[0])
	}
	return nil
}

func isTimePredicate(name string) bool {
	p, _ := lookupPredicate(name)
	return p.Group == "time"
}

func checkedCompare(c *Compare) (Expr, error) {
	if strings.HasSuffix(c.Op, "~") {
		return c, validRegexp(c.Value)
	}
	return c, nil
}

func validRegexp(a Arg) error {
	if _, err := CompileRegexp(a.Text); err != nil {
		return errorf(a.Pos, escapeTip, "regexp %q: %v", a.Text, err)
	}
	return nil
}

// emacsFlavoured tells the flavours apart by the escapes only Emacs needs.
func emacsFlavoured(p string) bool {
	for _, mark := range []string{`\(`, `\|`, `\_<`, `\_>`, `\<`, `\>`, `\{`, `\'`, "\\`"} {
		if strings.Contains(p, mark) {
			return true
		}
	}
	return false
}

func fromEmacs(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c == '\\' && i+1 < len(p) {
			i++
			switch n := p[i]; n {
			case '(', ')', '|', '{', '}':
				b.WriteByte(n)
			case '<', '>':
				b.WriteString(`\b`)
			case '_':
				i++
				b.WriteString(`\b`)
			case '`':
				b.WriteString(`\A`)
			case '\'':
				b.WriteString(`\z`)
			default:
				b.WriteByte('\\')
				b.WriteByte(n)
			}
			continue
		}
		if strings.IndexByte("(){}|", c) >= 0 { // literal in Emacs
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
