package agenda

import (
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// File is a document as the agenda sees it.
type File struct {
	Path    string
	Entries []*Entry
}

// Entry is a headline that the agenda may show.
type Entry struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	ID       string   `json:"id,omitempty"`
	Level    int      `json:"level"`
	Title    string   `json:"title"`
	State    string   `json:"state,omitempty"`
	Done     bool     `json:"done,omitempty"`
	Priority string   `json:"priority,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Category string   `json:"category"`
	// Outline is the path of headings above it.
	Outline []string `json:"outline,omitempty"`

	props     map[string]string
	stateRank int    // of the keyword among those declared
	inherited int    // how many of Tags are
	head      string // the headline behind its stars
	body      string
	scheduled *stamp
	deadline  *stamp
	closed    *stamp
	stamps    []stamp // active ones in the text
	ranges    []stamp // of several days, or of one
	habit     *habit
}

// Property is a property of the entry, its own or inherited; names are upper case.
func (e *Entry) Property(name string) string { return e.props[strings.ToUpper(name)] }

// Dated reports whether the entry has a date.
func (e *Entry) Dated() bool {
	return e.scheduled != nil || e.deadline != nil || len(e.stamps) > 0 || len(e.ranges) > 0
}

// Read collects the entries of a document. Below COMMENT headlines and those with
// the tag ARCHIVE there are none, as in Org's agenda.
func Read(path string, doc *org.Document) *File {
	r := &reader{doc: doc, file: &File{Path: path}, category: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	if slices.Contains(doc.FileTags(), "ARCHIVE") {
		return r.file
	}
	for c := range doc.Root().Children() {
		if h, ok := c.Headline(); ok {
			r.headline(h, doc.FileTags(), nil)
		}
	}
	return r.file
}

type reader struct {
	doc      *org.Document
	file     *File
	category string // of a file that names none
}

func (r *reader) headline(h org.Headline, inherited, outline []string) {
	if h.Comment || h.Archived() {
		return
	}
	inherited = r.doc.Presets().Inherits(inherited)
	e := &Entry{File: r.file.Path, Level: h.Level, Title: h.Title.Text, State: h.Keyword.Text, Done: h.Done,
		Priority: h.Priority.Text, Outline: outline, props: r.doc.Properties(h)}
	e.Line, _ = r.doc.Position(h.Start())
	e.stateRank = slices.IndexFunc(r.doc.Todo().List, func(k org.TodoKeyword) bool { return k.Name == e.State })
	e.ID, _ = h.Property("ID")
	e.Category = r.category
	if c, ok := r.doc.Setting("CATEGORY"); ok {
		e.Category = c.Text
	}
	if c, ok := e.props["CATEGORY"]; ok {
		e.Category = c
	}
	local := h.LocalTags()
	for _, tag := range inherited {
		if !slices.Contains(local, tag) {
			e.Tags = append(e.Tags, tag)
		}
	}
	e.inherited = len(e.Tags)
	e.Tags = append(e.Tags, local...)
	line := strings.TrimRight(r.doc.Text(h.Line), "\r\n")
	e.head = strings.Trim(line[h.Level:], " \t")
	e.body = r.doc.Text(h.Body())
	r.dates(e, h)
	e.habit = readHabit(e, h, r.doc)
	r.file.Entries = append(r.file.Entries, e)
	below := slices.Clone(inherited)
	for _, tag := range local {
		if !slices.Contains(below, tag) {
			below = append(below, tag)
		}
	}
	path := append(slices.Clip(outline), h.Title.Text)
	for sub := range h.Subs() {
		r.headline(sub, below, path)
	}
}

// dates reads the timestamps of an entry.
func (r *reader) dates(e *Entry, h org.Headline) {
	planned := org.Span{}
	if p, ok := h.Planning(); ok {
		planned = p.Span()
		read := func(t org.Timestamp, active bool) *stamp {
			if !t.Present() || t.Active != active || t.Diary != "" {
				return nil
			}
			s := newStamp(r.doc.Text(t.Span), t, t.Start)
			return &s
		}
		e.scheduled, e.deadline, e.closed = read(p.Scheduled, true), read(p.Deadline, true), read(p.Closed, false)
	}
	whole := org.Span{Start: h.Start(), End: h.Body().End}
	text := r.doc.Text(whole)
	skip := r.skipped(h)
	pair := 0 // the end of the last range
	for _, at := range activePattern.FindAllStringIndex(text, -1) {
		place := whole.Start + at[0]
		if slices.ContainsFunc(skip, func(s org.Span) bool { return s.Start <= place && place < s.End }) {
			continue
		}
		if m := rangePattern.FindStringSubmatchIndex(text[at[0]:]); m != nil && at[0] >= pair {
			from, ok1 := org.ParseTimestamp("<" + text[at[0]+m[2]:at[0]+m[3]] + ">")
			to, ok2 := org.ParseTimestamp("<" + text[at[0]+m[4]:at[0]+m[5]] + ">")
			if ok1 && ok2 {
				pair = at[0] + m[1]
				e.ranges = append(e.ranges, stamp{text: text[at[0]+1 : pair-1], at: from.From, end: to.From, place: place})
				continue
			}
		}
		if at[0] < pair || place >= planned.Start && place < planned.End || !r.doc.CountsAsTimestamp(place) {
			continue
		}
		if t, ok := org.ParseTimestamp(text[at[0]:at[1]]); ok {
			s := newStamp(text[at[0]:at[1]], t, place)
			if !lastRepeats.MatchString(s.text) { // only then does Org look for repetitions
				s.every = 0
			}
			e.stamps = append(e.stamps, s)
		}
	}
}

var (
	activePattern = lazyregexp.New(`<\d{4}-\d\d-\d\d(?: [^>\n]*)?>`)
	rangePattern  = lazyregexp.New(`^<(\d{4}-\d\d-\d\d(?: [^>\n]*)?)>--?-?<(\d{4}-\d\d-\d\d(?: [^>\n]*)?)>`)
	lastRepeats   = lazyregexp.New(`\+[0-9]+[hdwmy]$`)
)

// skipped are the parts of an entry in which nothing is a date: comments and the
// code of blocks.
func (r *reader) skipped(h org.Headline) (list []org.Span) {
	for c := range h.Children() {
		if c.Kind() == org.KindHeadline {
			break
		}
		for n := range c.Walk() {
			switch n.Kind() {
			case org.KindComment, org.KindSrcBlock:
				list = append(list, n.Span())
			}
		}
	}
	return list
}
