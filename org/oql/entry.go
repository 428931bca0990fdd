package oql

import (
	"slices"
	"time"

	"wb/internal/value"
	"wb/org/index"
)

// Corpus is the input of a query: parsed files in a stable order.
type Corpus struct {
	Files []*File

	view *index.View // whose memory the rows lie in
}

// File is one org file flattened to rows. Entries are in document order, so an
// entry's descendants are the ones that follow it up to End.
type File struct {
	Path    string
	Title   string
	Todo    []string // open keywords, then
	DoneKey []string // done keywords, as declared
	Entries []Entry
	// Columns are those of foreign rows, as their source spells them.
	Columns []string
	// FileProps are those every entry shares: #+PROPERTY and the file's drawer.
	FileProps []Prop
	// Preamble holds the blocks, links and tables before the first headline;
	// nil when there are none.
	Preamble *Entry

	keys *value.Value // Todo and DoneKey, once asked for

	packed *packed  // rows that are decoded when asked for; Entries is nil then
	read   []*Entry // those of packed, or of log, that have been
	log    *chunk   // rows that are a piece of a log
}

// Len is the number of rows.
func (f *File) Len() int {
	switch {
	case f.packed != nil:
		return f.packed.n
	case f.log != nil:
		return f.log.n
	}
	return len(f.Entries)
}

// At is row i. It is not safe for concurrent use with itself on one file.
func (f *File) At(i int) *Entry {
	if f.packed == nil && f.log == nil {
		return &f.Entries[i]
	}
	if f.read == nil {
		f.read = make([]*Entry, f.Len())
	}
	if f.read[i] == nil {
		if f.log != nil {
			f.read[i] = f.log.entry(f.Path, i)
		} else {
			f.read[i] = f.packed.entry(i)
		}
	}
	return f.read[i]
}

// Entry is one headline with what predicates ask about. Text is the entry from
// its stars up to the next headline, whatever that one's level.
type Entry struct {
	Line, Level int
	Title       string // without keyword, priority, COMMENT and tags
	Heading     string // as org-get-heading gives it: with priority and COMMENT
	State       string
	Done        bool
	Priority    byte // 'A'…; 0 when there is no cookie
	Tags        []string
	Inherited   []string // tags of ancestors and the file, without its own
	Props       []Prop   // its own drawer, in order
	FileProps   []Prop   // shared: #+PROPERTY and the file's drawer
	Category    string
	Scheduled   *Stamp
	Deadline    *Stamp
	Closed      *Stamp
	Stamps      []Stamp // every timestamp in the entry, planning included
	Clocks      []Clock // closed clock lines
	Links       []Link
	Blocks      []Block
	Tables      []Table
	Text        string
	Body        string // Text without headline, planning and drawers

	// Cells are the columns of a row that is not a headline: a block, a link, a
	// table, an event, a row of a foreign table or of a join. Names are upper
	// case; they win over the headline's columns.
	Cells []Cell

	Parent int // index of the parent entry, -1 at the top
	End    int // index after the last descendant
}

// line is the line of row i, which needs no decoding.
func (f *File) line(i int) int {
	switch {
	case f.packed != nil:
		return int(f.packed.field(i, recLine))
	case f.log != nil:
		return f.log.line(i)
	}
	return f.Entries[i].Line
}

// Cell is one column of a row that is not a headline.
type Cell struct {
	Name  string
	Value value.Value
}

// Prop is one property; Name is upper case.
type Prop struct{ Name, Value string }

// Stamp is one timestamp. At is naive local time: org knows no zones.
type Stamp struct {
	At      time.Time
	End     time.Time // zero without a range
	HasTime bool
	Active  bool
	Repeat  string // "+1d", "++1w", ".+1m"
	Warning string // "-3d", "--2d"
}

// Clock is a closed CLOCK line.
type Clock struct {
	Start, End time.Time
	Minutes    int
}

// Link is one link; Desc is empty when the link has no description.
type Link struct {
	Target, Desc string
	Line         int
	Form         LinkForm
}

// LinkForm is how a link is written.
type LinkForm uint8

// The forms of links: [[target][description]], or a URL as it is.
const (
	BracketLink LinkForm = iota
	PlainLink
)

// Block is one source block and its result.
type Block struct {
	Name, Lang, Args, Body, Result string
	Line                           int
}

// Table is one table as rows of cells, rules left out.
type Table struct {
	Name string
	Rows [][]string
	Line int
}

// Prop returns the entry's own property, and whether it is there. The special
// properties every entry has (ITEM, TODO, PRIORITY, CATEGORY, LEVEL, FILE,
// TAGS, ALLTAGS) are answered too, as org-entry-get does.
func (e *Entry) Prop(name string) (string, bool) {
	for _, p := range e.Props {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// olp is the outline path of entry i, itself last.
func (f *File) olp(i int) []string {
	if f.packed != nil {
		var path []string
		for ; i >= 0; i = int(f.packed.field(i, recParent)) - 1 {
			path = append(path, f.packed.title(i))
		}
		slices.Reverse(path)
		return path
	}
	if f.log != nil {
		if h := f.log.run(i); h != nil && !f.log.eventsOnly {
			return []string{h.title(), f.log.title(i)}
		}
		return []string{f.log.title(i)}
	}
	var path []string
	for ; i >= 0; i = f.At(i).Parent {
		path = append(path, f.At(i).Title)
	}
	for a, b := 0, len(path)-1; a < b; a, b = a+1, b-1 {
		path[a], path[b] = path[b], path[a]
	}
	return path
}

// inherited looks a property up in entry i, its ancestors and the file.
func (f *File) inherited(i int, name string) (string, bool) {
	last := i
	for ; i >= 0; i = f.At(i).Parent {
		if v, ok := f.At(i).Prop(name); ok {
			return v, true
		}
		last = i
	}
	for _, p := range f.At(last).FileProps {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}
