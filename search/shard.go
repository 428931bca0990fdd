package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
	mmap "github.com/blevesearch/mmap-go"
)

// A shard is a directory that never changes once it is there: an index of
// bleve's (scorch) over the words of some files' headings, and a table of these
// headings in bleve's order. It is made offline, in one go, and opened read-only,
// so that no process waits for another.
type shard struct {
	name   string
	index  api.Index
	reader api.IndexReader
	docs   []shardDoc // by bleve's number
	text   []byte     // the strings of docs
	words  mmap.MMap  // the words of docs in order, see [analyzedDocument.count]
	place  [][]uint32 // by file of the shard and ordinal: bleve's number
	file   []int64    // by file of the shard: its number in the store, -1 where a newer shard has it
}

// shardDoc is a heading in the table.
type shardDoc struct {
	file, ordinal     uint32
	line, level       uint32
	start, end        uint32
	length            uint32 // tokens in all fields
	strings, nstrings uint32 // where in text
	words             uint32 // where its words are, in fours of bytes
}

const shardDocWords = 10

// shardHead is the size of what stands before the table: how many headings and
// files there are, and the size of bleve's files.
const shardHead = 16

// The fields of bleve's index: words as they are written in any part of a
// heading, and the stems and parts of them. A word's frequency is the sum over
// the parts of a heading of how often it stands there times the part's weight,
// in tenths: bleve so keeps one posting where a field for each part would need six.
const (
	writtenField = "words"
	variantField = "more"
)

// weights are those of the parts of a heading, title first, in tenths: of words
// as they are written, then of their variants.
var weights = [2][parts]uint64{{120, 30, 40, 10, 10, 7}, {40, 8, 20, 4, 4, 3}}

// parts is how many parts a heading has: title, outline, tags, body, code,
// result.
const parts = 6

// countedField is a field of bleve's whose words are counted already.
type countedField struct {
	name   string
	counts api.TokenFrequencies
	slab   []api.TokenFreq // room for more of counts
}

func (f *countedField) Name() string                                   { return f.name }
func (f *countedField) Value() []byte                                  { return nil }
func (f *countedField) ArrayPositions() []uint64                       { return nil }
func (f *countedField) EncodedFieldType() byte                         { return 't' }
func (f *countedField) Analyze()                                       {}
func (f *countedField) Options() api.FieldIndexingOptions              { return api.IndexField }
func (f *countedField) AnalyzedLength() int                            { return 0 } // lengths are in the table of headings
func (f *countedField) AnalyzedTokenFrequencies() api.TokenFrequencies { return f.counts }
func (f *countedField) NumPlainTextBytes() uint64                      { return 0 }
func (f *countedField) Size() int                                      { return 64 * len(f.counts) }

// count makes bleve's fields of a document, and the sequence of its words: for
// each part, how many there are and the hash of each. Phrases are looked for in
// that sequence: bleve's own places of words take five bytes each and twice the
// time to write.
func (d *analyzedDocument) count() {
	all := [parts]field{d.title, d.outline, d.tags, d.body, d.code, d.result}
	written, variants := newCounter(writtenField), newCounter(variantField)
	for i, part := range all {
		at := len(d.sequence)
		d.sequence = append(d.sequence, 0, 0, 0, 0)
		n := written.add(part.words, weights[0][i], func(word string) {
			d.sequence = appendHash(d.sequence, word)
		})
		binary.LittleEndian.PutUint32(d.sequence[at:], uint32(n))
		d.tokens += n + variants.add(part.more, weights[1][i], func(string) {})
	}
	for len(d.sequence)%4 != 0 { // places are counted in fours
		d.sequence = append(d.sequence, 0)
	}
	for _, c := range []*countedField{written, variants} {
		if len(c.counts) > 0 {
			d.fields = append(d.fields, c)
		}
	}
}

func newCounter(name string) *countedField {
	return &countedField{name: name, counts: api.TokenFrequencies{}}
}

