package clang

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
)

// Where an exception was thrown is found when the program is linked, from the
// lines that the compiler has noted for debuggers: before the code makes an
// exception it remembers the line.

// throwWord is in the texts of programs that have such lines.
var throwWord = lazyregexp.New(`\bthrow\b`)

// codeLine is the line of the block's body that the code from an address on was
// made of, 0 for other code.
type codeLine struct {
	address uint64
	line    int32
}

// throwLines tells the line of the body that stands behind an offset in the code
// section of a linked program.
func throwLines(wasm []byte) func(offset int) int32 {
	lines := codeLines(wasm)
	return func(offset int) int32 {
		i, found := slices.BinarySearchFunc(lines, uint64(offset), func(l codeLine, at uint64) int { return cmp.Compare(l.address, at) })
		if !found {
			i--
		}
		if i < 0 {
			return 0
		}
		return lines[i].line
	}
}

// codeLines are the lines of a program by address, none when it has none that
// can be read.
func codeLines(wasm []byte) (lines []codeLine) {
	s := debugSections(wasm)
	d, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], s[".debug_line"], nil, s[".debug_ranges"], s[".debug_str"])
	if err != nil {
		return nil
	}
	for _, name := range []string{".debug_line_str", ".debug_str_offsets", ".debug_addr", ".debug_rnglists"} {
		if err := d.AddSection(name, s[name]); err != nil {
			return nil
		}
	}
	for r := d.Reader(); ; r.SkipChildren() {
		unit, err := r.Next()
		if unit == nil || err != nil {
			break
		}
		table, err := d.LineReader(unit)
		if table == nil || err != nil {
			continue
		}
		var entry dwarf.LineEntry
		for table.Next(&entry) == nil {
			l := codeLine{address: entry.Address}
			if !entry.EndSequence && strings.TrimSuffix(path.Base(entry.File.Name), path.Ext(entry.File.Name)) == string(originBody) {
				l.line = int32(entry.Line)
			}
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b codeLine) int { return cmp.Compare(a.address, b.address) })
	return lines
}

// debugSections are the custom sections of a module.
func debugSections(wasm []byte) map[string][]byte {
	sections := map[string][]byte{}
	next := func(b []byte) (body, rest []byte) {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, nil
		}
		return b[size : size+int(n)], b[size+int(n):]
	}
	for rest := wasm[min(8, len(wasm)):]; len(rest) > 1; {
		id := rest[0]
		var body []byte
		if body, rest = next(rest[1:]); id == 0 {
			name, data := next(body)
			sections[string(bytes.Clone(name))] = data
		}
	}
	return sections
}
