package oql

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/org"
)

// Flatten makes a parsed org file into rows. The text before the first
// headline is not a row, but its blocks, links and tables are kept in a row of
// level 0 that only the other row kinds show.
func Flatten(path string, doc *org.Document) *File {
	f := &File{Path: path}
	f.flatten(doc, doc.Headlines(), f)
	return f
}

// sink is where a [flattener] puts what it makes, in document order.
type sink interface {
	add(e *Entry)
	end(row, end int) // the row's descendants end before row end
}

func (f *File) add(e *Entry)     { f.Entries = append(f.Entries, *e) }
func (f *File) end(row, end int) { f.Entries[row].End = end }

// flatten sets what belongs to the file, and adds a row for each headline.
func (f *File) flatten(doc *org.Document, headlines iter.Seq[org.Headline], into sink) {
	for _, k := range doc.Todo().List {
		if k.Done {
			f.DoneKey = append(f.DoneKey, k.Name)
		} else {
			f.Todo = append(f.Todo, k.Name)
		}
	}
	if title, ok := doc.Setting("TITLE"); ok {
		f.Title = title.Text
	}
	f.FileProps = fileProperties(doc)
	fl := &flattener{doc: doc, file: f, fileProps: f.FileProps, rows: into}
	category := strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
	if c, ok := doc.Setting("CATEGORY"); ok {
		category = c.Text
	}
	for _, p := range fl.fileProps {
		if p.Name == "CATEGORY" {
			category = p.Value
		}
	}
	fl.preamble(category)
	fl.open = []opened{{row: -1, below: doc.Presets().Inherits(doc.FileTags()), category: category}}
	for h := range headlines {
		fl.close(h.Level)
		fl.headline(h)
	}
	fl.close(1)
}

type flattener struct {
	doc       *org.Document
	file      *File
	fileProps []Prop
	rows      sink
	entry     Entry    // the row being made
	count     int      // of rows so far
	open      []opened // the file, and the headlines that the next one may lie below
}

// opened is a headline, and what those below it take from it.
type opened struct {
	row, level int
	below      []string // tags
	category   string
}

// close ends the rows of headlines that none of a level lies below.
func (fl *flattener) close(level int) {
	for last := len(fl.open) - 1; fl.open[last].level >= level; last-- {
		fl.rows.end(fl.open[last].row, fl.count)
		fl.open = fl.open[:last]
	}
}

// preamble gathers what stands before the first headline.
func (fl *flattener) preamble(category string) {
	end := 0
	e := Entry{Category: category, Parent: -1, FileProps: fl.fileProps, Title: fl.file.Title}
	for c := range fl.doc.Root().Children() {
		if c.Kind() == org.KindHeadline {
			break
		}
		fl.elements(&e, c)
		end = c.End()
	}
	e.Links = links(fl.doc, org.Span{End: end})
	if len(e.Blocks)+len(e.Links)+len(e.Tables) > 0 {
		fl.file.Preamble = &e
	}
}

func (fl *flattener) headline(h org.Headline) {
	above := fl.open[len(fl.open)-1]
	e := &fl.entry
	*e = Entry{
		Level: h.Level, Title: h.Title.Text, State: h.Keyword.Text, Done: h.Done,
		Tags: h.LocalTags(), Inherited: above.below, Parent: above.row, FileProps: fl.fileProps, Category: above.category,
	}
	e.Line, _ = fl.doc.Position(h.Start())
	e.Heading = e.Title
	if h.Comment {
		e.Heading = "COMMENT " + e.Heading
	}
	if h.Priority.Present() {
		e.Priority = h.Priority.Text[0]
		e.Heading = "[#" + h.Priority.Text + "] " + e.Heading
	}
	if h.Priority.Present() && !h.Comment { // as it stands in the text, mostly, and takes no memory of its own
		if text := fl.doc.Text(org.Span{Start: h.Priority.Start - len("[#"), End: h.Title.End}); text == e.Heading {
			e.Heading = text
		}
	}
	for p := range h.Properties() {
		e.addProp(p)
	}
	if c, ok := e.Prop("CATEGORY"); ok {
		e.Category = c
	}
	if p, ok := h.Planning(); ok {
		e.Scheduled, e.Deadline, e.Closed = stamp(p.Scheduled), stamp(p.Deadline), stamp(p.Closed)
	}
	text := org.Span{Start: h.Start(), End: h.Body().End}
	e.Text, e.Body = fl.doc.Text(text), fl.doc.Text(h.Body())
	e.Stamps = stamps(e.Text)
	e.Links = links(fl.doc, text)
	for c := range h.Children() {
		if c.Kind() != org.KindHeadline {
			fl.elements(e, c)
		}
	}
	below := above.below
	for _, tag := range fl.doc.Presets().Inherits(e.Tags) {
		if !slices.Contains(below, tag) {
			below = append(slices.Clip(below), tag)
		}
	}
	fl.open = append(fl.open, opened{fl.count, h.Level, below, e.Category})
	fl.rows.add(e)
	fl.count++
}

