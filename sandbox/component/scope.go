package component

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// sort is what an index counts.
type sort byte

// The sorts; those of core WebAssembly have 0x40 added.
const (
	sortFunc      sort = 0x01
	sortType      sort = 0x03
	sortComponent sort = 0x04
	sortInstance  sort = 0x05

	coreFunc     sort = 0x40
	coreTable    sort = 0x41
	coreMemory   sort = 0x42
	coreGlobal   sort = 0x43
	coreType     sort = 0x50
	coreModule   sort = 0x51
	coreInstance sort = 0x52
)

// The things that indices stand for. Types are opaque: nil.
type (
	// imported is an instance that the component is given, by the name of its interface.
	imported struct{ name string }
	// hostFunc is a function of such an instance.
	hostFunc struct{ module, name string }
	// lifted is a function of a module as others see it.
	lifted struct{ core any }
	// lowered is a function of the host as modules see it.
	lowered struct {
		hostFunc
		realloc any // a function of a module, nil for none
	}
	// nested is a component that was not instantiated yet, and the scope it stands in.
	nested struct {
		wasm  []byte
		outer *scope
	}
	// bag is an instance that is made of what is already there.
	bag map[string]any
	// item is what a module exports.
	item struct {
		of   *instance
		kind byte
		name string
	}
	// instance is an instance of a module.
	instance struct {
		module  []byte
		given   map[string]any // bags and instances by the names of imports
		number  int
		exports map[string]index
	}
)

// scope is a component while its instructions are followed.
type scope struct {
	outer   *scope
	args    bag
	spaces  map[sort][]any
	exports bag
	made    *made
	depth   int
}

// made is what all components have made.
type made struct {
	instances  []*instance // of modules, in order
	components int
}

// Bounds of what a component may make of itself: a few lines could ask for more than
// fits into memory.
const (
	maxDepth      = 16
	maxComponents = 256
	maxInstances  = 64
)

// errNewer says that a component uses more of the component model than 0.2 has.
var errNewer = errors.New("it uses what is newer than WASI 0.2 (async functions, threads or values)")

// follow follows the instructions of a component.
func follow(wasm []byte, outer *scope, args bag, all *made) (*scope, error) {
	s := &scope{outer: outer, args: args, spaces: map[sort][]any{}, exports: bag{}, made: all}
	if outer != nil {
		s.depth = outer.depth + 1
	}
	if all.components++; s.depth > maxDepth || all.components > maxComponents {
		return nil, errors.New("components in components, too deep or too many")
	}
	if !Is(wasm) {
		return nil, errors.New("it is no component of version 0.2")
	}
	list, err := sections(wasm)
	if err != nil {
		return nil, err
	}
	for _, sec := range list {
		r := newReader(sec.body)
		s.section(sec.id, r)
		if r.Err != nil {
			return nil, r.Err
		}
	}
	return s, nil
}

func (s *scope) section(id byte, r *reader) {
	switch id {
	case 0: // custom
	case 1:
		s.add(coreModule, r.Data)
	case 2:
		r.each(func() { s.add(coreInstance, s.coreInstance(r)) })
	case 3, 7: // types: what they say is in the modules, too
		for n := r.U32(); n > 0; n-- {
			s.add(map[byte]sort{3: coreType, 7: sortType}[id], nil)
			if n > 1<<20 {
				r.Fail("too many types")
				return
			}
		}
	case 4:
		s.add(sortComponent, nested{r.Data, s})
	case 5:
		r.each(func() { s.add(sortInstance, s.instance(r)) })
	case 6:
		r.each(func() { s.alias(r) })
	case 8:
		r.each(func() { s.canon(r) })
	case 10:
		r.each(func() { s.importName(r) })
	case 11:
		r.each(func() { s.export(r) })
	default:
		r.Fail("%w", errNewer)
	}
}

func (s *scope) add(what sort, v any) { s.spaces[what] = append(s.spaces[what], v) }

// at is what an index stands for.
func (s *scope) at(r *reader, what sort, i uint32) any {
	if i >= uint32(len(s.spaces[what])) {
		r.Fail("unknown index %d of sort %#x", i, byte(what))
		return nil
	}
	return s.spaces[what][i]
}

func (r *reader) sort() sort {
	if b := r.Byte(); b != 0 {
		return sort(b)
	}
	return 0x40 + sort(r.Byte())
}

func (s *scope) sorted(r *reader) any {
	what := r.sort()
	return s.at(r, what, r.U32())
}

// externName is the name of an import or export.
func (r *reader) externName() string {
	if kind := r.Byte(); kind > 1 {
		r.Fail("%w", errNewer)
	}
	return r.name()
}

func (s *scope) coreInstance(r *reader) any {
	switch r.Byte() {
	case 0:
		module, _ := s.at(r, coreModule, r.U32()).([]byte)
		in := &instance{module: module, given: map[string]any{}, number: len(s.made.instances)}
		r.each(func() {
			name := r.name()
			if r.Byte() != 0x12 {
				r.Fail("a module is given what is no instance")
				return
			}
			in.given[name] = s.at(r, coreInstance, r.U32())
		})
		if module == nil {
			r.Fail("it imports a module")
		}
		if s.made.instances = append(s.made.instances, in); len(s.made.instances) > maxInstances {
			r.Fail("it has more than %d instances of modules", maxInstances)
		}
		return in
	case 1:
		b := bag{}
		r.each(func() {
			name := r.name()
			kind := r.Byte()
			b[name] = s.at(r, 0x40+sort(kind), r.U32())
		})
		return b
	}
	r.Fail("unknown kind of core instance")
	return nil
}

