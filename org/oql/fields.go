package oql

import (
	"strconv"
	"strings"

	"wb/internal/value"
)

// headlineColumns are the fields of a headline row: the eight that every wb
// version has had, then the rest.
var headlineColumns = []string{
	"level", "title", "state", "id", "tags", "props", "scheduled", "deadline",
	"priority", "category", "olp", "path", "line", "todo_keywords", "body",
}

// otherColumns can be asked for as well: other names of those, and what is rarely shown.
var otherColumns = []string{"heading", "todo", "alltags", "closed", "file", "kind"}

// Field returns a column of row i as a value, and whether the row has it.
// Names are case-insensitive; what is not a column is a property.
func (f *File) Field(i int, name string) (value.Value, bool) {
	if f.log != nil {
		if v, has, ok := f.log.column(f.Path, i, name); ok {
			return v, has
		}
	}
	if f.packed != nil && (f.read == nil || f.read[i] == nil) {
		return f.packed.column(i, name)
	}
	h := f.At(i)
	lower := strings.ToLower(name)
	if v, ok := h.own(strings.ToUpper(name)); ok {
		return v, true
	}
	switch lower {
	case "level":
		return value.OfInt(int64(h.Level)), true
	case "title", "heading":
		return value.OfString(h.Title), true
	case "state", "todo":
		return textOrNull(h.State), h.State != ""
	case "tags":
		return stringsValue(h.Tags), true
	case "alltags":
		return stringsValue(append(append([]string(nil), h.Inherited...), h.Tags...)), true
	case "props":
		return propsValue(h.Props), true
	case "scheduled":
		return stampValue(h.Scheduled), h.Scheduled != nil
	case "deadline":
		return stampValue(h.Deadline), h.Deadline != nil
	case "closed":
		return stampValue(h.Closed), h.Closed != nil
	case "priority":
		if h.Priority == 0 {
			return value.Nil(), false
		}
		return value.OfString(string(rune(h.Priority))), true
	case "category":
		return textOrNull(h.Category), h.Category != ""
	case "olp":
		return stringsValue(f.olp(i)), true
	case "path", "file":
		return value.OfString(f.Path), true
	case "line":
		return value.OfInt(int64(h.Line)), true
	case "todo_keywords":
		return f.keywords(), true
	case "body":
		return value.OfString(h.Body), true
	case "kind":
		if len(h.Tags) > 0 {
			return value.OfString(h.Tags[0]), true
		}
	}
	if v, ok := h.Prop(strings.ToUpper(name)); ok {
		return value.OfString(v), true
	}
	return value.Nil(), false
}

// own answers the columns that a block, link, table or foreign row brings
// itself; they stand in Cells and win over the headline's.
func (h *Entry) own(upper string) (value.Value, bool) {
	for _, c := range h.Cells {
		if c.Name == upper {
			return c.Value, true
		}
	}
	return value.Nil(), false
}

// fieldText is the column as text, for comparison with a constant. Null has none.
func fieldText(f *File, i int, name string) (string, bool) {
	v, ok := f.Field(i, name)
	if !ok || v.IsNull() {
		return "", false
	}
	return plainText(v), true
}

// plainText shows a value in one cell of text.
func plainText(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return ""
	case value.Bool:
		return strconv.FormatBool(v.Bool())
	case value.Int:
		return v.String()
	case value.Float:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case value.String:
		return v.Text()
	case value.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = plainText(item)
		}
		return strings.Join(parts, " ")
	case value.Object:
		if at, ok := v.Get("at"); ok {
			return at.Text()
		}
		parts := make([]string, len(v.Fields()))
		for i, m := range v.Fields() {
			parts[i] = m.Name + "=" + plainText(m.Value)
		}
		return strings.Join(parts, " ")
	}
	return ""
}

func textOrNull(s string) value.Value {
	if s == "" {
		return value.Nil()
	}
	return value.OfString(s)
}

func stringsValue(words []string) value.Value {
	items := make([]value.Value, len(words))
	for i, w := range words {
		items[i] = value.OfString(w)
	}
	return value.OfList(items...)
}

// stampValue is {"at","end","repeat","warning","active"}.
func stampValue(s *Stamp) value.Value {
	if s == nil {
		return value.Nil()
	}
	layout := "2006-01-02"
	if s.HasTime {
		layout = "2006-01-02T15:04"
	}
	end := value.Nil()
	if !s.End.IsZero() {
		end = value.OfString(s.End.Format(layout))
	}
	return value.OfObject(
		value.Field{Name: "at", Value: value.OfString(s.At.Format(layout))},
		value.Field{Name: "end", Value: end},
		value.Field{Name: "repeat", Value: textOrNull(s.Repeat)},
		value.Field{Name: "warning", Value: textOrNull(s.Warning)},
		value.Field{Name: "active", Value: value.OfBool(s.Active)},
	)
}

// number reads a value as a number, for aggregates and numeric output.
func number(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.Int, value.Float:
		return v.Float(), true
	case value.String:
		return parseNumber(v.Text())
	}
	return 0, false
}

// scalar turns text that is exactly how a number is written into that number.
func scalar(v value.Value) value.Value {
	if v.Kind() != value.String {
		return v
	}
	text := v.Text()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
		return value.OfInt(n)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && strconv.FormatFloat(x, 'f', -1, 64) == text {
		return value.OfFloat(x)
	}
	return v
}
