package oql

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"wb/org"
)

// PackVersion changes with every change of the packed form, that of logs too, or of what
// [Flatten] makes of a file: an index that holds another version is rebuilt.
const PackVersion = 2

// PackText writes a file's rows in the form that an index keeps: one piece of
// memory that is used where it lies, without being read first.
//
//	header   offsets of the parts, 4 bytes each
//	records  one of recordSize bytes per row: what conditions ask most
//	names    every keyword, tag, property name and category, once
//	sets     lists of tags, once each
//	meta     what belongs to the file
//	details  properties, timestamps, clocks, links, blocks, tables of each row
//	heap     the file's text; then the few strings that are not part of it
//
// All strings are places in the heap. One row at a time is held, so that large
// files need little more memory than their packed form.
func PackText(path, src string, presets org.Presets) []byte {
	s := org.NewStream(src, presets)
	p := newPacker(src, s.HeadlineCount())
	f := &File{Path: path}
	f.flatten(s.Document(), s.Headlines(), p)
	return p.file(f)
}

func newPacker(src string, rows int) *packer {
	return &packer{src: src, records: make([]byte, 0, (rows+1)*recordSize), names: map[string]uint32{"": 0}, nameList: []string{""},
		sets: map[string]uint32{"": 0}, setList: [][]uint32{nil}, extra: map[string]uint32{}}
}

// The words of the header.
const (
	headRows = iota
	headNames
	headSets
	headMeta
	headDetails
	headHeap
	headText // length of the text in the heap
	headOdd  // 1 if the text has oddFolds
	headSize
)

// The words of a record.
const (
	recLine = iota
	recLevel
	recFlags // flags, and the priority in the highest byte
	recState
	recCategory
	recTags
	recInherited
	recParent // plus one
	recEnd
	recStart // the entry's text in the heap
	recStop
	recBody
	recBodyStop
	recTitle
	recTitleLen
	recHeading
	recHeadingLen
	recDetails
	recWords
	recordSize = recWords * 4
)

// The flags of a record: what its details hold.
const (
	flagDone = 1 << iota
	flagScheduled
	flagDeadline
	flagClosed
	flagActive
	flagInactive
	flagClock
	flagLink
	flagBlock
	flagTable
	flagProps
)

// packer makes the packed form of the rows that are added to it.
type packer struct {
	src      string
	rows     int
	names    map[string]uint32
	nameList []string
	sets     map[string]uint32
	setList  [][]uint32
	extra    map[string]uint32
	heap     []byte // behind the text
	records  []byte
	details  []byte
	meta     []byte
}

// place finds a string in the heap, by its address if it is part of the text.
func (p *packer) place(s string) (at, length uint32) {
	if s == "" {
		return 0, 0
	}
	base, here := uintptr(unsafe.Pointer(unsafe.StringData(p.src))), uintptr(unsafe.Pointer(unsafe.StringData(s)))
	if here >= base && here+uintptr(len(s)) <= base+uintptr(len(p.src)) {
		return uint32(here - base), uint32(len(s))
	}
	at, ok := p.extra[s]
	if !ok {
		at = uint32(len(p.src) + len(p.heap))
		p.heap = append(p.heap, s...)
		p.extra[s] = at
	}
	return at, uint32(len(s))
}

func (p *packer) name(s string) uint32 {
	id, ok := p.names[s]
	if !ok {
		id = uint32(len(p.nameList))
		p.names[s] = id
		p.nameList = append(p.nameList, s)
	}
	return id
}

func (p *packer) set(tags []string) uint32 {
	if len(tags) == 0 {
		return 0
	}
	ids := make([]uint32, len(tags))
	key := make([]byte, 0, 4*len(tags))
	for i, t := range tags {
		ids[i] = p.name(t)
		key = binary.LittleEndian.AppendUint32(key, ids[i])
	}
	id, ok := p.sets[string(key)]
	if !ok {
		id = uint32(len(p.setList))
		p.sets[string(key)] = id
		p.setList = append(p.setList, ids)
	}
	return id
}

func (p *packer) add(e *Entry) {
	p.rows++
	p.entry(e)
}

func (p *packer) end(row, end int) {
	binary.LittleEndian.PutUint32(p.records[row*recordSize+4*recEnd:], uint32(end))
}

func (p *packer) entry(e *Entry) {
	var r [recWords]uint32
	r[recLine], r[recLevel], r[recFlags] = uint32(e.Line), uint32(e.Level), flagsOf(e)|uint32(e.Priority)<<24
	r[recState], r[recCategory] = p.name(e.State), p.name(e.Category)
	r[recTags], r[recInherited] = p.set(e.Tags), p.set(e.Inherited)
	r[recParent], r[recEnd] = uint32(e.Parent+1), uint32(e.End)
	at, n := p.place(e.Text)
	r[recStart], r[recStop] = at, at+n
	at, n = p.place(e.Body)
	r[recBody], r[recBodyStop] = at, at+n
	r[recTitle], r[recTitleLen] = p.place(e.Title)
	r[recHeading], r[recHeadingLen] = r[recTitle], r[recTitleLen]
	if e.Heading != e.Title {
		r[recHeading], r[recHeadingLen] = p.place(e.Heading)
	}
	r[recDetails] = uint32(len(p.details))
	for _, w := range r {
		p.records = binary.LittleEndian.AppendUint32(p.records, w)
	}
	p.detail(e)
}

