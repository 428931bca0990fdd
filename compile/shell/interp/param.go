package interp

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// operand is what a parameter stands for, before and after its operator.
type operand struct {
	items []string
	many  bool // all elements: ${a[@]}, ${a[*]}, $@, $*
	star  bool // the form with *, which "…" joins
	set   bool
}

func scalar(s string) operand { return operand{items: []string{s}, set: true} }

// null tells that the operand stands for no text; glue is between the elements
// of a list.
func (o operand) null() bool { return len(o.items) == 0 || len(o.items) == 1 && o.items[0] == "" }

// each applies f to every element.
func (o operand) each(f func(string) string) operand {
	items := make([]string, len(o.items))
	for i, s := range o.items {
		items[i] = f(s)
	}
	o.items = items
	return o
}

// emit adds an operand to the word.
func (e *expansion) emit(o operand, inQuotes bool) {
	k := result
	if inQuotes {
		k = quoted
	}
	switch {
	case !o.many:
		if len(o.items) > 0 {
			e.add(o.items[0], k)
		}
	case o.star && (inQuotes || e.joined):
		e.add(strings.Join(o.items, e.sh.glue()), k)
	case e.joined:
		e.add(strings.Join(o.items, " "), k)
	default:
		if len(o.items) == 0 {
			e.nothing = true
		}
		glue := e.sh.glue()
		splits := !inQuotes && glue != "" && strings.Trim(glue, " \t\n") != ""
		for i, s := range o.items {
			switch {
			case i > 0 && splits: // so that empty elements count
				e.add(glue, result)
			case i > 0:
				e.runs = append(e.runs, run{kind: border})
			}
			e.add(s, k)
		}
	}
}

// param expands a parameter.
func (e *expansion) param(p *syntax.ParamExp, inQuotes bool) {
	sh := e.sh
	if p.Param == nil {
		sh.errorf("bad substitution")
		sh.discard()
		return
	}
	if body, ok := sh.program.later[p.Param.Value]; ok {
		sh.errorf("${%s}: bad substitution", body)
		sh.discard()
		return
	}
	whole, indirect := wholeIndex(p), false
	switch {
	case p.Names != 0:
		o := operand{items: sh.namesFrom(p.Param.Value), many: true, star: p.Names == syntax.NamesPrefix, set: true}
		if o.star && sh.glue() == "" {
			o = scalar(strings.Join(o.items, ""))
		}
		e.emit(o, inQuotes)
		return
	case p.Excl && p.Index != nil && whole != "" && p.Exp == nil && p.Repl == nil && p.Slice == nil:
		o := operand{items: sh.keysOf(p.Param.Value), many: true, star: whole == "*", set: true}
		if o.star && sh.glue() == "" {
			between := " "
			if inQuotes {
				between = ""
			}
			o = scalar(strings.Join(o.items, between))
		}
		e.emit(o, inQuotes)
		return
	case p.Excl:
		if v := sh.vars.find(p.Param.Value); v != nil && v.Kind == expand.NameRef && p.Index == nil {
			e.emit(scalar(v.Str), inQuotes) // ${!r} of a reference is the name it refers to
			return
		}
		if p = sh.indirect(p); p == nil || sh.flow != 0 {
			return
		}
		indirect = true
	}
	o := sh.operand(p)
	if sh.flow != 0 {
		return
	}
	if p.Length {
		e.emit(scalar(sh.length(p, o)), inQuotes)
		return
	}
	if p.Exp != nil && isTest(p.Exp.Op) {
		null := o.null()
		switch {
		case indirect && whole == "" && o.many:
			null = len(o.items) == 0
		case o.star && inQuotes:
			null = strings.Join(o.items, sh.glue()) == ""
		}
		e.test(p, o, null, inQuotes)
		return
	}
	if !o.set && !o.many && sh.opts["nounset"] {
		sh.unbound(paramText(p))
		return
	}
	switch {
	case p.Slice != nil:
		o = sh.slice(p, o)
	case p.Repl != nil:
		o = o.each(sh.replacer(p))
	case p.Exp != nil:
		o = sh.transform(p, o)
	}
	if sh.flow == 0 {
		e.emit(o, inQuotes)
	}
}

