package oql

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Regexp is a compiled pattern whose words are those of all scripts. Go's \b
// knows the letters of ASCII only, so a pattern that has one is run by wb itself
// on texts with other letters.
type Regexp struct {
	*regexp.Regexp
	prog  *syntax.Prog // nil without \b and \B
	words words
}

// words says which characters make up words. In Emacs an underscore parts them,
// in Go it does not.
type words int

const (
	goWords words = iota
	emacsWords
)

// MatchString reports whether the text contains a match.
func (r *Regexp) MatchString(text string) bool {
	switch {
	case r.prog == nil, isASCII(text) && r.words == goWords, isASCII(text) && !strings.Contains(text, "_"):
		return r.Regexp.MatchString(text)
	}
	return r.runProgram(text)
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// CompileRegexp compiles a pattern written for Emacs or for Go: the grouping
// and alternation of Emacs (\( \| \)) are understood, its \_< \_> \< \>
// become boundaries of symbols and words, and case is ignored, as org-ql does. A pattern that
// only one flavour accepts, such as a lone parenthesis, is read in that one.
func CompileRegexp(pattern string) (*Regexp, error) {
	inEmacs := emacsWords
	if strings.Contains(pattern, `\_<`) || strings.Contains(pattern, `\_>`) { // symbols, which have underscores
		inEmacs = goWords
	}
	if emacsFlavoured(pattern) {
		return compilePattern(fromEmacs(pattern), inEmacs)
	}
	re, err := compilePattern(pattern, goWords)
	if err != nil {
		if emacs, emacsErr := compilePattern(fromEmacs(pattern), inEmacs); emacsErr == nil {
			return emacs, nil
		}
	}
	return re, err
}

func compilePattern(pattern string, w words) (*Regexp, error) {
	pattern = "(?im)" + wordClasses(pattern, w)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	out := &Regexp{Regexp: re, words: w}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || !hasBoundary(tree) {
		return out, err
	}
	out.prog, err = syntax.Compile(tree.Simplify())
	return out, err
}

// wordClasses lets \w and \W mean the letters, marks and digits of all scripts.
func wordClasses(p string, w words) string {
	class := `\p{L}\p{M}\p{N}`
	if w == goWords {
		class += "_"
	}
	if !strings.Contains(p, `\w`) && !strings.Contains(p, `\W`) {
		return p
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			switch {
			case p[i] == 'w' && inClass:
				b.WriteString(class)
			case p[i] == 'w':
				b.WriteString("[" + class + "]")
			case p[i] == 'W' && !inClass:
				b.WriteString("[^" + class + "]")
			default:
				b.WriteString(p[i-1 : i+1])
			}
			continue
		case p[i] == '[' && !inClass:
			inClass = true
			b.WriteByte('[')
			if strings.HasPrefix(p[i+1:], "^") {
				b.WriteByte('^')
				i++
			}
			if strings.HasPrefix(p[i+1:], "]") {
				b.WriteByte(']')
				i++
			}
			continue
		case p[i] == '[' && strings.HasPrefix(p[i:], "[:"):
			if end := strings.Index(p[i:], ":]"); end > 0 {
				b.WriteString(p[i : i+end+2])
				i += end + 1
				continue
			}
		case p[i] == ']':
			inClass = false
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

func hasBoundary(re *syntax.Regexp) bool {
	return re.Op == syntax.OpWordBoundary || re.Op == syntax.OpNoWordBoundary || slices.ContainsFunc(re.Sub, hasBoundary)
}

// runProgram looks for a match as package regexp does, all ways at once and so
// in a time linear in the text, with the words of all scripts.
func (r *Regexp) runProgram(text string) bool {
	prog := r.prog
	now, next := newThreads(prog), newThreads(prog)
	before := rune(-1)
	for at := 0; at <= len(text); {
		after, size := rune(-1), 1
		if at < len(text) {
			after, size = utf8.DecodeRuneInString(text[at:])
		}
		here := r.words.place(before, after)
		if now.add(prog, uint32(prog.Start), here) { // a match may start anywhere
			return true
		}
		for _, pc := range now.list {
			in := &prog.Inst[pc]
			if after >= 0 && in.MatchRune(after) {
				next.wait = append(next.wait, in.Out)
			}
		}
		following := rune(-1)
		if at+size < len(text) {
			following, _ = utf8.DecodeRuneInString(text[at+size:])
		}
		there := r.words.place(after, following)
		for _, pc := range next.wait {
			if next.add(prog, pc, there) {
				return true
			}
		}
		now, next = next, now
		next.clear()
		before = after
		at += size
	}
	return false
}

// place says what is true between two characters; -1 is the end of the text.
func (w words) place(before, after rune) syntax.EmptyOp {
	op := syntax.EmptyOpContext(before, after) &^ (syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary)
	if w.has(before) != w.has(after) {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

func (w words) has(r rune) bool {
	return r == '_' && w == goWords || unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// threads are the places of a program that a match may be at.
type threads struct {
	list, wait []uint32
	has        []bool
}

func newThreads(prog *syntax.Prog) *threads { return &threads{has: make([]bool, len(prog.Inst))} }

func (t *threads) clear() {
	t.list, t.wait = t.list[:0], t.wait[:0]
	clear(t.has)
}

// add follows the steps that take no character; it reports a match.
func (t *threads) add(prog *syntax.Prog, pc uint32, here syntax.EmptyOp) bool {
	if t.has[pc] {
		return false
	}
	t.has[pc] = true
	switch in := &prog.Inst[pc]; in.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstFail:
	case syntax.InstAlt, syntax.InstAltMatch:
		return t.add(prog, in.Out, here) || t.add(prog, in.Arg, here)
	case syntax.InstCapture, syntax.InstNop:
		return t.add(prog, in.Out, here)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^here == 0 {
			return t.add(prog, in.Out, here)
		}
	default:
		t.list = append(t.list, pc)
	}
	return false
}