func flagsOf(e *Entry) uint32 {
	var f uint32
	mark := func(flag uint32, on bool) {
		if on {
			f |= flag
		}
	}
	mark(flagDone, e.Done)
	mark(flagScheduled, e.Scheduled != nil)
	mark(flagDeadline, e.Deadline != nil)
	mark(flagClosed, e.Closed != nil)
	for _, s := range e.Stamps {
		mark(flagActive, s.Active)
		mark(flagInactive, !s.Active)
	}
	mark(flagClock, len(e.Clocks) > 0)
	mark(flagLink, len(e.Links) > 0)
	mark(flagBlock, len(e.Blocks) > 0)
	mark(flagTable, len(e.Tables) > 0)
	mark(flagProps, len(e.Props) > 0)
	return f
}

func (p *packer) num(n int) { p.details = binary.AppendUvarint(p.details, uint64(n)) }

func (p *packer) text(s string) {
	at, n := p.place(s)
	p.num(int(at))
	p.num(int(n))
}

// detail writes what only some rows have, in the order of the flags.
func (p *packer) detail(e *Entry) {
	p.props(e.Props)
	for _, s := range []*Stamp{e.Scheduled, e.Deadline, e.Closed} {
		if s != nil {
			p.stamp(*s)
		}
	}
	if len(e.Stamps) > 0 {
		p.num(len(e.Stamps))
		for _, s := range e.Stamps {
			p.stamp(s)
		}
	}
	if len(e.Clocks) > 0 {
		p.num(len(e.Clocks))
		for _, c := range e.Clocks {
			p.time(c.Start.Unix())
			p.time(c.End.Unix())
			p.time(int64(c.Minutes))
		}
	}
	if len(e.Links) > 0 {
		p.num(len(e.Links))
		for _, l := range e.Links {
			p.text(l.Target)
			p.text(l.Desc)
			p.num(l.Line)
			p.num(int(l.Form))
		}
	}
	if len(e.Blocks) > 0 {
		p.num(len(e.Blocks))
		for _, b := range e.Blocks {
			for _, s := range []string{b.Name, b.Lang, b.Args, b.Body, b.Result} {
				p.text(s)
			}
			p.num(b.Line)
		}
	}
	if len(e.Tables) > 0 {
		p.num(len(e.Tables))
		for _, t := range e.Tables {
			p.text(t.Name)
			p.num(t.Line)
			p.num(len(t.Rows))
			for _, row := range t.Rows {
				p.num(len(row))
				for _, c := range row {
					p.text(c)
				}
			}
		}
	}
}

func (p *packer) props(props []Prop) {
	if len(props) == 0 {
		return
	}
	p.num(len(props))
	for _, prop := range props {
		p.num(int(p.name(prop.Name)))
		p.text(prop.Value)
	}
}

func (p *packer) time(n int64) { p.details = binary.AppendVarint(p.details, n) }

func (p *packer) stamp(s Stamp) {
	bits := 0
	for i, on := range []bool{s.HasTime, s.Active, !s.End.IsZero(), s.Repeat != "" || s.Warning != ""} {
		if on {
			bits |= 1 << i
		}
	}
	p.num(bits)
	p.time(s.At.Unix())
	if !s.End.IsZero() {
		p.time(s.End.Unix())
	}
	if s.Repeat != "" || s.Warning != "" {
		p.num(int(p.name(s.Repeat)))
		p.num(int(p.name(s.Warning)))
	}
}

// file adds what belongs to the file, and joins all. The preamble is one more record.
func (p *packer) file(f *File) []byte {
	start := len(p.details)
	p.text(f.Title)
	for _, list := range [][]string{f.Todo, f.DoneKey} {
		p.num(len(list))
		for _, k := range list {
			p.num(int(p.name(k)))
		}
	}
	props := f.FileProps
	p.num(len(props))
	p.props(props)
	if f.Preamble != nil {
		p.num(1)
	} else {
		p.num(0)
	}
	p.meta = slices.Clone(p.details[start:])
	p.details = p.details[:start]
	if f.Preamble != nil {
		p.entry(f.Preamble)
	}
	return p.bytes()
}

// largeText is the size from which a text and its packed form fill much of a
// computer's memory.
const largeText = 64 << 20

// bytes joins the parts.
func (p *packer) bytes() []byte {
	var names, sets []byte
	names = binary.AppendUvarint(names, uint64(len(p.nameList)))
	for _, n := range p.nameList {
		names = append(binary.AppendUvarint(names, uint64(len(n))), n...)
	}
	sets = binary.AppendUvarint(sets, uint64(len(p.setList)))
	for _, s := range p.setList {
		sets = binary.AppendUvarint(sets, uint64(len(s)))
		for _, id := range s {
			sets = binary.AppendUvarint(sets, uint64(id))
		}
	}
	var head [headSize]uint32
	at := uint32(headSize*4 + len(p.records))
	part := func(word int, data []byte) {
		head[word] = at
		at += uint32(len(data))
	}
	head[headRows] = uint32(p.rows)
	part(headNames, names)
	part(headSets, sets)
	part(headMeta, p.meta)
	part(headDetails, p.details)
	head[headHeap], head[headText] = at, uint32(len(p.src))
	if strings.ContainsAny(p.src, oddFolds) {
		head[headOdd] = 1
	}
	if len(p.src) >= largeText {
		runtime.GC() // or the memory of rows that were packed would stand beside what follows
	}
	out := make([]byte, 0, int(at)+len(p.src)+len(p.heap))
	for _, w := range head {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for _, data := range [][]byte{p.records, names, sets, p.meta, p.details} {
		out = append(out, data...)
	}
	return append(append(out, p.src...), p.heap...)
}