func paramText(p *syntax.ParamExp) string {
	if p.Index == nil {
		return p.Param.Value
	}
	var b strings.Builder
	syntax.NewPrinter().Print(&b, p.Index)
	return p.Param.Value + "[" + b.String() + "]"
}

// unbound ends the shell for a parameter that is not set.
func (sh *Shell) unbound(name string) { sh.expansionFailed(name + ": unbound variable") }

// expansionFailed reports what was wrong with an expansion, and ends the shell.
func (sh *Shell) expansionFailed(message string) {
	sh.errorf("%s", message)
	switch {
	case sh.subshells > 0 || sh.opts["errexit"]:
		sh.exit(1)
	case sh.dialect == POSIX:
		sh.exit(2)
	default:
		sh.exit(127)
	}
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

// operand finds what p stands for, leaving its operator aside.
func (sh *Shell) operand(p *syntax.ParamExp) operand {
	name, index := sh.deref(p.Param.Value, p.Index)
	if index != p.Index {
		copied := *p
		copied.Param, copied.Index = &syntax.Lit{Value: name}, index
		p = &copied
	}
	if whole := wholeIndex(p); whole != "" {
		o := operand{many: true, star: whole == "*", set: true}
		if p.Index == nil {
			o.items = sh.params
		} else {
			o.items = sh.elementsOf(name)
		}
		o.set = len(o.items) > 0
		return o
	}
	v := sh.lookup(name)
	s, ok := sh.elementAt(name, &v, index)
	if !ok {
		return operand{}
	}
	return scalar(s)
}

// elementAt is the element of v that index names, or the one that stands for
// all of v when there is none.
func (sh *Shell) elementAt(name string, v *expand.Variable, index syntax.ArithmExpr) (string, bool) {
	switch v.Kind {
	case expand.Associative:
		key := "0"
		if index != nil {
			key = sh.key(index)
		}
		s, ok := v.Map[key]
		return s, ok
	case expand.Indexed:
		i := 0
		if index != nil {
			i = sh.arithmetic(index)
		}
		if i < 0 {
			if i += elementMax(v) + 1; i < 0 {
				sh.errorf("%s: bad array subscript", name)
				return "", false
			}
		}
		return element(v, i)
	}
	if index != nil {
		if i := sh.arithmetic(index); i != 0 && i != -1 {
			return "", false
		}
	}
	if v.Kind == expand.NameRef { // one that refers to nothing, or to itself
		return "", false
	}
	return v.Str, v.IsSet()
}

// deref follows name references.
func (sh *Shell) deref(name string, index syntax.ArithmExpr) (string, syntax.ArithmExpr) {
	for range 20 {
		v := sh.vars.find(name)
		if v == nil || v.Kind != expand.NameRef || v.Str == "" {
			return name, index
		}
		target, sub, ok := cutSubscript(v.Str)
		if target == name {
			return name, index
		}
		name = target
		if ok && index == nil {
			return name, sh.program.subscript(sub)
		}
	}
	return name, index
}

// cutSubscript cuts name[sub].
func cutSubscript(s string) (name, sub string, ok bool) {
	name, sub, ok = strings.Cut(s, "[")
	if !ok || !strings.HasSuffix(sub, "]") {
		return s, "", false
	}
	return name, sub[:len(sub)-1], true
}

// indirect is ${!name…}: the parameter that name's value names. It is nil when
// that is none.
func (sh *Shell) indirect(p *syntax.ParamExp) *syntax.ParamExp {
	plain := &syntax.ParamExp{Param: p.Param, Index: p.Index}
	target := ""
	o := sh.operand(plain)
	if wholeIndex(plain) != "" {
		target = strings.Join(o.items, " ")
	} else if len(o.items) > 0 {
		target = o.items[0]
	}
	if !o.set || target == "" {
		if v := sh.vars.find(p.Param.Value); v != nil && !v.Set || !o.set && v != nil && v.Kind != expand.String {
			return &syntax.ParamExp{Param: &syntax.Lit{Value: "\x00unset"}}
		}
		sh.errorf("%s: invalid indirect expansion", paramText(plain))
		sh.discard()
		return nil
	}
	name, sub, hasSub := cutSubscript(target)
	q := *p
	q.Excl, q.Param, q.Index = false, &syntax.Lit{Value: name}, nil
	if hasSub {
		q.Index = sh.program.subscript(sub)
	}
	special := len(name) == 1 && strings.Contains("@*#?$!-_", name) || name != "" && strings.Trim(name, "0123456789") == ""
	if !syntax.ValidName(name) && !special || hasSub && q.Index == nil {
		sh.errorf("%s: invalid variable name", target)
		sh.discard()
		return nil
	}
	return &q
}

// namesFrom lists the variables whose names start with prefix.
func (sh *Shell) namesFrom(prefix string) []string {
	var names []string
	environment{sh}.Each(func(name string, v expand.Variable) bool {
		if strings.HasPrefix(name, prefix) && v.IsSet() {
			names = append(names, name)
		}
		return true
	})
	return names
}

// length is ${#x} and ${#a[@]}.
func (sh *Shell) length(p *syntax.ParamExp, o operand) string {
	if o.many {
		return itoa(len(o.items))
	}
	if !o.set && sh.opts["nounset"] {
		sh.unbound(paramText(p))
	}
	if len(o.items) == 0 {
		return "0"
	}
	if sh.bytewise() {
		return itoa(len(o.items[0]))
	}
	return itoa(utf8.RuneCountInString(o.items[0]))
}

// bytewise tells that characters are bytes, as the locale C has it.
func (sh *Shell) bytewise() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := sh.vars.find(name); v != nil && v.Str != "" {
			return v.Str == "C" || v.Str == "POSIX"
		}
	}
	return false
}

