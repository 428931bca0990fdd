package interp

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// slice is ${x:offset:length}.
func (sh *Shell) slice(p *syntax.ParamExp, o operand) operand {
	offset := sh.arithmetic(p.Slice.Offset)
	length, limited := 0, p.Slice.Length != nil
	if limited {
		length = sh.arithmetic(p.Slice.Length)
	}
	if sh.flow != 0 {
		return o
	}
	if o.many {
		o.items = sh.sliceList(p, o.items, offset, length, limited)
		return o
	}
	if len(o.items) == 0 {
		return o
	}
	chars := sh.characters(o.items[0])
	if offset < 0 {
		offset += len(chars)
	}
	if offset < 0 || offset > len(chars) {
		return scalar("")
	}
	end := len(chars)
	switch {
	case limited && length < 0:
		if end += length; end < offset {
			sh.errorf("%d: substring expression < 0", length)
			sh.discard()
			return o
		}
	case limited:
		end = min(end, offset+length)
	}
	return scalar(strings.Join(chars[offset:end], ""))
}

func (sh *Shell) sliceList(p *syntax.ParamExp, items []string, offset, length int, limited bool) []string {
	name, _ := sh.deref(p.Param.Value, p.Index)
	v := sh.lookup(name)
	if p.Index == nil { // "$@", where $0 comes first
		items = append([]string{sh.name}, items...)
		if offset < 0 {
			offset += len(items)
		} else if offset == 0 && limited && length == 0 {
			return nil
		}
	} else if v.Kind == expand.Indexed {
		if offset < 0 {
			offset += elementMax(&v) + 1
		}
		if v.Indexes != nil && offset >= 0 { // from the first index not below
			offset, _ = slices.BinarySearch(v.Indexes, offset)
		}
	} else if v.Kind == expand.Associative && offset > 0 {
		offset--
	}
	if limited && length < 0 {
		sh.errorf("%d: substring expression < 0", length)
		sh.discard()
		return nil
	}
	if offset < 0 || offset >= len(items) {
		return nil
	}
	items = items[offset:]
	if limited {
		items = items[:min(length, len(items))]
	}
	return items
}

// transform applies a pattern or case operator, or one that begins with @.
func (sh *Shell) transform(p *syntax.ParamExp, o operand) operand {
	if p.Exp.Op == syntax.OtherParamOps {
		return sh.transformed(p, o, sh.literal(p.Exp.Word))
	}
	pat := sh.pattern(p.Exp.Word)
	switch p.Exp.Op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return o.each(sh.caseChanger(p.Exp.Op, pat))
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return o.each(sh.trimmer(p.Exp.Op, pat))
	}
	sh.errorf("${%s}: bad substitution", paramText(p))
	sh.discard()
	return o
}

// caseChanger is ${x^^}, ${x,} and their kin.
func (sh *Shell) caseChanger(op syntax.ParExpOperator, pat string) func(string) string {
	change := unicode.ToUpper
	if op == syntax.LowerFirst || op == syntax.LowerAll {
		change = unicode.ToLower
	}
	all := op == syntax.UpperAll || op == syntax.LowerAll
	return func(s string) string {
		var b strings.Builder
		for i, c := range sh.characters(s) {
			if r, _ := utf8.DecodeRuneInString(c); r != utf8.RuneError && (all || i == 0) && (pat == "" || sh.matches(pat, c)) {
				c = string(change(r))
			}
			b.WriteString(c)
		}
		return b.String()
	}
}

// transformed is ${x@op}.
func (sh *Shell) transformed(p *syntax.ParamExp, o operand, op string) operand {
	name, _ := sh.deref(p.Param.Value, p.Index)
	v := sh.vars.find(name)
	whole := wholeIndex(p) != "" && p.Index != nil
	switch op {
	case "a":
		attributes := ""
		if v != nil {
			attributes = strings.Trim(attributesOf(v), "-")
		}
		if !o.many {
			if v == nil || !o.set && v.Kind == expand.String && !v.Set && attributes == "" {
				return operand{}
			}
			return scalar(attributes)
		}
		return o.each(func(string) string { return attributes })
	case "A":
		switch {
		case !o.set:
			return operand{}
		case whole && v != nil:
			return scalar(declarationText(name, v))
		case p.Index == nil && o.many:
			words := o.each(singleQuoted).items
			return scalar("set -- " + strings.Join(words, " "))
		case v != nil && attributesOf(v) != "-":
			return scalar("declare -" + attributesOf(v) + " " + name + "=" + quotedForAssignment(o.items[0]))
		}
		return scalar(name + "=" + quotedForAssignment(o.items[0]))
	case "K", "k":
		if !whole || v == nil {
			if !o.set {
				return operand{}
			}
			return o.each(quotedForAssignment)
		}
		var pairs []string
		values := sh.elementsOf(name)
		for i, k := range sh.keysOf(name) {
			if op == "k" {
				pairs = append(pairs, k, values[i])
			} else if v.Kind == expand.Associative {
				pairs = append(pairs, quotedKey(k), doubleQuoted(values[i]))
			} else {
				pairs = append(pairs, k, doubleQuoted(values[i]))
			}
		}
		if op == "k" {
			o.items = pairs
			return o
		}
		text := strings.Join(pairs, " ")
		if v.Kind == expand.Associative && text != "" {
			text += " "
		}
		return scalar(text)
	}
	var f func(string) string
	switch op {
	case "Q":
		f = quotedForAssignment
	case "U":
		f = sh.caseChanger(syntax.UpperAll, "")
	case "u":
		f = sh.caseChanger(syntax.UpperFirst, "")
	case "L":
		f = sh.caseChanger(syntax.LowerAll, "")
	case "E":
		f = dollarUnquoted
	case "P":
		f = sh.prompt
	default:
		sh.errorf("${%s@%s}: bad substitution", paramText(p), op)
		sh.discard()
		return o
	}
	return o.each(f)
}

// quotedForAssignment quotes as ${x@Q} does.
func quotedForAssignment(s string) string {
	if hasControl(s) {
		return dollarQuoted(s)
	}
	return singleQuoted(s)
}

// trimmer is ${x#pattern} and its kin.
func (sh *Shell) trimmer(op syntax.ParExpOperator, pat string) func(string) string {
	starts := func(s string) []int { // the places between characters
		list := make([]int, 0, len(s)+1)
		for i := 0; i < len(s); i += len(firstCharacter(s[i:])) {
			list = append(list, i)
		}
		return append(list, len(s))
	}
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	short := op == syntax.RemSmallPrefix || op == syntax.RemSmallSuffix
	if pat == "" {
		return func(s string) string { return s }
	}
	if lit := unescapePattern(pat); !isPattern(pat) && !strings.Contains(pat, "(") && !sh.opts["nocasematch"] {
		return func(s string) string {
			if prefix {
				return strings.TrimPrefix(s, lit)
			}
			return strings.TrimSuffix(s, lit)
		}
	}
	if !short {
		before, after := "^", ""
		if !prefix {
			before, after = "", "$"
		}
		if re := sh.patternRegexp(before, pat, after); re != nil {
			return func(s string) string {
				m := re.FindStringIndex(s)
				switch {
				case m == nil:
					return s
				case prefix:
					return s[m[1]:]
				}
				return s[:m[0]]
			}
		}
	}
	return func(s string) string {
		list := starts(s)
		if prefix != short {
			slices.Reverse(list)
		}
		for _, i := range list {
			if prefix && sh.matches(pat, s[:i]) {
				return s[i:]
			}
			if !prefix && sh.matches(pat, s[i:]) {
				return s[:i]
			}
		}
		return s
	}
}
