package oql

import (
	"encoding/binary"
	"time"
	"unsafe"
)

// packed reads what [PackText] wrote. Strings are parts of the memory it lies in.
type packed struct {
	data  []byte
	n     int
	heap  string
	text  int  // length of the text, which the heap starts with
	odd   bool // the text has oddFolds
	names []string
	sets  [][]string
	file  *File
}

// Unpack makes a packed file's rows available without copying them: data must
// stay as it is for as long as rows, or values from them, are in use.
func Unpack(path string, data []byte) *File {
	p := &packed{data: data, n: int(headWord(data, headRows))}
	heap := data[headWord(data, headHeap):]
	p.heap, p.text = unsafe.String(unsafe.SliceData(heap), len(heap)), int(headWord(data, headText))
	p.odd = headWord(data, headOdd) != 0
	d := decoder{p: p, at: int(headWord(data, headNames))}
	p.names = make([]string, d.num())
	for i := range p.names {
		n := d.num()
		p.names[i] = unsafe.String(unsafe.SliceData(data[d.at:]), n)
		d.at += n
	}
	return p.meta(path)
}

// set is a list of tags; the lists are read when one is first asked for.
func (p *packed) set(id uint32) []string {
	if p.sets == nil {
		d := decoder{p: p, at: int(headWord(p.data, headSets))}
		p.sets = make([][]string, d.num())
		for i := range p.sets {
			set := make([]string, d.num())
			for k := range set {
				set[k] = p.names[d.num()]
			}
			p.sets[i] = set
		}
	}
	return p.sets[id]
}

func headWord(data []byte, i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }

// field is word k of record i.
func (p *packed) field(i, k int) uint32 {
	return binary.LittleEndian.Uint32(p.data[headSize*4+i*recordSize+4*k:])
}

func (p *packed) meta(path string) *File {
	f := &File{Path: path, packed: p}
	p.file = f
	d := decoder{p: p, at: int(headWord(p.data, headMeta))}
	f.Title = d.text()
	for _, list := range []*[]string{&f.Todo, &f.DoneKey} {
		*list = make([]string, d.num())
		for i := range *list {
			(*list)[i] = p.names[d.num()]
		}
	}
	if d.num() > 0 {
		f.FileProps = d.props()
	}
	if d.num() > 0 {
		f.Preamble = p.entry(p.n)
	}
	return f
}

// entry decodes record i.
func (p *packed) entry(i int) *Entry {
	w := func(k int) uint32 { return p.field(i, k) }
	flags := w(recFlags)
	e := &Entry{
		Line: int(w(recLine)), Level: int(w(recLevel)), Done: flags&flagDone != 0, Priority: byte(flags >> 24),
		State: p.names[w(recState)], Category: p.names[w(recCategory)], Tags: p.set(w(recTags)), Inherited: p.set(w(recInherited)),
		Parent: int(w(recParent)) - 1, End: int(w(recEnd)), FileProps: p.file.FileProps,
		Text: p.heap[w(recStart):w(recStop)], Body: p.heap[w(recBody):w(recBodyStop)],
		Title: p.title(i), Heading: p.heading(i),
	}
	d := decoder{p: p, at: int(headWord(p.data, headDetails) + w(recDetails))}
	if flags&flagProps != 0 {
		e.Props = d.props()
	}
	for _, s := range []struct {
		flag uint32
		into **Stamp
	}{{flagScheduled, &e.Scheduled}, {flagDeadline, &e.Deadline}, {flagClosed, &e.Closed}} {
		if flags&s.flag != 0 {
			stamp := d.stamp()
			*s.into = &stamp
		}
	}
	if flags&(flagActive|flagInactive) != 0 {
		e.Stamps = make([]Stamp, d.num())
		for k := range e.Stamps {
			e.Stamps[k] = d.stamp()
		}
	}
	if flags&flagClock != 0 {
		e.Clocks = make([]Clock, d.num())
		for k := range e.Clocks {
			e.Clocks[k] = Clock{unix(d.time()), unix(d.time()), int(d.time())}
		}
	}
	d.content(e, flags)
	return e
}

// content decodes links, blocks and tables.
func (d *decoder) content(e *Entry, flags uint32) {
	if flags&flagLink != 0 {
		e.Links = make([]Link, d.num())
		for k := range e.Links {
			e.Links[k] = Link{d.text(), d.text(), d.num(), LinkForm(d.num())}
		}
	}
	if flags&flagBlock != 0 {
		e.Blocks = make([]Block, d.num())
		for k := range e.Blocks {
			e.Blocks[k] = Block{d.text(), d.text(), d.text(), d.text(), d.text(), d.num()}
		}
	}
	if flags&flagTable != 0 {
		e.Tables = make([]Table, d.num())
		for k := range e.Tables {
			t := Table{Name: d.text(), Line: d.num()}
			t.Rows = make([][]string, d.num())
			for r := range t.Rows {
				t.Rows[r] = make([]string, d.num())
				for c := range t.Rows[r] {
					t.Rows[r][c] = d.text()
				}
			}
			e.Tables[k] = t
		}
	}
}

func (p *packed) title(i int) string {
	at := p.field(i, recTitle)
	return p.heap[at : at+p.field(i, recTitleLen)]
}

func (p *packed) heading(i int) string {
	at := p.field(i, recHeading)
	return p.heap[at : at+p.field(i, recHeadingLen)]
}

func (p *packed) entryText(i int) string { return p.heap[p.field(i, recStart):p.field(i, recStop)] }

// decoder walks over the variable parts.
type decoder struct {
	p  *packed
	at int
}

func (d *decoder) num() int {
	n, size := binary.Uvarint(d.p.data[d.at:])
	d.at += size
	return int(n)
}

func (d *decoder) time() int64 {
	n, size := binary.Varint(d.p.data[d.at:])
	d.at += size
	return n
}

func (d *decoder) text() string {
	at := d.num()
	return d.p.heap[at : at+d.num()]
}

func (d *decoder) props() []Prop {
	props := make([]Prop, d.num())
	for i := range props {
		props[i] = Prop{d.p.names[d.num()], d.text()}
	}
	return props
}

func (d *decoder) stamp() Stamp {
	bits := d.num()
	s := Stamp{HasTime: bits&1 != 0, Active: bits&2 != 0, At: unix(d.time())}
	if bits&4 != 0 {
		s.End = unix(d.time())
	}
	if bits&8 != 0 {
		s.Repeat, s.Warning = d.p.names[d.num()], d.p.names[d.num()]
	}
	return s
}

func unix(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
