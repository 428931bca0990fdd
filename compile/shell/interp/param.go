package interp

import (
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// Some expansions are done here rather than by package expand, which lacks part
// of what bash does: arithmetic on array elements, ${x/#a/b}, quoting and
// extended patterns in ${x##p}, ${x@Q}. After parsing, each such node is
// replaced by a plain expansion of a variable whose name says which node it
// was; looking that variable up performs the expansion.
const operationOf = "\x00op:"

// The parser's ${a[@]} and ${!a[@]} are rewritten to plain expansions of the
// variables with these prefixes, so that associative arrays come out in the
// order of their keys, values and keys alike.
const (
	valuesOf = "\x00values:"
	keysOf   = "\x00keys:"
)

// program is what a shell and its subshells have parsed.
type program struct {
	operations []syntax.Node
	files      map[string]*syntax.File // so that eval in a loop parses once
}

// maxFiles bounds the parsed texts that are kept.
const maxFiles = 100

// normalize prepares a parsed script; see operationOf and valuesOf.
func (p *program) normalize(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			p.replace(n.Parts)
		case *syntax.DblQuoted:
			p.replace(n.Parts)
		case *syntax.ParamExp:
			renameWhole(n)
		}
		return true
	})
}

// replace puts deferred expansions in the place of parts done here.
func (p *program) replace(parts []syntax.WordPart) {
	for i, part := range parts {
		deferred := &syntax.ParamExp{Dollar: part.Pos(), Rbrace: part.End()}
		switch part := part.(type) {
		case *syntax.ArithmExp:
			p.normalize(part.X)
		case *syntax.ParamExp:
			if !isOurs(part) {
				continue
			}
			if lit := wholeIndex(part); lit != "" {
				deferred.Index = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: lit}}}
			}
			p.normalize(part)
		default:
			continue
		}
		deferred.Param = &syntax.Lit{ValuePos: part.Pos(), ValueEnd: part.End(), Value: operationOf + strconv.Itoa(len(p.operations))}
		p.operations = append(p.operations, part)
		parts[i] = deferred
	}
}

func isOurs(p *syntax.ParamExp) bool {
	if p.Repl != nil {
		return true
	}
	if p.Exp == nil {
		return false
	}
	switch p.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	case syntax.OtherParamOps:
		return p.Exp.Word != nil && p.Exp.Word.Lit() == "Q"
	}
	return false
}

// wholeIndex is "@" or "*" for expansions of all elements, else "".
func wholeIndex(p *syntax.ParamExp) string {
	if p.Param == nil {
		return ""
	}
	if p.Index == nil {
		if p.Param.Value == "@" || p.Param.Value == "*" {
			return p.Param.Value
		}
		return ""
	}
	if w, ok := p.Index.(*syntax.Word); ok {
		if lit := w.Lit(); lit == "@" || lit == "*" {
			return lit
		}
	}
	return ""
}

func renameWhole(p *syntax.ParamExp) {
	if p.Index == nil || wholeIndex(p) == "" || strings.HasPrefix(p.Param.Value, "\x00") {
		return
	}
	prefix := valuesOf
	if p.Excl {
		prefix = keysOf
		p.Excl = false
	}
	lit := *p.Param
	lit.Value = prefix + lit.Value
	p.Param = &lit
}

// operate performs a deferred expansion.
func (sh *Shell) operation(number string) expand.Variable {
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(sh.program.operations) {
		return expand.Variable{}
	}
	outer := sh.cfg // an expansion is under way: it keeps its own buffers
	sh.newConfig()
	defer func() { sh.cfg = outer }()
	switch x := sh.program.operations[i].(type) {
	case *syntax.ArithmExp:
		return text(strconv.Itoa(sh.arithmetic(x.X)))
	case *syntax.ParamExp:
		return sh.transform(x)
	}
	return expand.Variable{}
}

// transform applies the operator of ${x op …} to a value or to all elements.
func (sh *Shell) transform(p *syntax.ParamExp) expand.Variable {
	f := sh.transformer(p)
	if sh.flow != 0 {
		return text("")
	}
	base := *p
	base.Repl, base.Exp = nil, nil
	if wholeIndex(p) != "" {
		v := sh.lookup(base.Param.Value)
		var items []string
		if v.Kind == expand.Indexed {
			for _, s := range v.List {
				items = append(items, f(s))
			}
		} else if v.IsSet() {
			items = append(items, f(v.String()))
		}
		return list(items)
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && !sh.lookup(p.Param.Value).IsSet() {
		return text("")
	}
	return text(f(sh.literal(&syntax.Word{Parts: []syntax.WordPart{&base}})))
}

func (sh *Shell) transformer(p *syntax.ParamExp) func(string) string {
	if r := p.Repl; r != nil {
		return sh.replacer(r)
	}
	if p.Exp.Op == syntax.OtherParamOps {
		return func(s string) string {
			if hasControl(s) {
				return dollarQuoted(s)
			}
			return singleQuoted(s)
		}
	}
	pat := ""
	if p.Exp.Word != nil {
		pat = sh.pattern(p.Exp.Word)
	}
	switch p.Exp.Op {
	case syntax.RemLargePrefix:
		return func(s string) string {
			if re := sh.patternRegexp("^", pat, ""); re != nil {
				if m := re.FindStringIndex(s); m != nil {
					return s[m[1]:]
				}
			}
			return s
		}
	case syntax.RemLargeSuffix:
		return func(s string) string {
			if re := sh.patternRegexp("", pat, "$"); re != nil {
				if m := re.FindStringIndex(s); m != nil {
					return s[:m[0]]
				}
			}
			return s
		}
	case syntax.RemSmallPrefix:
		return func(s string) string {
			for i := 0; i <= len(s); i++ {
				if sh.matches(pat, s[:i]) {
					return s[i:]
				}
			}
			return s
		}
	}
	return func(s string) string {
		for i := len(s); i >= 0; i-- {
			if sh.matches(pat, s[i:]) {
				return s[:i]
			}
		}
		return s
	}
}

// replacer is ${x/pattern/text}. In the text, an unquoted & is what matched.
func (sh *Shell) replacer(r *syntax.Replace) func(string) string {
	orig := r.Orig
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
	re := sh.patternRegexp(before, pat, after)
	if re == nil || (pat == "" && before+after == "") {
		return func(s string) string { return s }
	}
	return func(s string) string {
		n := 1
		if r.All {
			n = -1
		}
		var b strings.Builder
		last := 0
		for _, m := range re.FindAllStringIndex(s, n) {
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
	for _, part := range w.Parts {
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
