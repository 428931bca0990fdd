package interp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// variable is a shell variable with the attributes that package expand lacks.
type variable struct {
	expand.Variable
	integer, lower, upper bool
	// owned says that no other shell has the same map, which may then be
	// changed in place.
	owned bool
}

// scope holds the variables of the shell or of one function call.
type scope struct {
	vars  map[string]*variable
	outer *scope
}

func newScope(outer *scope) *scope { return &scope{map[string]*variable{}, outer} }

func (s *scope) find(name string) *variable {
	for ; s != nil; s = s.outer {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	return nil
}

func (s *scope) global() *scope {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

func (s *scope) clone() *scope {
	if s == nil {
		return nil
	}
	c := newScope(s.outer.clone())
	for name, v := range s.vars {
		v.owned = false
		copied := *v // lists are never changed in place, nor are maps that two shells have
		c.vars[name] = &copied
	}
	return c
}

// environment is the shell's variables as package expand sees them.
type environment struct{ sh *Shell }

func (e environment) Get(name string) expand.Variable { return e.sh.lookup(name) }

func (e environment) Set(name string, v expand.Variable) error {
	if !v.IsSet() {
		e.sh.unset(name)
		return nil
	}
	return e.sh.assign(name, v)
}

func (e environment) Each(f func(string, expand.Variable) bool) {
	seen := map[string]expand.Variable{}
	for s := e.sh.vars; s != nil; s = s.outer {
		for name, v := range s.vars {
			if _, ok := seen[name]; !ok {
				seen[name] = v.Variable
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if !f(name, seen[name]) {
			return
		}
	}
}

func text(s string) expand.Variable {
	return expand.Variable{Set: true, Kind: expand.String, Str: s}
}

func list(items []string) expand.Variable {
	if items == nil {
		items = []string{}
	}
	return expand.Variable{Set: true, Kind: expand.Indexed, List: items}
}

// lookup finds a variable or a special parameter.
func (sh *Shell) lookup(name string) expand.Variable {
	switch name {
	case "#":
		return text(strconv.Itoa(len(sh.params)))
	case "@", "*":
		return list(sh.params)
	case "?":
		return text(strconv.Itoa(sh.status))
	case "$":
		return text(itoa(shellPid))
	case "BASHPID":
		return text(itoa(sh.pid()))
	case "LINENO":
		return text(itoa(int(sh.lineNumber())))
	case "BASH_SOURCE":
		_, files, _ := sh.calls()
		return list(files)
	case "BASH_LINENO":
		_, _, lines := sh.calls()
		return list(lines)
	case "SHELLOPTS":
		return text(sh.optionNames(func(name string) bool { return !slices.Contains(shoptNames, name) }))
	case "BASHOPTS":
		return text(sh.optionNames(func(name string) bool { return slices.Contains(shoptNames, name) }))
	case "GROUPS":
		return list([]string{"0"})
	case "!":
		if sh.lastBg == 0 {
			return expand.Variable{}
		}
		return text(strconv.Itoa(sh.lastBg))
	case "-":
		return text(sh.optionLetters())
	case "0":
		return text(sh.name)
	case "_":
		return text(sh.lastArg)
	case "PIPESTATUS":
		return list(sh.pipestatus)
	case "FUNCNAME":
		names, _, _ := sh.calls()
		return list(names)
	case "BASH_SUBSHELL":
		return text(strconv.Itoa(sh.subshells))
	case "RANDOM":
		return text(strconv.Itoa(sh.rand.IntN(32768)))
	case "SECONDS":
		return text("0")
	case "EPOCHSECONDS":
		return text(strconv.FormatInt(time.Now().Unix(), 10))
	case "DIRSTACK":
		return list(append([]string{sh.dir}, sh.dirStack...))
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		if n <= len(sh.params) {
			return text(sh.params[n-1])
		}
		return expand.Variable{}
	}
	if v := sh.vars.find(name); v != nil {
		return v.Variable
	}
	return expand.Variable{}
}

// elementsOf lists the values of an array.
func (sh *Shell) elementsOf(name string) []string {
	v := sh.lookup(name)
	switch v.Kind {
	case expand.Associative:
		var items []string
		for _, k := range keyOrder(v.Map) {
			items = append(items, v.Map[k])
		}
		return items
	case expand.Indexed:
		return v.List
	}
	if !v.IsSet() {
		return nil
	}
	return []string{v.Str}
}

// keysOf lists the subscripts of an array.
func (sh *Shell) keysOf(name string) []string {
	name, _ = sh.deref(name, nil)
	v := sh.lookup(name)
	switch v.Kind {
	case expand.Associative:
		return keyOrder(v.Map)
	case expand.Indexed:
		items := make([]string, len(v.List))
		for i := range v.List {
			if v.Indexes != nil {
				items[i] = itoa(v.Indexes[i])
			} else {
				items[i] = itoa(i)
			}
		}
		return items
	}
	if !v.IsSet() {
		return nil
	}
	return []string{"0"}
}

// keyOrder lists the keys of an associative array in bash's order, that of its
// hash table: scripts show it, and so do recorded results.
func keyOrder(m map[string]string) []string {
	const buckets = 1024
	hash := func(s string) uint32 {
		h := uint32(2166136261)
		for i := 0; i < len(s); i++ {
			h *= 16777619
			h ^= uint32(int32(int8(s[i])))
		}
		return h % buckets
	}
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a, b))
	})
}

func (sh *Shell) value(name string) string { return sh.lookup(name).String() }

var errReadOnly = errors.New("readonly variable")

