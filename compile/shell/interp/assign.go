package interp

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// declaration is what declare, local, export and readonly ask for.
type declaration struct {
	local, global                    bool
	export, readonly, integer        bool
	lower, upper                     bool
	unexport                         bool
	array, assoc, nameref            bool
	printing, functions, nameOnlyFns bool
}

// assignments performs a=1 b[2]=3 c=(x y).
func (sh *Shell) assignments(list []*syntax.Assign) bool {
	ok := true
	for _, as := range list {
		ok = sh.assignOne(as, sh.vars.find(as.Name.Value), declaration{}) && ok
		if sh.flow != 0 {
			return false
		}
	}
	return ok
}

// assignOne performs one assignment to v, a global when v is nil.
func (sh *Shell) assignOne(as *syntax.Assign, v *variable, d declaration) bool {
	name := as.Name.Value
	if v != nil && v.Kind == expand.NameRef && v.Str != "" && !d.nameref {
		target := *as
		lit := *as.Name
		ref, sub, hasSub := strings.Cut(strings.TrimSuffix(v.Str, "]"), "[")
		lit.Value = ref
		target.Name = &lit
		if hasSub && as.Index == nil {
			if x, err := syntax.NewParser().Arithmetic(strings.NewReader(sub)); err == nil {
				target.Index = x
			}
		}
		return sh.assignOne(&target, sh.vars.find(ref), d)
	}
	if v == nil {
		v = &variable{}
		sh.vars.global().vars[name] = v
	}
	if v.ReadOnly {
		sh.errorf("%s: readonly variable", name)
		sh.status = 1
		if len(sh.callStack) == 0 {
			sh.exit(1)
		} else {
			sh.flow = flowReturn
		}
		return false
	}
	nv := v.Variable
	switch {
	case as.Array != nil:
		if !sh.assignArray(name, &nv, as, d.assoc || nv.Kind == expand.Associative) {
			return false
		}
	case as.Index != nil:
		if !sh.assignElement(name, v, &nv, as) {
			return false
		}
	default:
		value := sh.literal(as.Value)
		if sh.flow != 0 {
			return false
		}
		sh.assignScalar(v, &nv, value, as.Append)
		if d.nameref {
			nv.Kind = expand.NameRef
		}
	}
	if err := sh.put(name, v, nv); err != nil {
		sh.errorf("%v", err)
		return false
	}
	return true
}

// assignScalar is name=value; arrays take it as their first element.
func (sh *Shell) assignScalar(v *variable, nv *expand.Variable, value string, plus bool) {
	if plus && v.integer {
		value = strconv.Itoa(sh.evaluate(nv.String()) + sh.evaluate(value))
		plus = false
	}
	switch nv.Kind {
	case expand.Indexed:
		old, _ := element(nv, 0)
		if plus {
			value = old + value
		}
		setElement(nv, 0, value)
	case expand.Associative:
		nv.Map = maps.Clone(nv.Map)
		if nv.Map == nil {
			nv.Map = map[string]string{}
		}
		if plus {
			value = nv.Map["0"] + value
		}
		nv.Map["0"] = value
		nv.Set = true
	default:
		if plus {
			value = nv.Str + value
		}
		nv.Set, nv.Kind, nv.Str = true, expand.String, value
	}
}

func (sh *Shell) assignElement(name string, v *variable, nv *expand.Variable, as *syntax.Assign) bool {
	if nv.Kind == expand.Associative {
		key := sh.key(as.Index)
		value := sh.literal(as.Value)
		if !v.owned {
			nv.Map, v.owned = maps.Clone(nv.Map), true
		}
		if nv.Map == nil {
			nv.Map = map[string]string{}
		}
		if as.Append {
			value = nv.Map[key] + value
		}
		nv.Map[key] = v.convert(sh, value)
		nv.Set = true
		return true
	}
	if nv.Kind == expand.String && nv.Set {
		*nv = expand.Variable{Set: true, Kind: expand.Indexed, List: []string{nv.Str}}
	}
	i, ok := sh.index(name, nv, as.Index)
	if !ok {
		return false
	}
	value := sh.literal(as.Value)
	if as.Append {
		old, _ := element(nv, i)
		if v.integer {
			value = strconv.Itoa(sh.evaluate(old) + sh.evaluate(value))
		} else {
			value = old + value
		}
	}
	setElement(nv, i, v.convert(sh, value))
	return true
}

