package search

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/document"
	api "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
)

// The fields of bleve's documents: words as they are written in any part of a
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

// once gives the weight of a word that stands once in the body of a heading, as most
// do. Bleve keeps a word of one heading whose frequency is 1 in its dictionary alone,
// so that this weight is written as 1; nothing weighs as little by itself.
func once(field string) int {
	if field == writtenField {
		return int(weights[0][3])
	}
	return int(weights[1][3])
}

// packed is a weight as it is written, and a written one as it was.
func packed(field string, weight int) int {
	switch weight {
	case 1:
		return once(field)
	case once(field):
		return 1
	}
	return weight
}

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
func (f *countedField) AnalyzedLength() int                            { return 1 } // lengths are in the table of headings
func (f *countedField) AnalyzedTokenFrequencies() api.TokenFrequencies { return f.counts }
func (f *countedField) NumPlainTextBytes() uint64                      { return 0 }
func (f *countedField) Size() int                                      { return 64 * len(f.counts) }

// idField is the name of a document, which bleve asks for and we do not need: a
// heading is known by its number.
type idField struct{ countedField }

func (f *idField) Name() string                      { return "_id" }
func (f *idField) Options() api.FieldIndexingOptions { return api.StoreField }

// count makes bleve's fields of a document, and the sequence of its words: for
// each part, how many there are and the hash of each. Phrases are looked for in
// that sequence: bleve's own places of words take five bytes each and twice the
// time to write.
func (d *analyzedDocument) count() {
	all := [parts]field{d.title, d.outline, d.tags, d.body, d.code, d.result}
	size := [2]int{}
	for _, part := range all {
		size[0] += len(part.words)
		size[1] += len(part.more)
	}
	written, variants := newCounter(writtenField, size[0]), newCounter(variantField, size[1])
	for i, part := range all {
		at := len(d.sequence)
		d.sequence = append(d.sequence, 0, 0, 0, 0)
		n := written.add(part.words, weights[0][i], func(word string) {
			d.sequence = appendHash(d.sequence, word)
		})
		binary.LittleEndian.PutUint32(d.sequence[at:], uint32(n))
		d.tokens += n + variants.add(part.more, weights[1][i], func(string) {})
	}
	d.fields = append(d.fields, &idField{})
	for _, c := range []*countedField{written, variants} {
		if len(c.counts) > 0 {
			c.pack()
			d.fields = append(d.fields, c)
		}
	}
}

// newCounter has room for the words of a text of so many bytes.
func newCounter(name string, size int) *countedField {
	return &countedField{name: name, counts: make(api.TokenFrequencies, size/12)}
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
			f.slab = append(f.slab, api.TokenFreq{}) // bleve takes the term from counts
			freq = &f.slab[len(f.slab)-1]
			f.counts[word] = freq
		}
		freq.SetFrequency(freq.Frequency() + int(weight))
	}
	return n
}

func (f *countedField) pack() {
	for _, freq := range f.counts {
		freq.SetFrequency(packed(f.name, freq.Frequency()))
	}
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
	dir      string            // of the shard, while it is made
	batch    []api.Document    // headings that no segment has yet
	segments []segment.Segment // of the batches before
	counts   []byte            // of files: how many headings each has
	rows     []byte            // of headings
	text     []byte            // their strings
	words    []byte            // their words
	headings int
	files    uint32
}

// buildBatch is how many headings become one segment, of which a shard has one in
// the end.
const buildBatch = 20000

func newShardBuilder(dir string) (*shardBuilder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &shardBuilder{dir: dir}, nil
}

// add takes in a file and returns its number in the shard and how many tokens
// it has.
func (b *shardBuilder) add(f *analyzed) (number uint32, tokens uint64, err error) {
	number = b.files
	b.files++
	b.counts = binary.AppendUvarint(b.counts, uint64(len(f.documents)))
	before := shardDoc{}
	for i := range f.documents {
		d := &f.documents[i]
		doc := document.NewDocument("")
		for _, field := range d.fields {
			doc.AddField(field)
		}
		b.batch = append(b.batch, doc)
		b.headings++
		tokens += uint64(d.tokens)
		text := len(b.text)
		for _, list := range [][]string{{d.Title, d.State}, d.Outline, d.Tags, d.Langs} {
			b.text = binary.AppendUvarint(b.text, uint64(len(list)))
			for _, s := range list {
				b.text = append(binary.AppendUvarint(b.text, uint64(len(s))), s...)
			}
		}
		row := shardDoc{line: uint32(d.Line), level: uint32(d.Level), start: uint32(d.Start), end: uint32(d.End),
			length: uint32(d.tokens), nstrings: uint32(len(b.text) - text), nwords: uint32(len(d.sequence))}
		b.rows = row.append(b.rows, &before)
		before = row
		b.words = append(b.words, d.sequence...)
		d.sequence, d.fields = nil, nil
		if len(b.batch) == buildBatch {
			if err := b.flush(); err != nil {
				return 0, 0, err
			}
		}
	}
	return number, tokens, nil
}

// flush makes a segment of the headings that have none.
func (b *shardBuilder) flush() error {
	if len(b.batch) == 0 {
		return nil
	}
	s, _, err := (&zap.ZapPlugin{}).New(b.batch)
	b.batch = nil
	b.segments = append(b.segments, s)
	return err
}

// close finishes the shard. One without headings has no segment.
func (b *shardBuilder) close(ctx context.Context) error {
	if err := b.flush(); err != nil {
		return err
	}
	size := uint64(0)
	if len(b.segments) > 0 {
		path := filepath.Join(b.dir, segmentFile)
		if err := b.writeSegment(ctx, path); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		size = uint64(info.Size()) + uint64(len(b.words))
		if err := os.WriteFile(filepath.Join(b.dir, wordsFile), b.words, 0o644); err != nil {
			return err
		}
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(b.headings))
	head = binary.LittleEndian.AppendUint32(head, b.files)
	head = binary.LittleEndian.AppendUint64(head, size)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(b.counts)+len(b.rows)))
	return os.WriteFile(filepath.Join(b.dir, tableFile), slices.Concat(head, b.counts, b.rows, b.text), 0o644)
}

func (b *shardBuilder) writeSegment(ctx context.Context, path string) error {
	if len(b.segments) == 1 {
		return b.segments[0].(segment.UnpersistedSegment).Persist(path)
	}
	stop := make(chan struct{})
	defer context.AfterFunc(ctx, func() { close(stop) })()
	dropped := make([]*roaring.Bitmap, len(b.segments)) // none
	_, _, err := (&zap.ZapPlugin{}).Merge(b.segments, dropped, path, stop, nil)
	if err != nil {
		return fmt.Errorf("merge segments: %w", err)
	}
	return nil
}
