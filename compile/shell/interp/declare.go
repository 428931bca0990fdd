package interp

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// declare runs declare, typeset, local, export, readonly and nameref.
func (sh *Shell) declare(variant string, args []*syntax.Assign) {
	d := declaration{declaring: true}
	switch variant {
	case "export":
		d.export = true
	case "readonly":
		d.readonly = true
	case "nameref":
		d.nameref = true
	case "local":
		if len(sh.callStack) == 0 {
			sh.errorf("local: can only be used in a function")
			sh.status = 1
			return
		}
		d.local = true
	case "declare", "typeset":
		d.local = len(sh.callStack) > 0
	}
	var names []*syntax.Assign
	optionsEnded := false
	for _, as := range args {
		if !as.Naked || as.Name != nil {
			names = append(names, as)
			continue
		}
		for _, word := range sh.fields(as.Value) {
			if word == "--" && !optionsEnded && len(names) == 0 {
				optionsEnded = true
				continue
			}
			if len(word) > 1 && (word[0] == '-' || word[0] == '+') && len(names) == 0 && !optionsEnded {
				if !sh.declareFlags(&d, variant, word) {
					return
				}
				continue
			}
			names = append(names, assignFromText(word))
		}
	}
	if sh.flow != 0 {
		return
	}
	if d.functions || d.nameOnlyFns {
		sh.status = 0
		sh.printFunctions(names, d.nameOnlyFns)
		return
	}
	if len(names) == 0 {
		sh.status = 0
		sh.printVariables(variant, d)
		return
	}
	for i, as := range names { // all values are expanded before anything is assigned
		if as.Array == nil && as.Value != nil && !as.Naked {
			copied := *as
			copied.Value = verbatim(sh.assigned(as.Value))
			names[i] = &copied
			if sh.flow != 0 {
				return
			}
		}
	}
	if last := names[len(names)-1]; last.Name != nil {
		sh.lastArg = last.Name.Value
		if last.Array == nil && last.Value != nil {
			sh.lastArg += "=" + sh.literal(last.Value)
		}
	}
	failed := false // until the end, $? in a value is that of the command before
	for _, as := range names {
		if as.Name == nil || !syntax.ValidName(as.Name.Value) {
			what := ""
			if as.Name != nil {
				what = as.Name.Value
			}
			sh.errorf("%s: `%s': not a valid identifier", variant, what)
			failed = true
			continue
		}
		if d.printing && (variant == "declare" || variant == "typeset") {
			v := sh.vars.find(as.Name.Value)
			if v == nil {
				sh.errorf("%s: %s: not found", variant, as.Name.Value)
				failed = true
				continue
			}
			sh.print(declarationText(as.Name.Value, v) + "\n")
			continue
		}
		one := d
		if variant == "readonly" && as.Naked { // an array only with a value
			one.array, one.assoc = false, false
		}
		failed = !sh.declareOne(as, one) || failed
		if sh.flow != 0 {
			return
		}
	}
	sh.status = boolStatus(!failed)
}

// assignFromText makes an assignment of a word known only when it runs.
func assignFromText(word string) *syntax.Assign {
	name, value, ok := strings.Cut(word, "=")
	as := &syntax.Assign{Name: &syntax.Lit{Value: name}, Naked: !ok}
	if name, sub, isElement := cutSubscript(strings.TrimSuffix(name, "+")); isElement {
		as.Name.Value = name
		as.Index = newProgram().subscript(sub)
	}
	if ok {
		if n, plus := strings.CutSuffix(name, "+"); plus {
			as.Name.Value, as.Append = n, true
		}
		as.Value = &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: value}}}
	}
	return as
}

func (sh *Shell) declareFlags(d *declaration, variant, word string) bool {
	on := word[0] == '-'
	for _, c := range word[1:] {
		switch c {
		case 'a':
			d.array = on
		case 'A':
			d.assoc = on
		case 'i':
			d.integer, d.noninteger = on, !on
		case 'l':
			d.lower, d.nonlower = on, !on
		case 'u':
			d.upper, d.nonupper = on, !on
		case 'r':
			d.readonly = on
		case 'x':
			d.export, d.unexport = on, !on
		case 'n':
			if variant == "export" {
				d.export, d.unexport = false, true
			} else {
				d.nameref, d.unnameref = on, !on
			}
		case 'g':
			d.global, d.local = true, false
		case 'p':
			d.printing = true
		case 'f':
			d.functions = true
		case 'F':
			d.nameOnlyFns = true
		case 't', 'I':
		default:
			sh.errorf("%s: -%c: invalid option", variant, c)
			sh.status = 2
			return false
		}
	}
	return true
}

