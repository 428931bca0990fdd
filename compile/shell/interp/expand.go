package interp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// newConfig ties package expand to this shell.
func (sh *Shell) newConfig() {
	sh.cfg = &expand.Config{
		Env:       environment{sh},
		CmdSubst:  sh.commandSubstitution,
		ProcSubst: sh.processSubstitution,
	}
	sh.syncOptions()
}

// syncOptions tells package expand about options that changed.
func (sh *Shell) syncOptions() {
	c := sh.cfg
	c.NoUnset = sh.opts["nounset"]
	c.NullGlob = sh.opts["nullglob"]
	c.GlobStar = sh.opts["globstar"]
	c.DotGlob = sh.opts["dotglob"]
	c.NoCaseGlob = sh.opts["nocaseglob"]
	c.ExtGlob = sh.opts["extglob"]
	c.ReadDir2 = nil
	if !sh.opts["noglob"] {
		c.ReadDir2 = func(name string) ([]fs.DirEntry, error) { return os.ReadDir(sh.abs(name)) }
	}
}

// expansionFailed reports an expansion error, which ends the shell.
func (sh *Shell) expansionFailed(err error) {
	if err == nil || sh.flow != 0 {
		return
	}
	var unset expand.UnsetParameterError
	if errors.As(err, &unset) {
		message := unset.Message
		sh.errorf("%s", strings.TrimSpace(paramName(unset.Node)+": "+message))
		switch {
		case sh.subshells > 0:
			sh.exit(1)
		case sh.dialect == POSIX:
			sh.exit(2)
		default:
			sh.exit(127)
		}
		return
	}
	sh.errorf("%v", err)
	sh.exit(1)
}

func paramName(p *syntax.ParamExp) string {
	if p == nil || p.Param == nil {
		return ""
	}
	return p.Param.Value
}

// fields expands words with splitting and globbing.
func (sh *Shell) fields(words ...*syntax.Word) []string {
	separators := sh.separators()
	if separators == "" && len(words) != 1 {
		for i, w := range words { // long ranges are not package expand's
			if strings.HasPrefix(w.Lit(), "{") {
				return slices.Concat(sh.fields(words[:i]...), sh.fields(w), sh.fields(words[i+1:]...))
			}
		}
	}
	if len(words) == 1 {
		if list, ok := numberRange(words[0].Lit()); ok {
			return list
		}
	}
	if separators == "" {
		list, err := expand.Fields(sh.cfg, words...)
		sh.expansionFailed(err)
		return list
	}
	var list []string
	for _, w := range words {
		if part := soleExpansion(w); part != nil {
			list = append(list, sh.split(sh.literal(w), separators)...)
			continue
		}
		fields, err := expand.Fields(sh.cfg, w)
		sh.expansionFailed(err)
		list = append(list, fields...)
	}
	return list
}

var rangeWord = regexp.MustCompile(`^\{(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\}$`)

// numberRange is {1..100000}, which package expand would cut at 16384.
func numberRange(word string) ([]string, bool) {
	m := rangeWord.FindStringSubmatch(word)
	if m == nil {
		return nil, false
	}
	from, err1 := strconv.Atoi(m[1])
	to, err2 := strconv.Atoi(m[2])
	step := 1
	if m[3] != "" {
		step, _ = strconv.Atoi(m[3])
	}
	if step = max(step, -step); err1 != nil || err2 != nil || step < 0 {
		return nil, false
	}
	step = max(step, 1)
	width := 0
	for _, s := range m[1:3] { // {01..10} pads with zeros
		if digits := strings.TrimPrefix(s, "-"); len(digits) > 1 && digits[0] == '0' {
			width = max(width, len(m[1]), len(m[2]))
		}
	}
	var list []string
	for n := from; from <= to && n <= to || from > to && n >= to; {
		list = append(list, fmt.Sprintf("%0*d", width, n))
		if from <= to {
			n += step
		} else {
			n -= step
		}
	}
	return list, true
}

// separators are the bytes of IFS that are not blanks. Package expand takes a
// run of them for one, where each ends a field of its own.
func (sh *Shell) separators() string {
	v := sh.vars.find("IFS")
	if v == nil || !v.Set {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n", r) {
			return -1
		}
		return r
	}, v.Str)
}

// soleExpansion is the expansion of a word that is nothing but one.
func soleExpansion(w *syntax.Word) syntax.WordPart {
	if len(w.Parts) != 1 {
		return nil
	}
	switch p := w.Parts[0].(type) {
	case *syntax.CmdSubst:
		return p
	case *syntax.ParamExp:
		if p.Param != nil && wholeIndex(p) == "" && p.Exp == nil && p.Names == 0 {
			return p
		}
	}
	return nil
}

// split cuts an expanded value into fields by IFS and expands their globs.
func (sh *Shell) split(s, separators string) []string {
	blanks := ""
	for _, c := range sh.value("IFS") {
		if strings.ContainsRune(" \t\n", c) {
			blanks += string(c)
		}
	}
	var list []string
	s = strings.Trim(s, blanks)
	for s != "" {
		i := strings.IndexAny(s, separators+blanks)
		if i < 0 {
			i = len(s)
		}
		list = append(list, sh.glob(s[:i])...)
		s = strings.TrimLeft(s[i:], blanks)
		if s != "" && strings.ContainsRune(separators, []rune(s)[0]) {
			_, size := utf8.DecodeRuneInString(s)
			s = strings.TrimLeft(s[size:], blanks)
		}
	}
	return list
}

