package oql

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"wb/internal/value"
	"wb/org"
)

// chunk is a piece of a log as rows.
type chunk struct {
	data    []byte
	n       int
	lines   int // newlines in it
	columns map[string]*column
	sets    [][]string
	load    func() (string, error) // reads the text

	// Of the pieces before: how many lines there are, and the header that is
	// open where this one starts, nil if there is none.
	before int
	open   *runHeader

	eventsOnly bool // rows are those that are events

	mu   sync.Mutex
	text string
	err  error
}

// runHeader is the part of a run's header that its events inherit.
type runHeader struct {
	in  *chunk
	row int
}

func (h *runHeader) title() string  { return h.in.title(h.row) }
func (h *runHeader) tags() []string { return h.in.tags(h.row) }

// column is one property of a chunk.
type column struct {
	form  int
	data  []byte
	words []string
	once  sync.Once
}

// openChunk reads the directory of a chunk.
func openChunk(data []byte, load func() (string, error)) *chunk {
	c := &chunk{data: data, n: int(headWord(data, logRows)), lines: int(headWord(data, logLines)), columns: map[string]*column{}, load: load}
	at := int(headWord(data, logDirectory))
	num := func() int { n, k := binary.Uvarint(data[at:]); at += k; return int(n) }
	str := func() string { n := num(); at += n; return bytesString(data[at-n : at]) }
	for range num() {
		name := str()
		c.columns[name] = &column{form: num(), data: data[num():]}
	}
	for range num() {
		c.sets = append(c.sets, strings.Split(strings.Trim(str(), ":"), ":"))
	}
	return c
}

func bytesString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// chain tells each chunk what was before it.
func chain(chunks []*chunk) {
	before := 0
	var open *runHeader
	for _, c := range chunks {
		c.before, c.open = before, open
		before += c.lines
		if c.n > 0 {
			if run := c.field(c.n-1, rowRun); run > 0 {
				open = &runHeader{c, int(run) - 1}
			}
		}
	}
}

func (c *chunk) field(i, k int) uint32 {
	return binary.LittleEndian.Uint32(c.data[4*(logHead+i*logWords+k):])
}

func (c *chunk) level(i int) int { return int(c.field(i, rowKind) & 0xff) }

func (c *chunk) tags(i int) []string { return c.sets[c.field(i, rowKind)>>8] }

// inherited are the tags of the run's header, for events.
func (c *chunk) inherited(i int) []string {
	if h := c.run(i); h != nil {
		return h.tags()
	}
	return nil
}

// run is the header above row i; nil for headers.
func (c *chunk) run(i int) *runHeader {
	switch run := c.field(i, rowRun); {
	case c.level(i) == 1:
		return nil
	case run == 0:
		return c.open
	default:
		return &runHeader{c, int(run) - 1}
	}
}

func (c *chunk) line(i int) int { return c.before + int(c.field(i, rowLine)) + 1 }

// source is the chunk's text, read when first asked for. A log that cannot be
// read any more has empty texts.
func (c *chunk) source() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text == "" && c.err == nil {
		c.text, c.err = c.load()
	}
	return c.text
}

// cut is a part of the text.
func (c *chunk) cut(at, length uint32) string {
	text := c.source()
	if int(at+length) > len(text) {
		return ""
	}
	return text[at : at+length]
}

func (c *chunk) title(i int) string { return c.cut(c.field(i, rowTitle), c.field(i, rowTitleLen)) }

// record is the text of row i.
func (c *chunk) record(i int) string {
	from, to := c.field(i, rowStart), uint32(len(c.source()))
	if i+1 < c.n {
		to = c.field(i+1, rowStart)
	}
	return c.cut(from, to-from)
}

// body is the text of row i behind its headline and its drawer.
func (c *chunk) body(i int) string {
	text := c.record(i)
	_, text, _ = strings.Cut(text, "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimLeft(first, " \t") != ":PROPERTIES:" {
		return text
	}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.TrimLeft(line, " \t") == ":END:" {
			return rest
		}
	}
	return text // torn: without an end it is not a drawer
}

// dictionary decodes the words of a column.
func (k *column) dictionary(rows int) []string {
	k.once.Do(func() {
		at := 2 * rows
		num := func() int { n, size := binary.Uvarint(k.data[at:]); at += size; return int(n) }
		k.words = make([]string, num())
		for i := range k.words {
			n := num()
			k.words[i] = bytesString(k.data[at : at+n])
			at += n
		}
	})
	return k.words
}