func (sh *Shell) declareOne(as *syntax.Assign, d declaration) bool {
	name := as.Name.Value
	var v *variable
	switch {
	case d.local:
		v = sh.vars.vars[name]
		if v == nil || sh.vars.outer == nil {
			outer := sh.vars.find(name)
			if outer != nil && outer.ReadOnly {
				sh.errorf("%s: readonly variable", name)
				return false
			}
			v = &variable{Variable: expand.Variable{Local: true}}
			if outer != nil && outer.Exported {
				v.Exported = true
			}
			sh.functionScope().vars[name] = v
		}
	case d.global:
		g := sh.vars.global()
		if v = g.vars[name]; v == nil {
			v = &variable{}
			g.vars[name] = v
		}
	default:
		if v = sh.vars.find(name); v == nil {
			v = &variable{}
			sh.vars.global().vars[name] = v
		}
	}
	if v.Kind == expand.NameRef && !d.nameref && !d.unnameref && v.Str != "" && as.Index == nil {
		target := *as
		ref, index := sh.deref(name, nil)
		if ref != name && index == nil {
			target.Name = &syntax.Lit{Value: ref}
			if sh.vars.find(ref) != nil {
				d.local = false
			}
			return sh.declareOne(&target, d)
		}
	}
	if d.unnameref && v.Kind == expand.NameRef {
		v.Kind = expand.String
	}
	if v.ReadOnly && (d.integer || d.lower || d.upper || d.array || d.assoc) && !d.readonly {
		sh.errorf("%s: readonly variable", name)
		return false
	}
	if d.assoc && v.Kind == expand.Indexed {
		sh.errorf("%s: %s: cannot convert indexed to associative array", "declare", name)
		return false
	}
	if d.array && v.Kind == expand.Associative {
		sh.errorf("%s: %s: cannot convert associative to indexed array", "declare", name)
		return false
	}
	v.integer = (v.integer || d.integer) && !d.noninteger
	v.lower = (v.lower || d.lower) && !d.upper && !d.nonlower
	v.upper = (v.upper || d.upper) && !d.lower && !d.nonupper
	if d.assoc && v.Kind != expand.Associative {
		v.Kind, v.Map = expand.Associative, nil
	} else if d.array && v.Kind != expand.Indexed {
		if v.Set && v.Kind == expand.String {
			v.List = []string{v.Str}
		}
		v.Kind = expand.Indexed
	}
	if !as.Naked || as.Array != nil || as.Value != nil {
		sh.substatus = 0
		if !sh.assignOne(as, v, d) {
			sh.status = 1
			return false
		}
	} else if d.nameref {
		if target, _, _ := cutSubscript(v.Str); v.Set && !syntax.ValidName(target) {
			sh.errorf("`%s': invalid variable name for name reference", v.Str)
			return false
		}
		v.Kind = expand.NameRef
	}
	if d.export {
		v.Exported = true
	}
	if d.unexport {
		v.Exported = false
	}
	if d.readonly {
		v.ReadOnly = true
	}
	return true
}

// functionScope is the scope of the innermost function call, which is not that
// of assignments before a command.
func (sh *Shell) functionScope() *scope { return sh.vars }

// printVariables prints the variables that have all attributes asked for.
func (sh *Shell) printVariables(variant string, d declaration) {
	environment{sh}.Each(func(name string, vr expand.Variable) bool {
		v := sh.vars.find(name)
		switch {
		case (variant == "export" || d.export) && !v.Exported,
			(variant == "readonly" || d.readonly) && !v.ReadOnly,
			d.assoc && v.Kind != expand.Associative, d.array && v.Kind != expand.Indexed,
			d.integer && !v.integer, d.nameref && v.Kind != expand.NameRef,
			variant == "local" && sh.vars.vars[name] == nil:
			return true
		case (variant == "declare" || variant == "typeset" || variant == "local") && !d.printing && attributesMissing(d):
			if !v.IsSet() {
				return true
			}
			if v.Kind == expand.Indexed || v.Kind == expand.Associative {
				_, text, _ := strings.Cut(declarationText(name, v), " "+name)
				return sh.print(name + text + "\n")
			}
			return sh.print(name + "=" + quoteIfNeeded(v.Str) + "\n")
		}
		return sh.print(declarationText(name, v) + "\n")
	})
	if variant == "declare" && !d.printing && attributesMissing(d) {
		sh.printFunctions(nil, false)
	}
}