// firstCharacter is the first character of s, a byte when it is no UTF-8.
func firstCharacter(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// characters cuts s into its characters.
func (sh *Shell) characters(s string) []string {
	bytewise := sh.bytewise()
	list := make([]string, 0, len(s))
	for s != "" {
		n := 1
		if !bytewise {
			n = len(firstCharacter(s))
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

func isTest(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

// test is ${x-y}, ${x:+y} and their kin; null tells that there is no text.
func (e *expansion) test(p *syntax.ParamExp, o operand, null, inQuotes bool) {
	sh := e.sh
	there := o.set
	switch p.Exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		there = there && !null
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if there {
			e.subword(p.Exp.Word, inQuotes)
		} else if inQuotes && o.many {
			e.nothing = true
		}
		return
	}
	if there {
		e.emit(o, inQuotes)
		return
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		e.subword(p.Exp.Word, inQuotes)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		sub := expansion{sh: sh, joined: true}
		sub.subword(p.Exp.Word, inQuotes)
		value := sub.text()
		if sh.flow != 0 || !sh.assignParam(p, value) {
			return
		}
		if p.Index == nil {
			value = sh.value(p.Param.Value)
		}
		e.emit(scalar(value), inQuotes)
	default:
		message := "parameter not set"
		if p.Exp.Op == syntax.ErrorUnsetOrNull {
			message = "parameter null or not set"
		}
		if p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 {
			message = sh.literal(p.Exp.Word)
		}
		if sh.flow == 0 {
			sh.expansionFailed(paramText(p) + ": " + message)
		}
	}
}

// subword expands the word of ${x-word} in its place.
func (e *expansion) subword(w *syntax.Word, inQuotes bool) {
	if w == nil {
		return
	}
	parts := w.Parts
	e.braces++
	if inQuotes {
		e.parts(parts, quoted)
	} else {
		if len(parts) > 0 {
			if lit, ok := parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
				e.literal(e.tilde(lit.Value, len(parts) == 1), result, len(parts) == 1)
				parts = parts[1:]
			}
		}
		e.parts(parts, result)
	}
	e.braces--
}

// assignParam is the assignment of ${x=y}.
func (sh *Shell) assignParam(p *syntax.ParamExp, value string) bool {
	if !syntax.ValidName(p.Param.Value) || wholeIndex(p) != "" {
		sh.errorf("$%s: cannot assign in this way", p.Param.Value)
		sh.discard()
		return false
	}
	as := &syntax.Assign{Name: p.Param, Index: p.Index, Value: verbatim(value)}
	return sh.assignOne(as, sh.vars.find(p.Param.Value), declaration{})
}

// verbatim is a word that stands for text.
func verbatim(text string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
}
