package fuel

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// nameFunctions is the subsection of function names.
const nameFunctions = 1

// names makes the name section: the functions' names under their new indices,
// so that traps can say where they happened. What is exported and has no other
// name goes by its export name. A malformed name section is ignored, as
// engines do.
func (w *rewriter) names(sections []section) []byte {
	functions := w.readNames(sections)
	for index, name := range w.exported {
		if functions[index] == "" {
			functions[index] = name
		}
	}
	list := appendU32(nil, uint32(len(functions)))
	for _, index := range slices.Sorted(maps.Keys(functions)) {
		list = appendName(appendU32(list, index), functions[index])
	}
	return appendSection(appendName(nil, "name"), nameFunctions, list)
}

// readNames reads the module's name section, as far as it is well-formed.
func (w *rewriter) readNames(sections []section) map[uint32]string {
	functions := map[uint32]string{}
	for _, sec := range sections {
		if sec.id != secCustom {
			continue
		}
		r := &reader{b: sec.body}
		if string(r.name()) != "name" {
			continue
		}
		for !r.done() {
			id := r.byte()
			sub := &reader{b: r.bytes(r.u32())}
			if id != nameFunctions {
				continue
			}
			for n := sub.count(); n > 0 && sub.err == nil; n-- {
				index := w.funcIndex(sub.u32())
				if name := sub.name(); sub.err == nil && utf8.Valid(name) {
					functions[index] = string(name)
				}
			}
		}
		break
	}
	return functions
}
