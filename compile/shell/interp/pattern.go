package interp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// replacer is ${x/pattern/text}. In the text, an unquoted & is what matched.
func (sh *Shell) replacer(p *syntax.ParamExp) func(string) string {
	r := p.Repl
	orig := r.Orig
	if r.All && orig != nil && orig.Lit() == "" && (len(orig.Parts) == 0 || len(orig.Parts) == 1 && isLiteral(orig.Parts[0])) || r.All && orig == nil {
		if slashes := int(p.Rbrace.Offset()) - int(p.Param.End().Offset()); r.With == nil && (p.Index != nil || slashes < 3) {
			return func(s string) string { return s }
		}
		// ${x////c}: the third slash is the pattern
		orig = verbatim("/")
		if w := r.With; w != nil && len(w.Parts) > 0 {
			if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "/") {
				copied := *r
				copied.With = &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: lit.Value[1:]}}, w.Parts[1:]...)}
				r = &copied
			}
		}
	}
	before, after := "", ""
	if orig != nil && len(orig.Parts) > 0 && !r.All {
		if lit, ok := orig.Parts[0].(*syntax.Lit); ok && lit.Value != "" && (lit.Value[0] == '#' || lit.Value[0] == '%') {
			if lit.Value[0] == '#' {
				before = "^"
			} else {
				after = "$"
			}
			rest := *lit
			rest.Value = lit.Value[1:]
			orig = &syntax.Word{Parts: append([]syntax.WordPart{&rest}, orig.Parts[1:]...)}
		}
	}
	pat := ""
	if orig != nil {
		pat = sh.pattern(orig)
	}
	with := sh.replacement(r.With)
	if pat == "" && before+after == "" {
		return func(s string) string { return s }
	}
	find := sh.finder(before, pat, after)
	return func(s string) string {
		n := 1
		if r.All {
			n = -1
		}
		var b strings.Builder
		last := 0
		for _, m := range find(s, n) {
			if m[0] == m[1] && before+after == "" {
				continue
			}
			b.WriteString(s[last:m[0]])
			for i, piece := range with {
				if i > 0 {
					b.WriteString(s[m[0]:m[1]])
				}
				b.WriteString(piece)
			}
			last = m[1]
		}
		b.WriteString(s[last:])
		return b.String()
	}
}

func isLiteral(part syntax.WordPart) bool {
	_, ok := part.(*syntax.Lit)
	return ok
}

// replacement is the text of a replacement, cut where what matched goes.
func (sh *Shell) replacement(w *syntax.Word) []string {
	pieces := []string{""}
	if w == nil {
		return pieces
	}
	add := func(s string, special bool) {
		for i := 0; i < len(s); i++ {
			switch {
			case special && s[i] == '\\' && i+1 < len(s) && (s[i+1] == '&' || s[i+1] == '\\'):
				i++
				pieces[len(pieces)-1] += s[i : i+1]
			case special && s[i] == '&':
				pieces = append(pieces, "")
			default:
				pieces[len(pieces)-1] += s[i : i+1]
			}
		}
	}
	parts := w.Parts
	if len(parts) > 0 {
		if lit, ok := parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
			e := expansion{sh: sh, joined: true}
			rest := e.tilde(lit.Value, len(parts) == 1)
			add(e.text(), false)
			parts = append([]syntax.WordPart{&syntax.Lit{Value: rest}}, parts[1:]...)
		}
	}
	for _, part := range parts {
		one := &syntax.Word{Parts: []syntax.WordPart{part}}
		switch part := part.(type) {
		case *syntax.Lit:
			value := part.Value
			for value != "" { // a backslash quotes what follows, & included
				i := strings.IndexByte(value, '\\')
				if i < 0 || i+1 == len(value) {
					add(value, true)
					break
				}
				add(value[:i], true)
				if value[i+1] != '\n' {
					add(value[i+1:i+2], false)
				}
				value = value[i+2:]
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			add(sh.literal(one), false)
		default:
			add(sh.literal(one), sh.dialect == Bash)
		}
	}
	return pieces
}

// finder finds what a pattern matches in a string, at most n times.
func (sh *Shell) finder(before, pat, after string) func(s string, n int) [][]int {
	if re := sh.patternRegexp(before, pat, after); re != nil {
		return re.FindAllStringIndex
	}
	return func(s string, n int) [][]int { // with !(…): every place is tried, the longest first
		var found [][]int
		for i := 0; i <= len(s) && (n < 0 || len(found) < n); i++ {
			for j := len(s); j >= i; j-- {
				if after == "" || j == len(s) {
					if sh.matches(pat, s[i:j]) {
						found = append(found, []int{i, j})
						i = max(i, j-1)
						break
					}
				}
			}
			if before != "" {
				break
			}
		}
		return found
	}
}

// patternRegexp compiles a shell pattern that need not match everything; the
// longest match counts. It is nil for patterns that cannot be compiled.
func (sh *Shell) patternRegexp(before, pat, after string) *regexp.Regexp {
	key := "\x01" + before + "\x00" + pat + "\x00" + after
	if re := sh.regexps[key]; re != nil {
		return re
	}
	mode := pattern.ExtendedOperators
	if sh.opts["nocasematch"] {
		mode |= pattern.NoGlobCase
	}
	expr, err := pattern.Regexp(pat, mode)
	if err != nil {
		return nil
	}
	flags := "(?s)"
	if rest, ok := strings.CutPrefix(expr, "(?s)"); ok {
		expr = rest
	}
	if strings.HasPrefix(expr, "(?") { // flags of the pattern come first
		if end := strings.IndexByte(expr, ')'); end > 0 && strings.Trim(expr[2:end], "imsU") == "" {
			flags, expr = expr[:end+1], expr[end+1:]
		}
	}
	re, err := regexp.Compile(flags + before + "(?:" + expr + ")" + after)
	if err != nil {
		return nil
	}
	re.Longest()
	if len(sh.regexps) > 200 {
		clear(sh.regexps)
	}
	sh.regexps[key] = re
	return re
}

// matches reports whether a shell pattern matches all of s.
func (sh *Shell) matches(pat, s string) bool { return sh.matchesFold(pat, s, sh.opts["nocasematch"]) }

func (sh *Shell) matchesFold(pat, s string, fold bool) bool {
	mode := pattern.EntireString | pattern.ExtendedOperators
	if fold {
		mode |= pattern.NoGlobCase
	}
	key := fmt.Sprint(mode, pat)
	re := sh.regexps[key]
	if re == nil {
		expr, err := pattern.Regexp(pat, mode)
		if err != nil {
			var neg *pattern.NegExtGlobError
			if errors.As(err, &neg) {
				return sh.matchNegated(pat, s, neg)
			}
			return pat == s
		}
		if re, err = regexp.Compile(expr); err != nil {
			return pat == s
		}
		if len(sh.regexps) > 200 {
			clear(sh.regexps)
		}
		sh.regexps[key] = re
	}
	return re.MatchString(s)
}

// matchNegated handles patterns that hold one !(…): Go's regular expressions
// cannot say it, so every piece of s is tried for the group.
func (sh *Shell) matchNegated(pat, s string, neg *pattern.NegExtGlobError) bool {
	if len(neg.Groups) == 0 {
		return false
	}
	g := neg.Groups[0]
	before, inner, after := pat[:g.Start], pat[g.Start+2:g.End-1], pat[g.End:]
	for i := 0; i <= len(s); i++ {
		for j := i; j <= len(s); j++ {
			if !sh.matches("@("+inner+")", s[i:j]) && sh.matches(before, s[:i]) && sh.matches(after, s[j:]) {
				return true
			}
		}
	}
	return false
}