// glob expands a field that an expansion gave.
func (sh *Shell) glob(field string) []string {
	if field == "" || !strings.ContainsAny(field, "*?[") {
		return []string{field}
	}
	var quoted strings.Builder
	for _, c := range []byte(field) {
		if strings.IndexByte("\\{}~$`\"'", c) >= 0 {
			quoted.WriteByte('\\')
		}
		quoted.WriteByte(c)
	}
	list, err := expand.Fields(sh.cfg, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: quoted.String()}}})
	if err != nil || len(list) == 0 {
		return []string{field}
	}
	return list
}

// literal expands a word to one string, without splitting or globbing.
func (sh *Shell) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	s, err := expand.Literal(sh.cfg, w)
	sh.expansionFailed(err)
	return s
}

func (sh *Shell) document(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	s, err := expand.Document(sh.cfg, w)
	sh.expansionFailed(err)
	return s
}

func (sh *Shell) pattern(w *syntax.Word) string {
	s, err := expand.Pattern(sh.cfg, w)
	sh.expansionFailed(err)
	return s
}

// matches reports whether a shell pattern matches all of s.
func (sh *Shell) matches(pat, s string) bool {
	mode := pattern.EntireString | pattern.ExtendedOperators
	if sh.opts["nocasematch"] {
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

// commandSubstitution runs $(…) in a subshell and gives what it prints.
func (sh *Shell) commandSubstitution(w io.Writer, c *syntax.CmdSubst) error {
	if len(c.Stmts) == 0 {
		sh.substatus = 0
		return nil
	}
	if text, ok, err := sh.fileShortcut(c); ok {
		sh.substatus = 0
		if err != nil {
			sh.substatus = 1
			return nil
		}
		_, err = w.Write(text)
		return err
	}
	out, status := sh.capture(func(sub *Shell) {
		if !sh.opts["inherit_errexit"] && sh.dialect == Bash {
			delete(sub.opts, "errexit")
		}
		sub.tested = 0
		sub.stmts(c.Stmts)
	})
	sh.substatus = status
	_, err := w.Write(bytes.ReplaceAll(out, []byte{0}, nil)) // a variable cannot hold NUL
	return err
}

// capture runs f in a subshell whose output is kept.
func (sh *Shell) capture(f func(sub *Shell)) ([]byte, int) {
	if sh.subshells >= maxSubshells {
		sh.errorf("subshells nest more than %d deep", maxSubshells)
		sh.exit(1)
		return nil, 1
	}
	sub := sh.subshell()
	s := newCapture()
	sub.setFD(1, s.keep())
	f(sub)
	status := sub.finish()
	sh.drain(s)
	return s.capture.Bytes(), status
}

// fileShortcut is $(<file).
func (sh *Shell) fileShortcut(c *syntax.CmdSubst) (text []byte, ok bool, err error) {
	if len(c.Stmts) != 1 {
		return nil, false, nil
	}
	s := c.Stmts[0]
	if s.Cmd != nil || s.Negated || s.Background || len(s.Redirs) != 1 || s.Redirs[0].Op != syntax.RdrIn {
		return nil, false, nil
	}
	sub := sh.subshell()
	defer sub.finish()
	if !sub.redirectOne(s.Redirs[0]) {
		return nil, true, errBadFD
	}
	return sub.readAll(0), true, nil
}

// processSubstitution is <(…): the output goes to a file, whose name is given.
func (sh *Shell) processSubstitution(p *syntax.ProcSubst) (string, error) {
	if p.Op != syntax.CmdIn {
		return "", errors.New(">(…) is not available: use a pipeline")
	}
	out, _ := sh.capture(func(sub *Shell) { sub.stmts(p.Stmts) })
	for n := 63; ; n++ {
		name := path.Join("/tmp", fmt.Sprintf(".fd%d", n))
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if err := os.WriteFile(name, out, 0o600); err != nil {
			return "", fmt.Errorf("<(…): %s", reason(err))
		}
		sh.substs = append(sh.substs, name)
		return name, nil
	}
}

// dropSubstitutions removes the files of <(…) once their command has ended.
func (sh *Shell) dropSubstitutions() {
	for _, name := range sh.substs {
		os.Remove(name)
	}
	sh.substs = nil
}

// heredoc is the text of a here-document.
func (sh *Shell) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	quoted := false
	for _, part := range r.Word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			quoted = quoted || strings.Contains(part.Value, "\\")
		case *syntax.SglQuoted, *syntax.DblQuoted:
			quoted = true
		}
	}
	word := r.Hdoc
	if r.Op == syntax.DashHdoc {
		word = stripTabs(word)
	}
	if quoted {
		if lit := word.Lit(); lit != "" || len(word.Parts) == 0 {
			return lit
		}
	}
	return sh.document(word)
}

// stripTabs removes leading tabs from the lines of a <<- document.
func stripTabs(w *syntax.Word) *syntax.Word {
	start := true
	out := &syntax.Word{}
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			out.Parts = append(out.Parts, part)
			start = false
			continue
		}
		var b strings.Builder
		for line := range strings.Lines(lit.Value) {
			if start {
				line = strings.TrimLeft(line, "\t")
			}
			b.WriteString(line)
			start = strings.HasSuffix(line, "\n")
		}
		copied := *lit
		copied.Value = b.String()
		out.Parts = append(out.Parts, &copied)
	}
	return out
}