// assign gives an existing variable a new value where it lives, or makes a
// global one; attributes stay.
func (sh *Shell) assign(name string, nv expand.Variable) error {
	if nv.Kind != expand.NameRef {
		target, index := sh.deref(name, nil)
		if index != nil {
			as := &syntax.Assign{Name: &syntax.Lit{Value: target}, Index: index, Value: verbatim(nv.Str)}
			sh.assignOne(as, sh.vars.find(target), declaration{})
			return nil
		}
		name = target
	}
	v := sh.vars.find(name)
	if v == nil {
		v = &variable{}
		sh.vars.global().vars[name] = v
	}
	return sh.put(name, v, nv)
}

// put stores a value in v, honouring v's attributes.
func (sh *Shell) put(name string, v *variable, nv expand.Variable) error {
	if v.ReadOnly || name == "SHELLOPTS" || name == "BASHOPTS" {
		return fmt.Errorf("%s: %w", name, errReadOnly)
	}
	nv.Local, nv.Exported, nv.ReadOnly = v.Local, v.Exported || sh.opts["allexport"], v.ReadOnly
	if nv.Kind == expand.String {
		nv.Str = v.convert(sh, nv.Str)
	}
	v.Variable = nv
	switch name {
	case "RANDOM":
		n, _ := strconv.ParseUint(nv.Str, 10, 64)
		sh.seed(n)
	case "OPTIND":
		sh.optPos = 0
	}
	return nil
}

// convert applies declare -i, -l and -u.
func (v *variable) convert(sh *Shell, s string) string {
	switch {
	case v.integer:
		return strconv.Itoa(sh.evaluate(s))
	case v.lower:
		return strings.ToLower(s)
	case v.upper:
		return strings.ToUpper(s)
	}
	return s
}

// set is assign that reports failure.
func (sh *Shell) set(name string, v expand.Variable) bool {
	if err := sh.assign(name, v); err != nil {
		sh.errorf("%v", err)
		sh.status = 1
		return false
	}
	return true
}

func (sh *Shell) setString(name, value string) bool { return sh.set(name, text(value)) }

// unset removes the innermost variable of that name. A local of the running
// function stays declared and hides outer ones; one of a caller goes for good.
func (sh *Shell) unset(name string) bool {
	for s := sh.vars; s != nil; s = s.outer {
		v := s.vars[name]
		if v == nil {
			continue
		}
		if v.ReadOnly {
			sh.errorf("unset: %s: cannot unset: readonly variable", name)
			return false
		}
		if s.outer != nil && s == sh.vars && v.Local {
			*v = variable{Variable: expand.Variable{Local: true}}
			return true
		}
		delete(s.vars, name)
		return true
	}
	return true
}

// ---- array elements ----

// elementMax is the highest index in use, -1 when there is none.
func elementMax(v *expand.Variable) int {
	if v.Indexes != nil {
		if len(v.Indexes) == 0 {
			return -1
		}
		return v.Indexes[len(v.Indexes)-1]
	}
	return len(v.List) - 1
}

// element returns one element of an indexed array.
func element(v *expand.Variable, i int) (string, bool) {
	if v.Indexes != nil {
		at, ok := slices.BinarySearch(v.Indexes, i)
		if !ok {
			return "", false
		}
		return v.List[at], true
	}
	if i >= 0 && i < len(v.List) {
		return v.List[i], true
	}
	return "", false
}

// setElement changes one element of an indexed array, on fresh slices.
func setElement(v *expand.Variable, i int, s string) {
	v.Set, v.Kind = true, expand.Indexed
	if v.Indexes == nil && i <= len(v.List) {
		if i == len(v.List) {
			v.List = append(v.List[:i:i], s)
			return
		}
		v.List = slices.Clone(v.List)
		v.List[i] = s
		return
	}
	indexes := slices.Clone(v.Indexes)
	if v.Indexes == nil {
		for k := range v.List {
			indexes = append(indexes, k)
		}
	}
	v.List = slices.Clone(v.List)
	at, ok := slices.BinarySearch(indexes, i)
	if ok {
		v.List[at] = s
	} else {
		indexes = slices.Insert(indexes, at, i)
		v.List = slices.Insert(v.List, at, s)
	}
	v.Indexes = indexes
}

// deleteElement removes one element, which may leave a hole.
func deleteElement(v *expand.Variable, i int) {
	if v.Indexes == nil {
		if i == len(v.List)-1 {
			v.List = slices.Clone(v.List[:i])
			return
		}
		v.Indexes = make([]int, len(v.List))
		for k := range v.Indexes {
			v.Indexes[k] = k
		}
	}
	at, ok := slices.BinarySearch(v.Indexes, i)
	if !ok {
		return
	}
	v.List = slices.Delete(slices.Clone(v.List), at, at+1)
	v.Indexes = slices.Delete(slices.Clone(v.Indexes), at, at+1)
}

// index resolves a subscript of an indexed array; negative ones count from the
// end.
func (sh *Shell) index(name string, v *expand.Variable, x syntax.ArithmExpr) (int, bool) {
	i := sh.arithmetic(x)
	if sh.flow != 0 {
		return 0, false
	}
	if i < 0 {
		i += elementMax(v) + 1
	}
	if i < 0 {
		sh.errorf("%s: bad array subscript", name)
		sh.status = 1
		return 0, false
	}
	return i, true
}

// key resolves a subscript of an associative array.
func (sh *Shell) key(x syntax.ArithmExpr) string {
	if text, ok := sh.program.keys[x]; ok { // what looks like arithmetic is a plain key here
		if w := sh.program.text(text); w != nil {
			e := expansion{sh: sh, joined: true}
			e.parts(w.Parts, quoted)
			return e.text()
		}
	}
	if w, ok := x.(*syntax.Word); ok {
		return sh.literal(w)
	}
	var b strings.Builder
	syntax.NewPrinter().Print(&b, x)
	return b.String()
}