// assignArray is name=(…) and name+=(…).
func (sh *Shell) assignArray(name string, nv *expand.Variable, as *syntax.Assign, assoc bool) bool {
	if assoc {
		m := map[string]string{}
		if as.Append {
			m = maps.Clone(nv.Map)
			if m == nil {
				m = map[string]string{}
			}
		}
		var loose []string // (k v k v), as bash 5.1 has it
		for _, e := range as.Array.Elems {
			if e.Index == nil {
				loose = append(loose, sh.fields(e.Value)...)
				continue
			}
			m[sh.key(e.Index)] = sh.literal(e.Value)
		}
		for i := 0; i < len(loose); i += 2 {
			value := ""
			if i+1 < len(loose) {
				value = loose[i+1]
			}
			m[loose[i]] = value
		}
		nv.Set, nv.Kind, nv.Map, nv.List, nv.Indexes = true, expand.Associative, m, nil, nil
		return sh.flow == 0
	}
	fresh := expand.Variable{Set: true, Kind: expand.Indexed, List: []string{}}
	if as.Append {
		switch nv.Kind {
		case expand.Indexed:
			fresh.List, fresh.Indexes = slices.Clone(nv.List), slices.Clone(nv.Indexes)
		case expand.String:
			if nv.Set {
				fresh.List = []string{nv.Str}
			}
		}
	}
	next := elementMax(&fresh) + 1
	for _, e := range as.Array.Elems {
		if e.Index != nil {
			i, ok := sh.index(name, &fresh, e.Index)
			if !ok {
				return false
			}
			setElement(&fresh, i, sh.literal(e.Value))
			next = i + 1
			continue
		}
		for _, s := range sh.fields(e.Value) {
			setElement(&fresh, next, s)
			next++
		}
	}
	fresh.Exported, fresh.Local = nv.Exported, nv.Local
	*nv = fresh
	return sh.flow == 0
}

// declare runs declare, typeset, local, export, readonly and nameref.
func (sh *Shell) declare(variant string, args []*syntax.Assign) {
	d := declaration{}
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
		if d.printing {
			v := sh.vars.find(as.Name.Value)
			if v == nil {
				sh.errorf("%s: %s: not found", variant, as.Name.Value)
				failed = true
				continue
			}
			sh.print(declarationText(as.Name.Value, v) + "\n")
			continue
		}
		failed = !sh.declareOne(as, d) || failed
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
			d.integer = on
		case 'l':
			d.lower = on
		case 'u':
			d.upper = on
		case 'r':
			d.readonly = on
		case 'x':
			d.export, d.unexport = on, !on
		case 'n':
			if variant == "export" {
				d.export, d.unexport = false, true
			} else {
				d.nameref = on
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
	v.integer = v.integer || d.integer
	v.lower = (v.lower || d.lower) && !d.upper
	v.upper = (v.upper || d.upper) && !d.lower
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
	} else if d.nameref && v.Set {
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

func (sh *Shell) printVariables(variant string, d declaration) {
	environment{sh}.Each(func(name string, vr expand.Variable) bool {
		v := sh.vars.find(name)
		switch {
		case variant == "export" || d.export:
			if !v.Exported {
				return true
			}
		case variant == "readonly" || d.readonly:
			if !v.ReadOnly {
				return true
			}
		case d.assoc && v.Kind != expand.Associative, d.array && v.Kind != expand.Indexed, d.integer && !v.integer:
			return true
		}
		return sh.print(declarationText(name, v) + "\n")
	})
}

// declarationText is the declare command that makes v.
func declarationText(name string, v *variable) string {
	flags := ""
	switch v.Kind {
	case expand.Indexed:
		flags += "a"
	case expand.Associative:
		flags += "A"
	case expand.NameRef:
		flags += "n"
	}
	if v.integer {
		flags += "i"
	}
	if v.lower {
		flags += "l"
	}
	if v.ReadOnly {
		flags += "r"
	}
	if v.upper {
		flags += "u"
	}
	if v.Exported {
		flags += "x"
	}
	if flags == "" {
		flags = "-"
	}
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
		for _, k := range slices.Sorted(maps.Keys(v.Map)) {
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
			if c < ' ' || c == 127 {
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
			var b strings.Builder
			syntax.NewPrinter(syntax.Indent(4)).Print(&b, body)
			sh.print(name + " () \n" + b.String() + "\n")
		}
	}
}