// add counts words, each followed by a blank.
func (f *countedField) add(text string, weight uint64, each func(word string)) (n int) {
	for text != "" {
		end := strings.IndexByte(text, ' ')
		word := text[:end]
		text = text[end+1:]
		n++
		each(word)
		freq := f.counts[word]
		if freq == nil {
			if len(f.slab) == cap(f.slab) {
				f.slab = make([]api.TokenFreq, 0, max(8, min(len(text)/12, 512)))
			}
			f.slab = append(f.slab, api.TokenFreq{Term: []byte(word)})
			freq = &f.slab[len(f.slab)-1]
			f.counts[word] = freq
		}
		freq.SetFrequency(freq.Frequency() + int(weight))
	}
	return n
}

// hashSize is how many bytes stand for a word. Both words of a phrase are known to be
// in a heading when their order is looked at, so that three bytes tell them apart.
const hashSize = 3

func appendHash(to []byte, word string) []byte {
	h := wordHash(word)
	h ^= h >> 24 // the byte that goes
	return append(to, byte(h), byte(h>>8), byte(h>>16))
}

// wordHash is FNV-1a of 32 bits.
func wordHash(word string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

// shardBuilder makes a shard.
type shardBuilder struct {
	dir     string // of the shard, while it is made
	builder api.IndexBuilder
	docs    map[string]shardDoc // by bleve's id
	text    []byte
	words   []byte
	files   uint32
}

// buildBatch is how many headings become one segment before they are merged.
const buildBatch = 20000

func newShardBuilder(dir string) (*shardBuilder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	b, err := scorch.NewBuilder(map[string]any{"path": filepath.Join(dir, "bleve"), "buildPathPrefix": dir, "batchSize": buildBatch, "mergeMax": 64})
	if err != nil {
		return nil, err
	}
	return &shardBuilder{dir: dir, builder: b, docs: map[string]shardDoc{}}, nil
}

// add takes in a file and returns its number in the shard and how many tokens
// it has.
func (b *shardBuilder) add(f *analyzed) (number uint32, tokens uint64, err error) {
	number = b.files
	b.files++
	for i := range f.documents {
		d := &f.documents[i]
		id := fmt.Sprintf("%x.%x", number, i)
		doc := document.NewDocument(id)
		for _, field := range d.fields {
			doc.AddField(field)
		}
		d.fields = nil
		if err := b.builder.Index(doc); err != nil {
			return 0, 0, err
		}
		tokens += uint64(d.tokens)
		row := shardDoc{file: number, ordinal: uint32(i), line: uint32(d.Line), level: uint32(d.Level), start: uint32(d.Start), end: uint32(d.End),
			length: uint32(d.tokens), strings: uint32(len(b.text)), words: uint32(len(b.words) / 4)}
		b.words = append(b.words, d.sequence...)
		d.sequence = nil
		for _, list := range [][]string{{d.Title, d.State}, d.Outline, d.Tags, d.Langs} {
			b.text = binary.AppendUvarint(b.text, uint64(len(list)))
			for _, s := range list {
				b.text = append(binary.AppendUvarint(b.text, uint64(len(s))), s...)
			}
		}
		row.nstrings = uint32(len(b.text)) - row.strings
		b.docs[id] = row
	}
	return number, tokens, nil
}

// close finishes the shard. One without headings has no index.
func (b *shardBuilder) close(ctx context.Context) error {
	if len(b.docs) > 0 {
		if err := b.builder.Close(); err != nil {
			return err
		}
	}
	if err := removeBuilds(b.dir); err != nil {
		return err
	}
	var table []byte
	if len(b.docs) > 0 {
		s := &shard{}
		if err := s.openIndex(b.dir); err != nil {
			return err
		}
		defer s.close()
		ids, err := s.reader.DocIDReaderAll()
		if err != nil {
			return err
		}
		for {
			id, err := ids.Next()
			if err != nil {
				return err
			}
			if id == nil {
				break
			}
			name, err := s.reader.ExternalID(id)
			if err != nil {
				return err
			}
			d, ok := b.docs[name]
			if !ok {
				return fmt.Errorf("shard has no document %s", name)
			}
			for _, w := range d.numbers() {
				table = binary.LittleEndian.AppendUint32(table, *w)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	if err := os.WriteFile(filepath.Join(b.dir, "bleve", "words"), b.words, 0o644); err != nil && len(b.docs) > 0 {
		return err
	}
	size, err := bleveSize(b.dir)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(table)/(4*shardDocWords)))
	head = binary.LittleEndian.AppendUint32(head, b.files)
	head = binary.LittleEndian.AppendUint64(head, size)
	return os.WriteFile(filepath.Join(b.dir, "headings"), slices.Concat(head, table, b.text), 0o644)
}

// bleveSize is the size of bleve's files together. A shard that has lost some of
// it is not opened at all.
func bleveSize(dir string) (total uint64, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "bleve"))
	if errors.Is(err, fs.ErrNotExist) { // no headings
		return 0, nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		total += uint64(info.Size())
	}
	return total, err
}