func attributesMissing(d declaration) bool {
	return !(d.export || d.readonly || d.assoc || d.array || d.integer || d.nameref)
}

// attributesOf are the letters that declare has for v, "-" when there are none.
func attributesOf(v *variable) string {
	flags := ""
	switch v.Kind {
	case expand.Indexed:
		flags += "a"
	case expand.Associative:
		flags += "A"
	}
	for _, f := range []struct {
		on     bool
		letter string
	}{{v.integer, "i"}, {v.Kind == expand.NameRef, "n"}, {v.ReadOnly, "r"}, {v.Exported, "x"}, {v.lower, "l"}, {v.upper, "u"}} {
		if f.on {
			flags += f.letter
		}
	}
	if flags == "" {
		return "-"
	}
	return flags
}

// declarationText is the declare command that makes v.
func declarationText(name string, v *variable) string {
	flags := attributesOf(v)
	text := "declare -" + flags + " " + name
	if !v.Set {
		return text
	}
	switch v.Kind {
	case expand.Indexed:
		var items []string
		for i, s := range v.List {
			if v.Indexes != nil {
				i = v.Indexes[i]
			}
			items = append(items, "["+strconv.Itoa(i)+"]="+doubleQuoted(s))
		}
		return text + "=(" + strings.Join(items, " ") + ")"
	case expand.Associative:
		var items []string
		for _, k := range keyOrder(v.Map) {
			items = append(items, "["+quotedKey(k)+"]="+doubleQuoted(v.Map[k])+" ")
		}
		return text + "=(" + strings.Join(items, "") + ")"
	}
	return text + "=" + doubleQuoted(v.Str)
}

func quotedKey(k string) string {
	if k != "" && strings.IndexFunc(k, func(r rune) bool { return !isNameRune(r) }) < 0 {
		return k
	}
	return doubleQuoted(k)
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}

// doubleQuoted quotes as declare -p does.
func doubleQuoted(s string) string {
	for _, c := range s {
		if c < ' ' && c != '\t' || c == 127 {
			return dollarQuoted(s)
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if strings.IndexByte("\"\\$`", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}

// dollarQuoted is $'…'.
func dollarQuoted(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	valid := utf8.ValidString(s)
	for _, c := range []byte(s) {
		switch c {
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\r`)
		case '\a':
			b.WriteString(`\a`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		case '\v':
			b.WriteString(`\v`)
		case 27:
			b.WriteString(`\E`)
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			if c < ' ' || c == 127 || c >= 128 && !valid {
				b.WriteString("\\" + octal(c))
			} else {
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

func octal(c byte) string {
	s := strconv.FormatUint(uint64(c), 8)
	return strings.Repeat("0", 3-len(s)) + s
}

// functionText is the definition of a function, as declare -f prints it.
func (sh *Shell) functionText(name string) string {
	var b strings.Builder
	syntax.NewPrinter(syntax.Indent(4)).Print(&b, sh.funcs[name])
	body := b.String()
	block, ok := sh.funcs[name].Cmd.(*syntax.Block)
	if ok && !strings.Contains(body, "\n") {
		b.Reset()
		for i, s := range block.Stmts {
			if i > 0 {
				b.WriteString(";\n")
			}
			b.WriteString("    ")
			syntax.NewPrinter(syntax.Indent(4)).Print(&b, s)
		}
		body = "{ \n" + b.String() + "\n}"
	} else {
		if !ok {
			return name + " () \n{ \n    " + body + "\n}\n"
		}
		body = "{ " + strings.TrimPrefix(body, "{")
	}
	return name + " () \n" + body + "\n"
}

func (sh *Shell) printFunctions(names []*syntax.Assign, nameOnly bool) {
	var list []string
	for _, as := range names {
		list = append(list, as.Name.Value)
	}
	if names == nil {
		list = slices.Sorted(maps.Keys(sh.funcs))
	}
	for _, name := range list {
		body := sh.funcs[name]
		switch {
		case body == nil:
			sh.status = 1
		case nameOnly && names != nil:
			sh.print(name + "\n")
		case nameOnly:
			sh.print("declare -f " + name + "\n")
		default:
			sh.print(sh.functionText(name))
		}
	}
}
