package oql

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// matcher is a regexp with what can be said about its matches without running
// it. Go's regexps never take exponential time, but they do take time: a text
// that lacks the literal part of every match is not looked at, and if no match
// spans lines, only lines that have that part are.
type matcher struct {
	re      *Regexp
	literal finder // word is "" when there is none
	byLine  bool
	words   finderList // if not nil, what matches is one of these
}

func newMatcher(re *Regexp) matcher {
	m := matcher{re: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return m
	}
	tree = tree.Simplify()
	m.literal = newFinder(requiredLiteral(tree))
	m.byLine = staysOnLine(tree)
	if words, ok := onlyWords(tree); ok {
		m.words = finders(words)
	}
	return m
}

func matchers(res []*Regexp) []matcher {
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
	case !odd && m.words != nil:
		return m.words.any(text)
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

// mostWords is how many words a regexp may stand for to be looked for by them.
const mostWords = 8

// onlyWords lists the words, in lower case and of ASCII, that a regexp stands
// for, as par[st]er stands for parser and parter. It reports false where there
// are others, or too many, or where their case matters.
func onlyWords(re *syntax.Regexp) (words []string, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r > unicode.MaxASCII || unicode.IsLetter(r) && re.Flags&syntax.FoldCase == 0 {
				return nil, false
			}
		}
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		return classLetters(re.Rune)
	case syntax.OpCapture:
		return onlyWords(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, ok := onlyWords(sub)
			if words = append(words, more...); !ok || len(words) > mostWords {
				return nil, false
			}
		}
		return words, true
	case syntax.OpConcat:
		words = []string{""}
		for _, sub := range re.Sub {
			tails, ok := onlyWords(sub)
			if !ok || len(words)*len(tails) > mostWords {
				return nil, false
			}
			var longer []string
			for _, head := range words {
				for _, tail := range tails {
					longer = append(longer, head+tail)
				}
			}
			words = longer
		}
		return words, true
	}
	return nil, false
}

// classLetters lists what a class has, if letters are there in both cases. The
// two characters beyond ASCII that fold into it are in odd texts only.
func classLetters(ranges []rune) (letters []string, ok bool) {
	has := map[rune]bool{}
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > mostWords {
			return nil, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			switch {
			case strings.ContainsRune(oddFolds, r):
			case r > unicode.MaxASCII:
				return nil, false
			default:
				has[r] = true
			}
		}
	}
	for r := range has {
		if lower := unicode.ToLower(r); lower != r && has[lower] {
			continue
		} else if upper := unicode.ToUpper(r); lower != r || upper != r && !has[upper] {
			return nil, false // one case alone
		}
		letters = append(letters, string(r))
	}
	slices.Sort(letters)
	return letters, len(letters) > 0 && len(letters) <= mostWords
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
