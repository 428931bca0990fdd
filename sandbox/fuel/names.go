package fuel

import (
	"maps"
	"slices"
	"unicode/utf8"

	"wb/sandbox/wasmbin"
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
	list := wasmbin.AppendU32(nil, uint32(len(functions)))
	for _, index := range slices.Sorted(maps.Keys(functions)) {
		list = wasmbin.AppendName(wasmbin.AppendU32(list, index), functions[index])
	}
	return wasmbin.AppendSection(wasmbin.AppendName(nil, "name"), nameFunctions, list)
}

// readNames reads the module's name section, as far as it is well-formed.
func (w *rewriter) readNames(sections []section) map[uint32]string {
	functions := map[uint32]string{}
	for _, sec := range sections {
		if sec.id != secCustom {
			continue
		}
		r := newReader(sec.body)
		if string(r.Name()) != "name" {
			continue
		}
		for !r.Done() {
			id := r.Byte()
			sub := newReader(r.Bytes(r.U32()))
			if id != nameFunctions {
				continue
			}
			for n := sub.count(); n > 0 && sub.Err == nil; n-- {
				index := w.funcIndex(sub.U32())
				if name := sub.Name(); sub.Err == nil && utf8.Valid(name) {
					functions[index] = string(name)
				}
			}
		}
		break
	}
	return functions
}