// addProp adds a drawer line; KEY+ adds to what the drawer said before.
func (e *Entry) addProp(p org.Property) {
	name := strings.ToUpper(p.Key.Text)
	for i := range e.Props {
		if e.Props[i].Name == name {
			if p.Append {
				e.Props[i].Value = strings.TrimSpace(e.Props[i].Value + " " + p.Value.Text)
			}
			return
		}
	}
	e.Props = append(e.Props, Prop{name, p.Value.Text})
}

// fileProperties are #+PROPERTY lines and the drawer at the top of the file.
func fileProperties(doc *org.Document) []Prop {
	var e Entry
	for k := range doc.Keywords("PROPERTY") {
		name, val, _ := strings.Cut(k.Value.Text, " ")
		more := strings.HasSuffix(name, "+")
		name = strings.ToUpper(strings.TrimSuffix(name, "+"))
		val = strings.TrimSpace(val)
		i := slices.IndexFunc(e.Props, func(p Prop) bool { return p.Name == name })
		switch {
		case i < 0:
			e.Props = append(e.Props, Prop{name, val})
		case more:
			e.Props[i].Value = strings.TrimSpace(e.Props[i].Value + " " + val)
		default:
			e.Props[i].Value = val
		}
	}
	for c := range doc.Root().Children() {
		if c.Kind() == org.KindPropertyDrawer {
			for line := range c.Children() {
				if p, ok := line.Property(); ok {
					e.addProp(p)
				}
			}
		}
	}
	return e.Props
}

// elements collects blocks, tables and clocks at and below a node.
func (fl *flattener) elements(e *Entry, n *org.Node) {
	for c := range n.Walk() {
		switch c.Kind() {
		case org.KindSrcBlock:
			if b, ok := c.Block(); ok {
				line, _ := fl.doc.Position(b.Begin.Start)
				e.Blocks = append(e.Blocks, Block{Name: c.Name().Text, Lang: b.Lang.Text, Args: b.Args.Text,
					Body: fl.doc.Text(b.Body), Result: fl.result(c), Line: line})
			}
		case org.KindTable:
			if t, ok := c.Table(); ok {
				e.Tables = append(e.Tables, fl.table(t))
			}
		case org.KindClock:
			if k, ok := c.Clock(); ok && !k.Running() && k.Time.Present() {
				e.Clocks = append(e.Clocks, Clock{moment(k.Time.From), moment(k.Time.To), k.Minutes()})
			}
		}
	}
}

// result is the text of the result that follows a block, "" without one.
func (fl *flattener) result(block *org.Node) string {
	for n := block.Next(); n != nil; n = n.Next() {
		if n.Kind() == org.KindBlank {
			continue
		}
		for _, k := range n.Affiliated() {
			if k.Name() == "RESULTS" {
				return strings.TrimSpace(fl.doc.Text(org.Span{Start: k.End(), End: n.End()}))
			}
		}
		return ""
	}
	return ""
}

func (fl *flattener) table(t org.Table) Table {
	out := Table{Name: t.Name().Text}
	out.Line, _ = fl.doc.Position(t.Start())
	for _, row := range t.Rows {
		if row.Rule {
			continue
		}
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = c.Text
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

func moment(m org.Moment) time.Time { return m.Time(time.UTC) }

func stamp(t org.Timestamp) *Stamp {
	if !t.Present() || t.Diary != "" { // the 30th of February is early in March, for Emacs too
		return nil
	}
	s := Stamp{At: moment(t.From), HasTime: t.From.HasTime, Active: t.Active, Repeat: shiftText(t.Repeat), Warning: shiftText(t.Warn)}
	if t.Range {
		s.End = moment(t.To)
	}
	return &s
}

func shiftText(s org.Shift) string {
	if s.Mark == "" {
		return ""
	}
	return s.Mark + itoa(s.Count) + string(rune(s.Unit))
}

func itoa(n int) string { return plainText(tidyNumber(float64(n))) }
