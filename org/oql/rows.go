package oql

import (
	"slices"
	"strings"

	"wb/internal/value"
)

// RowKinds are the sources that are not files: what rows are made of.
var RowKinds = []string{"headlines", "blocks", "links", "tables", "events", "runs"}

// defaultColumns are shown when a query selects none.
var defaultColumns = map[string][]string{
	"headlines": headlineColumns,
	"blocks":    {"name", "lang", "args", "body", "result", "title", "path", "line"},
	"links":     {"target", "description", "title", "path", "line"},
	"tables":    {"name", "rows", "width", "cells", "title", "path", "line"},
	"events":    {"kind", "title", "run", "call", "step", "component", "agent", "tool", "lang", "exit", "dur_ms", "fuel", "cache", "ts", "body"},
	"runs":      {"id", "workbook", "agent", "started", "status", "dur_ms", "calls", "errors", "fuel", "tokens_in", "tokens_out", "cost_usd", "path", "line"},
}

// foreignRows are rows that came from no org file.
const foreignRows = "foreign"

// columnsOf are the columns shown of rows of a kind, then those that their files
// say: the columns of foreign rows, and what joins brought.
func columnsOf(kind string, c *Corpus) []string {
	names := slices.Clone(defaultColumns[kind])
	for _, f := range c.Files {
		for _, name := range f.Columns {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// derive makes a file's rows of one kind. Headlines are the file itself.
func derive(f *File, kind string) *File {
	out := &File{Path: f.Path, Title: f.Title, Todo: f.Todo, DoneKey: f.DoneKey}
	if f.log != nil && kind == "events" {
		out.log = f.log
		out.log.eventsOnly = true
		return out
	}
	switch kind {
	case "headlines", foreignRows:
		return f
	case "blocks":
		eachEntry(f, flagBlock, func(h *Entry) {
			for _, b := range h.Blocks {
				row := rowOf(h, b.Line, cell("NAME", b.Name), cell("LANG", b.Lang), cell("ARGS", b.Args), cell("BODY", b.Body), cell("RESULT", b.Result))
				row.Blocks, row.Text = []Block{b}, b.Name+"\n"+b.Body+"\n"+b.Result
				out.Entries = append(out.Entries, row)
			}
		})
	case "links":
		eachEntry(f, flagLink, func(h *Entry) {
			for _, l := range h.Links {
				row := rowOf(h, l.Line, cell("TARGET", l.Target), cell("DESCRIPTION", l.Desc))
				row.Links, row.Text = []Link{l}, l.Target+"\n"+l.Desc
				out.Entries = append(out.Entries, row)
			}
		})
	case "tables":
		eachEntry(f, flagTable, func(h *Entry) {
			for _, t := range h.Tables {
				out.Entries = append(out.Entries, tableRow(h, t))
			}
		})
	case "events":
		for i := range f.Len() {
			if isEvent(f.At(i)) {
				h := *f.At(i)
				h.Parent, h.End = -1, len(out.Entries)+1
				out.Entries = append(out.Entries, h)
			}
		}
	case "runs":
		out.Entries = runRows(f)
	}
	return out
}

// eachEntry visits the entries that have what flag says.
func eachEntry(f *File, flag uint32, do func(*Entry)) {
	if f.Preamble != nil {
		do(f.Preamble)
	}
	for i := range f.Len() {
		if f.packed == nil || f.packed.field(i, recFlags)&flag != 0 {
			do(f.At(i))
		}
	}
}

// rowOf copies what predicates ask of the headline a row stands under.
func rowOf(h *Entry, line int, cells ...Cell) Entry {
	row := *h
	row.Line, row.Cells, row.Parent = line, cells, -1
	row.Blocks, row.Links, row.Tables = nil, nil, nil
	return row
}

func cell(name, text string) Cell { return Cell{name, textOrNull(text)} }

func tableRow(h *Entry, t Table) Entry {
	rows := make([]value.Value, len(t.Rows))
	width := 0
	var text strings.Builder
	for i, r := range t.Rows {
		rows[i] = stringsValue(r)
		width = max(width, len(r))
		text.WriteString(strings.Join(r, " ") + "\n")
	}
	row := rowOf(h, t.Line, cell("NAME", t.Name), Cell{"ROWS", value.OfInt(int64(len(t.Rows)))},
		Cell{"WIDTH", value.OfInt(int64(width))}, Cell{"CELLS", value.OfList(rows...)})
	row.Tables, row.Text = []Table{t}, text.String()
	return row
}

// eventTags are the kinds of event a run records.
var eventTags = []string{"component_start", "component_end", "cache_hit", "compile", "model_turn", "tool_call",
	"denial", "retry", "approval", "log", "artifact", "error", "result"}

func isEvent(h *Entry) bool {
	return slices.ContainsFunc(h.Tags, func(tag string) bool { return slices.Contains(eventTags, tag) })
}

// runRows makes one row a run: its header's properties and its result's. Rows
// belong together by RUN, never by nesting.
func runRows(f *File) []Entry {
	var rows []Entry
	at := map[string]int{}
	for i := range f.Len() {
		h := *f.At(i)
		if !slices.Contains(h.Tags, "run") && !slices.Contains(h.Tags, "session") {
			continue
		}
		id, _ := h.Prop("ID")
		at[id] = len(rows)
		h.Parent, h.End = -1, len(rows)+1
		rows = append(rows, h)
	}
	for i := range f.Len() {
		h := f.At(i)
		run, ok := h.Prop("RUN")
		k, known := at[run]
		if !ok || !known || !slices.Contains(h.Tags, "result") {
			continue
		}
		for _, p := range h.Props {
			rows[k].Props = append(slices.Clip(rows[k].Props), p)
		}
		rows[k].Body = h.Body
	}
	return rows
}
