package oql

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
)

// A log is an events.org as wb writes it, perhaps of hundreds of megabytes. Its
// index is a list of chunks, one for some megabytes of text, that keep each
// property as a column: a condition or an aggregate reads only the columns it
// names. The text stays where it is and is read for the rows that are shown.
//
// A chunk is a header, rows of logWords words each, and columns:
//
//	header   rows, newlines, offset of the directory
//	rows     start, line, title, length of the title, level and tags, run
//	columns  per property: dictionary and a 2-byte id per row; or an 8-byte
//	         integer per row; or the place of each value in the text
//	directory  names and offsets of the columns; lists of tags

// errNoLog says that a text is not a log in the form that chunks can hold; it is
// then parsed as any other org file.
var errNoLog = errors.New("not an event log")

const (
	logRows = iota
	logLines
	logDirectory
	logHead
)

const (
	rowStart = iota
	rowLine  // newlines before it in the chunk
	rowTitle
	rowTitleLen
	rowKind // level, and the number of its list of tags above
	rowRun  // 1 + the row of the header it belongs to; 0 is one before the chunk
	logWords
)

// The forms of a column.
const (
	columnWords = iota // a dictionary
	columnInts
	columnPlaces
)

// noInt marks rows without a value in a column of integers.
const noInt = -1 << 63

// maxLogRows keeps ids of a chunk in two bytes.
const maxLogRows = 65_000

type logPacker struct {
	rows    []uint32
	columns []*logColumn
	byName  map[string]int
	sets    []string // tags as written, ":a:b:"
	run     uint32
}

type logColumn struct {
	name   string
	rows   []uint32 // rows that have a value, with its place
	starts []uint32
	ends   []uint32
}

// packLog packs a piece of a log that starts with a headline and ends before
// one, or at the end.
func packLog(src []byte) ([]byte, error) {
	if bytes.ContainsAny(src, "\r\f\v\x00") { // white space to some, not to others
		return nil, errNoLog
	}
	p := &logPacker{byName: map[string]int{}}
	line := uint32(0)
	for at := 0; at < len(src); {
		end := nextRecord(src, at)
		if err := p.record(src, at, end, line); err != nil {
			return nil, err
		}
		line += uint32(bytes.Count(src[at:end], []byte{'\n'}))
		at = end
	}
	return p.bytes(src, line), nil
}

// nextRecord is the offset of the first headline after at, or the end.
func nextRecord(src []byte, at int) int {
	for {
		i := bytes.Index(src[at+1:], []byte("\n*"))
		if i < 0 {
			return len(src)
		}
		at += 1 + i + 1
		stars := at
		for stars < len(src) && src[stars] == '*' {
			stars++
		}
		if stars < len(src) && src[stars] == ' ' {
			return at
		}
		at--
	}
}

// record reads one record, which must have the form that trace writes: other
// text could mean more than the columns say.
func (p *logPacker) record(src []byte, at, end int, line uint32) error {
	row := uint32(len(p.rows) / logWords)
	if row >= maxLogRows {
		return errNoLog
	}
	level := 0
	for src[at+level] == '*' {
		level++
	}
	stop := at + eol(src[at:end])
	head := src[at+level : stop]
	title, tags := splitHeadline(head)
	if level > 2 || tags == "" || strangeTitle(title) {
		return errNoLog
	}
	if level == 1 {
		p.run = row + 1
	}
	set := slices.Index(p.sets, tags)
	if set < 0 {
		set = len(p.sets)
		p.sets = append(p.sets, tags)
	}
	lead := bytes.Index(src[at:stop], title)
	p.rows = append(p.rows, uint32(at), line, uint32(at+lead), uint32(len(title)), uint32(level)|uint32(set)<<8, p.run)
	inside := false
	for next := stop + 1; next < end; {
		stop = next + eol(src[next:end])
		text := bytes.TrimLeft(src[next:stop], " \t")
		if marker := bytes.TrimRight(text, " \t"); len(marker) <= len(":PROPERTIES:") && len(marker) > 0 && marker[0] == ':' &&
			(bytes.EqualFold(marker, []byte(":PROPERTIES:")) || bytes.EqualFold(marker, []byte(":END:"))) &&
			string(text) != ":PROPERTIES:" && string(text) != ":END:" {
			return errNoLog // spelt as org allows, but trace does not write
		}
		switch {
		case bytes.HasPrefix(text, []byte("#+")), bytes.HasPrefix(text, []byte("CLOCK:")):
			return errNoLog
		case !inside && string(text) == ":PROPERTIES:":
			if next != at+eol(src[at:end])+1 {
				return errNoLog
			}
			inside = true
		case inside && string(text) == ":END:":
			inside = false
		case inside:
			if err := p.property(row, src, next, stop); err != nil {
				return err
			}
		case bytes.HasPrefix(text, []byte("SCHEDULED:")), bytes.HasPrefix(text, []byte("DEADLINE:")), bytes.HasPrefix(text, []byte("CLOSED:")):
			return errNoLog
		}
		next = stop + 1
	}
	if inside { // torn: without an end it is not a drawer
		for _, c := range p.columns {
			c.drop(row)
		}
	}
	return nil
}

