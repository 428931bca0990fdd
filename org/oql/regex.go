package oql

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// matcher is a regexp with what can be said about its matches without running
// it. Go's regexps never take exponential time, but they do take time: a text
// that lacks the literal part of every match is not looked at, and if no match
// spans lines, only lines that have that part are.
type matcher struct {
	re      *regexp.Regexp
	literal finder // word is "" when there is none
	byLine  bool
}

func newMatcher(re *regexp.Regexp) matcher {
	m := matcher{re: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return m
	}
	tree = tree.Simplify()
	m.literal = newFinder(requiredLiteral(tree))
	m.byLine = staysOnLine(tree)
	return m
}

func matchers(res []*regexp.Regexp) []matcher {
	out := make([]matcher, len(res))
	for i, re := range res {
		out[i] = newMatcher(re)
	}
	return out
}

// in reports whether the regexp matches somewhere in the text. odd says that
// the text has letters that regexps fold and finders do not.
func (m matcher) in(text string, odd bool) bool {
	switch {
	case odd || m.literal.word == "":
		return m.re.MatchString(text)
	case !m.literal.in(text):
		return false
	case !m.byLine || !m.literal.ascii:
		return m.re.MatchString(text)
	}
	for at := 0; at < len(text); {
		hit := m.literal.index(text[at:])
		if hit < 0 {
			return false
		}
		hit += at
		start, stop := strings.LastIndexByte(text[:hit], '\n')+1, lineStop(text, hit)
		if m.re.MatchString(text[start:stop]) {
			return true
		}
		at = stop
	}
	return false
}

// allIn reports whether every regexp matches.
func allIn(list []matcher, text string, odd bool) bool {
	return !slices.ContainsFunc(list, func(m matcher) bool { return !m.in(text, odd) })
}

// literals are the words that texts must have for all to match.
func literals(list []matcher) finderList {
	var out finderList
	for _, m := range list {
		if m.literal.word != "" {
			out = append(out, m.literal)
		}
	}
	return out
}

// requiredLiteral is a text that every match contains; "" if none is known.
func requiredLiteral(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredLiteral(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredLiteral(re.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if lit := requiredLiteral(sub); len(lit) > len(longest) {
				longest = lit
			}
		}
		return longest
	}
	return ""
}

// staysOnLine reports whether no match contains a newline, nor depends on
// where the text begins and ends.
func staysOnLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		return !slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !staysOnLine(sub) })
}
