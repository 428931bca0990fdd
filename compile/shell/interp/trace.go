package interp

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

func singleQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func hasControl(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 127 }) >= 0
}

// quoteIfNeeded quotes as set and xtrace do.
func quoteIfNeeded(s string) string {
	if s == "" {
		return "''"
	}
	if hasControl(s) {
		return dollarQuoted(s)
	}
	if strings.ContainsAny(s, " \t\n|&;()<>$`\\\"'*?[]#~!{},^") {
		return singleQuoted(s)
	}
	return s
}

// quoteForReuse is printf's %q.
func quoteForReuse(s string) string {
	if s == "" {
		return "''"
	}
	if hasControl(s) {
		return dollarQuoted(s)
	}
	var b strings.Builder
	if !utf8.ValidString(s) {
		return dollarQuoted(s)
	}
	for i, c := range []byte(s) {
		if strings.IndexByte(" |&;()<>$`\\\"'*?[]!{},^", c) >= 0 || (i == 0 && (c == '#' || c == '~')) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func (sh *Shell) traceLine(text string) {
	prefix := "+ "
	if v := sh.lookup("PS4"); v.IsSet() {
		sh.opts["xtrace"] = false
		prefix = sh.prompt(v.String())
		sh.opts["xtrace"] = true
	}
	if prefix != "" {
		prefix = strings.Repeat(prefix[:1], sh.subshells) + prefix
	}
	sh.write(2, []byte(prefix+text+"\n"))
}

func (sh *Shell) traceCall(c *syntax.CallExpr, args []string) {
	if !sh.opts["xtrace"] {
		return
	}
	sh.traceAssigns(c)
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quoteIfNeeded(a)
	}
	sh.traceLine(strings.Join(quoted, " "))
}

func (sh *Shell) traceAssigns(c *syntax.CallExpr) {
	if !sh.opts["xtrace"] {
		return
	}
	for _, as := range c.Assigns {
		if as.Array != nil || as.Index != nil {
			var b strings.Builder
			syntax.NewPrinter().Print(&b, &syntax.CallExpr{Assigns: []*syntax.Assign{as}})
			sh.traceLine(b.String())
			continue
		}
		text := ""
		if as.Value != nil {
			if s := sh.literal(as.Value); s != "" {
				text = quoteIfNeeded(s)
			}
		}
		sh.traceLine(as.Name.Value + "=" + text)
	}
}

func (sh *Shell) trace(c *syntax.DeclClause) {
	if !sh.opts["xtrace"] {
		return
	}
	var b strings.Builder
	syntax.NewPrinter().Print(&b, c)
	sh.traceLine(b.String())
}