// drop forgets the value of the last row.
func (c *logColumn) drop(row uint32) {
	if n := len(c.rows); n > 0 && c.rows[n-1] == row {
		c.rows, c.starts, c.ends = c.rows[:n-1], c.starts[:n-1], c.ends[:n-1]
	}
}

func eol(line []byte) int {
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		return i
	}
	return len(line)
}

// splitHeadline takes the tags off a headline.
func splitHeadline(head []byte) (title []byte, tags string) {
	head = bytes.TrimRight(head, " \t\r")
	at := bytes.LastIndexByte(head, ' ')
	list := head[at+1:]
	if len(list) < 3 || list[0] != ':' || list[len(list)-1] != ':' || bytes.ContainsAny(list, "#%@") || bytes.Contains(list, []byte("::")) {
		return nil, ""
	}
	for _, c := range list {
		if !(c == ':' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return nil, ""
		}
	}
	return bytes.TrimSpace(head[:max(at, 0)]), string(list)
}

// strangeTitle reports titles that hold more than text.
func strangeTitle(title []byte) bool {
	word, _, _ := bytes.Cut(title, []byte{' '})
	return len(title) == 0 || string(word) == "TODO" || string(word) == "DONE" || string(word) == "COMMENT" || bytes.HasPrefix(title, []byte("[#"))
}

// property reads a line ":KEY: value".
func (p *logPacker) property(row uint32, src []byte, from, to int) error {
	text := src[from:to]
	key := bytes.TrimLeft(text, " \t")
	end := -1
	if len(key) > 2 && key[0] == ':' {
		end = bytes.IndexByte(key[1:], ':')
	}
	if end < 1 {
		return errNoLog
	}
	name := key[1 : 1+end]
	rest := key[2+end:]
	if len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
		return errNoLog
	}
	value := bytes.TrimSpace(rest)
	id, ok := p.byName[string(name)]
	if !ok {
		if bytes.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' || r > 126 || r <= ' ' || r == '+' }) || string(name) == "CATEGORY" {
			return errNoLog
		}
		id = len(p.columns)
		p.byName[string(name)] = id
		p.columns = append(p.columns, &logColumn{name: string(name)})
	}
	c := p.columns[id]
	if n := len(c.rows); n > 0 && c.rows[n-1] == row {
		return nil // the first one counts
	}
	start := to - len(bytes.TrimLeft(rest, " \t"))
	c.rows = append(c.rows, row)
	c.starts = append(c.starts, uint32(start))
	c.ends = append(c.ends, uint32(start+len(value)))
	return nil
}

func (p *logPacker) bytes(src []byte, lines uint32) []byte {
	n := len(p.rows) / logWords
	out := make([]byte, logHead*4, logHead*4+len(p.rows)*4+n*40)
	for _, w := range p.rows {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	var directory []byte
	directory = binary.AppendUvarint(directory, uint64(len(p.columns)))
	for _, c := range p.columns {
		form, data := c.pack(src, n)
		directory = append(binary.AppendUvarint(directory, uint64(len(c.name))), c.name...)
		directory = binary.AppendUvarint(directory, uint64(form))
		directory = binary.AppendUvarint(directory, uint64(len(out)))
		out = append(out, data...)
	}
	directory = binary.AppendUvarint(directory, uint64(len(p.sets)))
	for _, s := range p.sets {
		directory = append(binary.AppendUvarint(directory, uint64(len(s))), s...)
	}
	binary.LittleEndian.PutUint32(out[4*logRows:], uint32(n))
	binary.LittleEndian.PutUint32(out[4*logLines:], lines)
	binary.LittleEndian.PutUint32(out[4*logDirectory:], uint32(len(out)))
	return append(out, directory...)
}

// pack chooses the form of a column and writes it.
func (c *logColumn) pack(src []byte, n int) (form int, data []byte) {
	ids := map[string]uint16{}
	var words []string
	column := make([]uint16, n)
	whole := true
	for k, row := range c.rows {
		text := src[c.starts[k]:c.ends[k]]
		id, ok := ids[string(text)]
		if !ok {
			words = append(words, string(text))
			id = uint16(len(words))
			ids[string(text)] = id
			v, err := strconv.ParseInt(string(text), 10, 64)
			whole = whole && err == nil && v != noInt && strconv.FormatInt(v, 10) == string(text)
		}
		column[row] = id
	}
	switch {
	case len(words) <= 256 || len(words)*4 <= len(c.rows):
		for _, id := range column {
			data = binary.LittleEndian.AppendUint16(data, id)
		}
		data = binary.AppendUvarint(data, uint64(len(words)))
		for _, w := range words {
			data = append(binary.AppendUvarint(data, uint64(len(w))), w...)
		}
		return columnWords, data
	case whole:
		for _, id := range column {
			v := int64(noInt)
			if id > 0 {
				v, _ = strconv.ParseInt(words[id-1], 10, 64)
			}
			data = binary.LittleEndian.AppendUint64(data, uint64(v))
		}
		return columnInts, data
	}
	data = make([]byte, 8*n)
	for k, row := range c.rows {
		binary.LittleEndian.PutUint32(data[8*row:], c.starts[k]+1)
		binary.LittleEndian.PutUint32(data[8*row+4:], c.ends[k]-c.starts[k])
	}
	return columnPlaces, data
}
