package search

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	mmap "github.com/blevesearch/mmap-go"
)

// A shard is a directory that never changes once it is there: one of bleve's
// segments, which holds the words of some files' headings, and a table of these
// headings in the same order. It is made in one go and opened read-only, so that no
// process waits for another.
//
// Scorch, which keeps many segments of an index that changes, is not needed for
// that, and not linked: it takes 2.4 ms of each start of a program, asked or not.
type shard struct {
	name    string
	segment segment.Segment // nil without headings
	docs    []shardDoc      // by bleve's number
	first   []uint32        // by file of the shard, and behind the last: bleve's number of its first heading
	text    []byte          // the strings of docs
	words   mmap.MMap       // the words of docs in order, see [analyzedDocument.count]
	file    []int64         // by file of the shard: its number in the store, -1 where a newer shard has it
}

// The files of a shard.
const (
	segmentFile = "segment"
	wordsFile   = "words"
	tableFile   = "headings"
)

// shardDoc is a heading in the table.
type shardDoc struct {
	file, ordinal     uint32
	line, level       uint32
	start, end        uint32
	length            uint32 // tokens in all fields
	strings, nstrings uint32 // where in text
	words, nwords     uint32 // where its words are, and their bytes
}

// append writes a row of the table: what differs from the heading before it.
func (d *shardDoc) append(to []byte, before *shardDoc) []byte {
	for _, n := range []int64{int64(d.line) - int64(before.line), int64(d.start) - int64(before.start), int64(d.end) - int64(d.start)} {
		to = binary.AppendVarint(to, n)
	}
	for _, n := range []uint32{d.level, d.length, d.nstrings, d.nwords} {
		to = binary.AppendUvarint(to, uint64(n))
	}
	return to
}

// shardHead is the size of what stands before the table: how many headings and
// files there are, the size of the segment and the words, and that of the table.
const shardHead = 24

// openShard opens a shard for reading. One that has lost some of its files, or a
// part of them, is not opened at all.
func openShard(dir, name string) (*shard, error) {
	s := &shard{name: name}
	dir = filepath.Join(dir, name)
	data, err := os.ReadFile(filepath.Join(dir, tableFile))
	if err != nil {
		return nil, err
	}
	if err := s.readTable(data); err != nil {
		return nil, err
	}
	if len(s.docs) == 0 {
		return s, nil
	}
	if err := s.openFiles(dir, binary.LittleEndian.Uint64(data[8:])); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// openFiles opens the segment and the words, which have so many bytes.
func (s *shard) openFiles(dir string, size uint64) error {
	for _, name := range []string{segmentFile, wordsFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		size -= uint64(info.Size())
	}
	if size != 0 {
		return errDamaged
	}
	var err error
	if s.segment, err = (&zap.ZapPlugin{}).Open(filepath.Join(dir, segmentFile)); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if s.segment.Count() != uint64(len(s.docs)) {
		return errDamaged
	}
	f, err := os.Open(filepath.Join(dir, wordsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if s.words, err = mmap.Map(f, mmap.RDONLY, 0); err != nil {
		return err
	}
	if last := s.docs[len(s.docs)-1]; int(last.words)+int(last.nwords) > len(s.words) {
		return errDamaged
	}
	return nil
}

// sequence are the hashes of a document's words in one of its parts, of [hashSize]
// each.
func (s *shard) sequence(doc uint64, part int) []byte {
	at := int(s.docs[doc].words)
	for {
		n := hashSize * int(binary.LittleEndian.Uint32(s.words[at:]))
		at += 4
		if part == 0 {
			return s.words[at : at+n]
		}
		at += n
		part--
	}
}

func (s *shard) close() {
	if s.segment != nil {
		_ = s.segment.Close() // it was only read
	}
	if s.words != nil {
		_ = s.words.Unmap()
	}
	s.segment, s.words = nil, nil
}

func (s *shard) readTable(data []byte) error {
	if len(data) < shardHead {
		return errDamaged
	}
	n, files := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	size := binary.LittleEndian.Uint64(data[16:])
	if data = data[shardHead:]; size > uint64(len(data)) || uint64(n)+uint64(files) > size {
		return errDamaged
	}
	table := varints{data: data[:size]}
	s.text, s.docs, s.first = data[size:], make([]shardDoc, n), make([]uint32, files+1)
	for i := range files {
		s.first[i+1] = s.first[i] + table.next()
		if s.first[i+1] < s.first[i] || s.first[i+1] > n {
			return errDamaged
		}
	}
	if s.first[files] != n {
		return errDamaged
	}
	text, words := uint32(0), uint32(0)
	for file := range files {
		line, start := int64(0), int64(0)
		for i := s.first[file]; i < s.first[file+1]; i++ {
			line, start = line+table.signed(), start+table.signed()
			end := start + table.signed()
			s.docs[i] = shardDoc{file: file, ordinal: i - s.first[file], line: uint32(line), start: uint32(start), end: uint32(end),
				level: table.next(), length: table.next(), strings: text, nstrings: table.next(), words: words, nwords: table.next()}
			text += s.docs[i].nstrings
			words += s.docs[i].nwords
			if uint64(text) > uint64(len(s.text)) {
				return errDamaged
			}
		}
	}
	if table.short {
		return errDamaged
	}
	return nil
}

// varints reads the numbers of a table.
type varints struct {
	data  []byte
	short bool // a number was not there
}

func (v *varints) next() uint32 {
	n, size := binary.Uvarint(v.data)
	if size <= 0 || n > 1<<32-1 {
		v.short = true
		return 0
	}
	v.data = v.data[size:]
	return uint32(n)
}

func (v *varints) signed() int64 {
	n, size := binary.Varint(v.data)
	if size <= 0 {
		v.short = true
		return 0
	}
	v.data = v.data[size:]
	return n
}

// files is how many files the shard has.
func (s *shard) files() int { return len(s.first) - 1 }

// headings is how many headings a file of the shard has.
func (s *shard) headings(file uint32) int { return int(s.first[file+1] - s.first[file]) }

// id is the store's name of a heading; false when its file has a newer shard.
func (s *shard) id(number uint64) (ID, bool) {
	d := &s.docs[number]
	file := s.file[d.file]
	return makeID(file, int(d.ordinal)), file >= 0
}

// found is a heading as searches show it.
func (s *shard) found(id ID, path string, d *shardDoc) Found {
	f := Found{ID: id, Path: path, Line: int(d.line), Level: int(d.level), Start: int(d.start), End: int(d.end)}
	text := s.text[d.strings : d.strings+d.nstrings]
	list := func() []string {
		n, size := binary.Uvarint(text)
		if size <= 0 || n > uint64(len(text)) {
			return nil
		}
		text = text[size:]
		var out []string
		for range n {
			n, size := binary.Uvarint(text)
			if size <= 0 || n > uint64(len(text)-size) {
				return out
			}
			out = append(out, string(text[size:size+int(n)]))
			text = text[size+int(n):]
		}
		return out
	}
	if head := list(); len(head) == 2 {
		f.Title, f.State = head[0], head[1]
	}
	f.Outline, f.Tags, f.Langs = list(), list(), list()
	return f
}