func (s *scope) instance(r *reader) any {
	switch r.Byte() {
	case 0:
		c, ok := s.at(r, sortComponent, r.U32()).(nested)
		args := bag{}
		r.each(func() { name := r.name(); args[name] = s.sorted(r) })
		if r.Err != nil {
			return nil
		}
		if !ok {
			r.Fail("it imports a component")
			return nil
		}
		inner, err := follow(c.wasm, c.outer, args, s.made)
		if err != nil {
			r.Fail("%w", err)
			return nil
		}
		return inner.exports
	case 1:
		b := bag{}
		r.each(func() { name := r.externName(); b[name] = s.sorted(r) })
		return b
	}
	r.Fail("unknown kind of instance")
	return nil
}

func (s *scope) alias(r *reader) {
	what := r.sort()
	switch r.Byte() {
	case 0:
		of, name := s.at(r, sortInstance, r.U32()), r.name()
		s.add(what, exportOf(r, what, of, name))
	case 1:
		of, name := s.at(r, coreInstance, r.U32()), r.name()
		switch of := of.(type) {
		case *instance:
			s.add(what, item{of, byte(what - 0x40), name})
		case bag:
			s.add(what, of[name])
		}
	case 2:
		at := s
		for n := r.U32(); n > 0 && at != nil; n-- {
			at = at.outer
		}
		if at == nil {
			r.Fail("an alias leads out of the component")
			return
		}
		s.add(what, at.at(r, what, r.U32()))
	default:
		r.Fail("unknown kind of alias")
	}
}

// exportOf is what an instance has under a name.
func exportOf(r *reader, what sort, of any, name string) any {
	switch of := of.(type) {
	case imported:
		switch what {
		case sortFunc:
			return hostFunc{of.name, name}
		case sortType:
			return nil
		}
	case bag:
		if v, there := of[name]; there || what == sortType {
			return v
		}
	}
	r.Fail("there is no export %q", name)
	return nil
}

// options are those of a canonical function.
func (s *scope) options(r *reader) (realloc any) {
	r.each(func() {
		switch option := r.Byte(); option {
		case 0: // UTF-8
		case 1, 2:
			r.Fail("its texts are UTF-16; make it with UTF-8")
		case 3:
			s.at(r, coreMemory, r.U32())
		case 4:
			realloc = s.at(r, coreFunc, r.U32())
		case 5: // what is called after a lifted function has returned: there is nothing to free of run
			s.at(r, coreFunc, r.U32())
		default:
			r.Fail("%w", errNewer)
		}
	})
	return realloc
}

func (s *scope) canon(r *reader) {
	switch kind := r.Byte(); kind {
	case 0:
		r.Byte()
		core := s.at(r, coreFunc, r.U32())
		s.options(r)
		r.U32()
		s.add(sortFunc, lifted{core})
	case 1:
		r.Byte()
		f := s.at(r, sortFunc, r.U32())
		realloc := s.options(r)
		host, ok := f.(hostFunc)
		if !ok && r.Err == nil {
			r.Fail("%w", ErrComposed)
		}
		s.add(coreFunc, lowered{host, realloc})
	case 3:
		r.U32()
		s.add(coreFunc, lowered{hostFunc: hostFunc{Builtins, Drop}})
	case 2, 4:
		r.Fail("it makes resources of its own, which a program cannot offer here")
	default:
		r.Fail("%w", errNewer)
	}
}

// importName is what the component is given by a name.
func (s *scope) importName(r *reader) {
	name := r.externName()
	given, there := s.args[name]
	switch kind := r.Byte(); kind {
	case 0x00:
		r.Byte()
		r.U32()
		s.add(coreModule, given)
	case 0x01:
		r.U32()
		if !there && s.outer == nil {
			given = hostFunc{"", name}
		}
		s.add(sortFunc, given)
	case 0x03:
		if r.Byte() == 0 {
			r.U32()
		}
		s.add(sortType, given)
	case 0x04:
		r.U32()
		s.add(sortComponent, given)
	case 0x05:
		r.U32()
		if !there && s.outer == nil {
			interfaceName, err := unversioned(name)
			if err != nil {
				r.Fail("%w", err)
			}
			given = imported{interfaceName}
		}
		s.add(sortInstance, given)
	default:
		r.Fail("%w", errNewer)
	}
}

// unversioned is the name of an interface without its version, which has to be of 0.2.
func unversioned(name string) (string, error) {
	bare, version, _ := strings.Cut(name, "@")
	if strings.HasPrefix(bare, "wasi:") && (!strings.HasPrefix(version, "0.2.") || strings.Contains(version, "-")) {
		return "", fmt.Errorf("it is made for %s, here is WASI 0.2", name)
	}
	return bare, nil
}

func (s *scope) export(r *reader) {
	name := r.externName()
	what := r.sort()
	v := s.at(r, what, r.U32())
	if r.Byte() == 1 { // its type
		switch kind := r.Byte(); kind {
		case 0x00:
			r.Byte()
			r.U32()
		case 0x03:
			if r.Byte() == 0 {
				r.U32()
			}
		default:
			r.U32()
		}
	}
	s.exports[name] = v
	s.add(what, v)
}

// run is the function of a module behind wasi:cli/run.
func (s *scope) run() (any, error) {
	var names []string
	for name, v := range s.exports {
		names = append(names, name)
		if bare, err := unversioned(name); err == nil && bare == "wasi:cli/run" {
			b, _ := v.(bag)
			if f, ok := b["run"].(lifted); ok {
				return f.core, nil
			}
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, errors.New("it exports nothing; a program exports wasi:cli/run")
	}
	return nil, fmt.Errorf("it exports %s; a program exports wasi:cli/run", strings.Join(names, ", "))
}
