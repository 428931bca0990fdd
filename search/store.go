package search

import (
	"context"
	"iter"

	"github.com/blevesearch/bleve/v2/document"
)

// ID names a document of a store: the file's number and the document's place
// in it. Ids of a file change when the file does.
type ID int64

const ordinalBits = 20

func makeID(file int64, ordinal int) ID { return ID(file<<ordinalBits | int64(ordinal)) }

// File is the number of the file a document is in.
func (id ID) File() int64 { return int64(id) >> ordinalBits }

// FileState is a file's state as known without reading it.
type FileState struct {
	ID    int64
	Stamp string // size, times and inode when it was read
	Hash  string // SHA-256 of what was read
}

// Change is a file to be put into a store; a nil File only renews the stamp.
type Change struct {
	Path  string
	State FileState
	File  *analyzed
	// Was is the hash that the store had when the file was read, "" for none.
	// Where it has another one by now, another process was there meanwhile,
	// and the change counts only while the file is still as it was read.
	Was string
}

// Match finds documents: any of the phrases, in any field.
type Match struct {
	Phrases []Phrase
	// Variants says that stems and parts count as well as the words.
	Variants bool
}

// Phrase is words that stand one after another.
type Phrase struct {
	Words  []string
	Prefix bool // the last word may go on
}

// Found is a document with the place of its text.
type Found struct {
	ID         ID
	Path       string // as it was put in
	Line       int
	Level      int
	Start, End int
	Title      string
	State      string // its keyword
	Outline    []string
	Tags       []string
	Langs      []string // of its source blocks
}

// Backend keeps analysed documents and finds those that have some words.
type Backend interface {
	// Files are all files in the store, by path.
	Files(ctx context.Context) (map[string]FileState, error)
	// Update takes in changes and drops files, all or nothing.
	Update(ctx context.Context, changes iter.Seq2[Change, error], gone []string) error
	// Match returns the BM25 score of every document that matches.
	Match(ctx context.Context, m Match) (map[ID]float64, error)
	// Near are the words of the store's documents that differ from a word by at
	// most so many letters, each with the number of documents that have it.
	Near(ctx context.Context, word string, most int, prefix, first bool) (map[string]int, error)
	// Documents are those with the ids, in no particular order.
	Documents(ctx context.Context, ids []ID) ([]Found, error)
	// Lines are the ids of a file's documents by the line of their heading.
	Lines(ctx context.Context, file int64) (map[int]ID, error)
	// Synonyms are the groups of phrases that glossaries declare to be the same.
	Synonyms(ctx context.Context) ([][]string, error)
	// Vector and SetVectors keep embeddings by the hash of what they are made of.
	Vector(ctx context.Context, key string) ([]float32, bool, error)
	SetVectors(ctx context.Context, vectors map[string][]float32) error
	Close() error
}

// field is one part of a document as it is indexed: its words, and the stems
// and parts of them.
type field struct{ words, more string }

// analyzed is a file ready to be put into a store.
type analyzed struct {
	title     string
	documents []analyzedDocument
	synonyms  [][]string
}

type analyzedDocument struct {
	Document
	title, outline, tags, body, code, result field

	fields   []document.Field // the same, as bleve wants them
	tokens   int              // words in all of them
	sequence []byte           // the words in order
}

func (an *analyzer) analyze(f File) *analyzed {
	a := &analyzed{title: f.Title, synonyms: f.Synonyms}
	for _, d := range f.Documents {
		ad := analyzedDocument{Document: d}
		for _, part := range []struct {
			to   *field
			text string
		}{
			{&ad.title, d.Title}, {&ad.tags, joined(d.Tags)}, {&ad.outline, f.Title + "\n" + joined(d.Outline)},
			{&ad.body, d.Body}, {&ad.code, d.Code}, {&ad.result, d.Result},
		} {
			*part.to = an.field(part.text)
		}
		ad.count()
		ad.Body, ad.Code, ad.Result = "", "", ""
		a.documents = append(a.documents, ad)
	}
	return a
}

func joined(texts []string) string {
	out := ""
	for _, t := range texts {
		out += t + "\n"
	}
	return out
}