func (k *column) id(i int) int { return int(binary.LittleEndian.Uint16(k.data[2*i:])) }

func (k *column) int(i int) int64 { return int64(binary.LittleEndian.Uint64(k.data[8*i:])) }

// prop is a property of row i as text.
func (c *chunk) prop(i int, name string) (string, bool) {
	k := c.columns[name]
	if k == nil {
		return "", false
	}
	switch k.form {
	case columnWords:
		id := k.id(i)
		if id == 0 {
			return "", false
		}
		return k.dictionary(c.n)[id-1], true
	case columnInts:
		n := k.int(i)
		if n == noInt {
			return "", false
		}
		return strconv.FormatInt(n, 10), true
	}
	at := binary.LittleEndian.Uint32(k.data[8*i:])
	if at == 0 {
		return "", false
	}
	return c.cut(at-1, binary.LittleEndian.Uint32(k.data[8*i+4:])), true
}

// entry parses row i.
func (c *chunk) entry(path string, i int) *Entry {
	f := Flatten(path, org.Parse([]byte(c.record(i))))
	if len(f.Entries) == 0 { // the file changed under us
		return &Entry{Parent: -1, Line: c.line(i), Level: c.level(i), Tags: c.tags(i)}
	}
	e := &f.Entries[0]
	shift := c.line(i) - 1
	e.Line += shift
	for k := range e.Links {
		e.Links[k].Line += shift
	}
	e.Inherited, e.Parent, e.End = c.inherited(i), -1, i+1
	return e
}

// column answers fields without parsing the row; ok is false for the others.
func (c *chunk) column(path string, i int, name string) (v value.Value, has, ok bool) {
	switch lower := strings.ToLower(name); lower {
	case "level":
		return value.OfInt(int64(c.level(i))), true, true
	case "title", "heading":
		return value.OfString(c.title(i)), true, true
	case "state", "todo", "priority", "scheduled", "deadline", "closed":
		return value.Nil(), false, true
	case "path", "file":
		return value.OfString(path), true, true
	case "line":
		return value.OfInt(int64(c.line(i))), true, true
	case "tags":
		return stringsValue(c.tags(i)), true, true
	case "kind":
		return value.OfString(c.tags(i)[0]), true, true
	case "body":
		return value.OfString(c.body(i)), true, true
	case "category":
		return value.OfString(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))), true, true
	default:
		if isColumn(lower) {
			return v, false, false
		}
	}
	text, has := c.prop(i, strings.ToUpper(name))
	if !has {
		return value.Nil(), false, true
	}
	return value.OfString(text), true, true
}

// events narrows a sieve to the rows that count.
func (c *chunk) events(s sieve) sieve {
	if !c.eventsOnly {
		return s
	}
	isEvent := make([]bool, len(c.sets))
	for i, set := range c.sets {
		isEvent[i] = slices.ContainsFunc(set, func(tag string) bool { return slices.Contains(eventTags, tag) })
	}
	return allSieves([]sieve{rows(func(i int) bool { return isEvent[c.field(i, rowKind)>>8] }), s})
}

// gatherRuns makes one file of the pieces of each log, with nothing in it but
// the headers and the results of runs.
func gatherRuns(c *Corpus) *Corpus {
	out := &Corpus{}
	for _, f := range c.Files {
		if f.log == nil {
			out.Files = append(out.Files, f)
			continue
		}
		last := len(out.Files) - 1
		if last < 0 || out.Files[last].Path != f.Path {
			out.Files = append(out.Files, &File{Path: f.Path, Todo: f.Todo, DoneKey: f.DoneKey})
			last++
		}
		into := out.Files[last]
		wanted := make([]bool, len(f.log.sets))
		for i, set := range f.log.sets {
			wanted[i] = slices.ContainsFunc(set, func(tag string) bool { return tag == "run" || tag == "session" || tag == "result" })
		}
		for i := range f.log.n {
			if wanted[f.log.field(i, rowKind)>>8] {
				into.Entries = append(into.Entries, *f.log.entry(f.Path, i))
			}
		}
	}
	return out
}