// removeBuilds removes what an offline build leaves where it had nothing to do.
func removeBuilds(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "scorch-offline-build*"))
	for _, path := range left {
		err = cmp.Or(err, os.RemoveAll(path))
	}
	return err
}

// numbers are those of a row in the order of the file.
func (d *shardDoc) numbers() [shardDocWords]*uint32 {
	return [...]*uint32{&d.file, &d.ordinal, &d.line, &d.level, &d.start, &d.end, &d.length, &d.strings, &d.nstrings, &d.words}
}

// openShard opens a shard for reading.
func openShard(dir, name string) (*shard, error) {
	s := &shard{name: name}
	data, err := os.ReadFile(filepath.Join(dir, name, "headings"))
	if err != nil {
		return nil, err
	}
	if err := s.readTable(data); err != nil {
		return nil, err
	}
	if size, err := bleveSize(filepath.Join(dir, name)); err != nil || size != binary.LittleEndian.Uint64(data[8:]) {
		return nil, cmp.Or(err, errDamaged)
	}
	if len(s.docs) == 0 {
		return s, nil
	}
	if err := s.openIndex(filepath.Join(dir, name)); err != nil {
		s.close()
		return nil, err
	}
	if err := s.mapWords(filepath.Join(dir, name, "bleve", "words")); err != nil {
		s.close()
		return nil, err
	}
	if n, err := s.reader.DocCount(); err != nil || n != uint64(len(s.docs)) {
		s.close()
		return nil, cmp.Or(err, errDamaged)
	}
	return s, nil
}

func (s *shard) mapWords(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.words, err = mmap.Map(f, mmap.RDONLY, 0)
	return err
}

// sequence are the hashes of a document's words in one of its parts, of [hashSize]
// each.
func (s *shard) sequence(doc uint64, part int) []byte {
	at := 4 * int(s.docs[doc].words)
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

func (s *shard) openIndex(dir string) (err error) {
	s.index, err = scorch.NewScorch(scorch.Name, map[string]any{"path": filepath.Join(dir, "bleve"), "read_only": true, "bolt_timeout": "5s"}, nil)
	if err != nil {
		return err
	}
	if err := s.index.Open(); err != nil {
		s.index = nil
		return err
	}
	s.reader, err = s.index.Reader()
	return err
}

func (s *shard) close() {
	if s.reader != nil {
		_ = s.reader.Close() // it was only read
	}
	if s.index != nil {
		_ = s.index.Close()
	}
	if s.words != nil {
		_ = s.words.Unmap()
	}
	s.reader, s.index, s.words = nil, nil, nil
}

func (s *shard) readTable(data []byte) error {
	if len(data) < shardHead {
		return errDamaged
	}
	n, files := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
	size := shardHead + 4*shardDocWords*n
	if n < 0 || files < 0 || len(data) < size || files > len(data)+1<<20 {
		return errDamaged
	}
	s.text, s.docs, s.place = data[size:], make([]shardDoc, n), make([][]uint32, files)
	at := shardHead
	for i := range s.docs {
		d := &s.docs[i]
		for _, w := range d.numbers() {
			*w = binary.LittleEndian.Uint32(data[at:])
			at += 4
		}
		if int(d.file) >= files || int(d.ordinal) >= n || int(d.strings)+int(d.nstrings) > len(s.text) {
			return errDamaged
		}
		places := &s.place[d.file]
		for len(*places) <= int(d.ordinal) {
			*places = append(*places, 0)
		}
		(*places)[d.ordinal] = uint32(i)
	}
	return nil
}

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
