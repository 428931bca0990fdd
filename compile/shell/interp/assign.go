package interp

import (
	"maps"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// declaration is what declare, local, export and readonly ask for.
type declaration struct {
	declaring                        bool // by a builtin, for which an error is no more than a status
	local, global                    bool
	export, readonly, integer        bool
	lower, upper                     bool
	unexport, unnameref              bool
	noninteger, nonlower, nonupper   bool
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
	if v != nil && v.Kind == expand.NameRef && !d.nameref {
		if v.Str == "" { // a reference without a target takes the value for one
			value := sh.assigned(as.Value)
			if target, _, _ := cutSubscript(value); !syntax.ValidName(target) {
				sh.errorf("`%s': not a valid identifier", value)
				sh.status = 1
				return false
			}
			v.Str, v.Set = value, true
			return true
		}
		target := *as
		ref, index := sh.deref(name, as.Index)
		if ref == name {
			sh.errorf("warning: %s: circular name reference", name)
			return false
		}
		target.Name, target.Index = &syntax.Lit{Value: ref}, index
		return sh.assignOne(&target, sh.vars.find(ref), d)
	}
	if v == nil {
		v = &variable{}
		sh.vars.global().vars[name] = v
	}
	if v.ReadOnly {
		sh.errorf("%s: readonly variable", name)
		sh.status = 1
		switch {
		case d.declaring:
		case sh.opts["errexit"]:
			sh.exit(1)
		default:
			sh.discard()
		}
		return false
	}
	nv := v.Variable
	switch {
	case as.Array != nil && as.Index != nil:
		sh.errorf("%s: cannot assign list to array member", name)
		sh.status = 1
		return false
	case as.Array != nil:
		if !sh.assignArray(name, v, &nv, as, d.assoc || nv.Kind == expand.Associative) {
			return false
		}
	case as.Index != nil:
		if !sh.assignElement(name, v, &nv, as) {
			return false
		}
	default:
		value := sh.assigned(as.Value)
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
		value := sh.assigned(as.Value)
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
	value := sh.assigned(as.Value)
	if v.Kind == expand.Indexed { // the subscript may have changed it
		*nv = v.Variable
	}
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
func (sh *Shell) assignArray(name string, v *variable, nv *expand.Variable, as *syntax.Assign, assoc bool) bool {
	if assoc {
		m := map[string]string{}
		if as.Append {
			m = maps.Clone(nv.Map)
			if m == nil {
				m = map[string]string{}
			}
		}
		pairs := len(as.Array.Elems) > 0 && as.Array.Elems[0].Index == nil
		var loose []string // (k v k v), as bash 5.1 has it
		for _, e := range as.Array.Elems {
			switch {
			case pairs:
				if e.Index == nil {
					loose = append(loose, sh.fields(e.Value)...)
				}
			case e.Index == nil:
				sh.errorf("%s: %s: must use subscript when assigning associative array", name, sh.literal(e.Value))
			default:
				m[sh.key(e.Index)] = v.convert(sh, sh.literal(e.Value))
			}
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
	// All values are expanded before anything is assigned; subscripts are
	// computed one by one and see the elements before them.
	type item struct {
		index  syntax.ArithmExpr
		values []string
	}
	var items []item
	for _, e := range as.Array.Elems {
		if e.Index != nil {
			items = append(items, item{e.Index, []string{sh.assigned(e.Value)}})
		} else if e.Value != nil {
			items = append(items, item{nil, sh.fields(e.Value)})
		}
		if sh.flow != 0 {
			return false
		}
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
	fresh.Exported, fresh.Local = nv.Exported, nv.Local
	next := elementMax(&fresh) + 1
	for _, e := range items {
		if e.index != nil {
			v.Variable = fresh
			i, ok := sh.index(name, &fresh, e.index)
			if !ok {
				return false
			}
			next = i
		}
		for _, s := range e.values {
			setElement(&fresh, next, v.convert(sh, s))
			next++
		}
	}
	*nv = fresh
	return sh.flow == 0
}
