package oql

import (
	"slices"
	"strings"

	"wb/internal/value"
)

// column answers a field of row i from its record and its details, without
// making an entry of it.
func (p *packed) column(i int, name string) (v value.Value, has bool) {
	switch strings.ToLower(name) {
	case "level":
		return value.OfInt(int64(p.field(i, recLevel))), true
	case "title", "heading":
		return value.OfString(p.title(i)), true
	case "state", "todo":
		state := p.names[p.field(i, recState)]
		return textOrNull(state), state != ""
	case "tags":
		return stringsValue(p.set(p.field(i, recTags))), true
	case "alltags":
		return stringsValue(slices.Concat(p.set(p.field(i, recInherited)), p.set(p.field(i, recTags)))), true
	case "props":
		return propsValue(p.details(i).props), true
	case "scheduled":
		s := p.details(i).scheduled
		return stampValue(s), s != nil
	case "deadline":
		s := p.details(i).deadline
		return stampValue(s), s != nil
	case "closed":
		s := p.details(i).closed
		return stampValue(s), s != nil
	case "priority":
		c := byte(p.field(i, recFlags) >> 24)
		if c == 0 {
			return value.Nil(), false
		}
		return value.OfString(string(rune(c))), true
	case "category":
		category := p.names[p.field(i, recCategory)]
		return textOrNull(category), category != ""
	case "olp":
		return stringsValue(p.file.olp(i)), true
	case "path", "file":
		return value.OfString(p.file.Path), true
	case "line":
		return value.OfInt(int64(p.field(i, recLine))), true
	case "todo_keywords":
		return p.file.keywords(), true
	case "body":
		return value.OfString(p.heap[p.field(i, recBody):p.field(i, recBodyStop)]), true
	case "kind":
		if tags := p.set(p.field(i, recTags)); len(tags) > 0 {
			return value.OfString(tags[0]), true
		}
	}
	id := slices.Index(p.names, strings.ToUpper(name))
	if id < 0 {
		return value.Nil(), false
	}
	text, has := p.prop(i, id)
	if !has {
		return value.Nil(), false
	}
	return value.OfString(text), true
}

// details are the first columns in the details of a row.
type details struct {
	props                       []Prop
	scheduled, deadline, closed *Stamp
}

func (p *packed) details(i int) (out details) {
	flags := p.field(i, recFlags)
	d := decoder{p: p, at: int(headWord(p.data, headDetails) + p.field(i, recDetails))}
	if flags&flagProps != 0 {
		out.props = d.props()
	}
	out.scheduled, out.deadline, out.closed = d.planned(flags, flagScheduled), d.planned(flags, flagDeadline), d.planned(flags, flagClosed)
	return out
}

// planned decodes a timestamp of the planning line, if the flag says there is one.
func (d *decoder) planned(flags, flag uint32) *Stamp {
	if flags&flag == 0 {
		return nil
	}
	s := d.stamp()
	return &s
}

func propsValue(props []Prop) value.Value {
	fields := make([]value.Field, len(props))
	for k, p := range props {
		fields[k] = value.Field{Name: p.Name, Value: value.OfString(p.Value)}
	}
	return value.OfObject(fields...)
}

// keywords are the file's keywords as a value, made once.
func (f *File) keywords() value.Value {
	if f.keys == nil {
		v := stringsValue(slices.Concat(f.Todo, f.DoneKey))
		f.keys = &v
	}
	return *f.keys
}
