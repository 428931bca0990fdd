package federate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"wb/org"
)

// deletedTag marks the headline of a row that is not in its table any more.
const deletedTag = "deleted"

// Report says what a mirror changed.
type Report struct {
	Entity    string   `json:"entity"`
	File      string   `json:"file"`
	Rows      int      `json:"rows"`
	Added     []string `json:"added"`
	Updated   []string `json:"updated"`
	Deleted   []string `json:"deleted"`
	Restored  []string `json:"restored"`
	Unchanged int      `json:"unchanged"`
}

// Changed reports whether anything is to be written.
func (r *Report) Changed() bool {
	return len(r.Added)+len(r.Updated)+len(r.Deleted)+len(r.Restored) > 0
}

// NewMirror is the file that rows of an entity are mirrored to at first.
func NewMirror(entity string) string {
	return fmt.Sprintf("#+TITLE: %s (synced)\n#+SYNCED_FROM: %s\n", entity, entity)
}

// Mirror works out the edits that make a document show the rows of an entity:
// one headline a row, found again by its ID, with the columns as properties.
// The title and the properties follow the table. Everything else belongs to the
// reader and stays as it is: the headline's place, keyword, priority, tags and
// text, and properties that are not columns. A row that is gone leaves its
// headline, tagged :deleted:; one that comes back loses the tag.
func Mirror(doc *org.Document, entity string, rows []Row) ([]org.Edit, *Report, error) {
	report := &Report{Entity: entity, Rows: len(rows)}
	known := map[string]org.Headline{}
	var order []string
	prefix := entity + ":"
	for h := range doc.Headlines() {
		id, ok := h.Property("ID")
		if !ok || !strings.HasPrefix(id, prefix) {
			continue
		}
		if _, twice := known[id]; twice {
			line, _ := doc.Position(h.Start())
			return nil, nil, fmt.Errorf("line %d: a second headline with the ID %s", line, id)
		}
		known[id] = h
		order = append(order, id)
	}
	var edits []org.Edit
	var added strings.Builder
	seen := map[string]bool{}
	for _, row := range rows {
		id := prefix + rowKey(row)
		if seen[id] {
			return nil, nil, fmt.Errorf("entity %s: two rows have the key %s", entity, strings.TrimPrefix(id, prefix))
		}
		seen[id] = true
		h, ok := known[id]
		if !ok {
			report.Added = append(report.Added, id)
			added.WriteString(newHeadline(doc, id, row))
			continue
		}
		own, err := update(doc, h, row)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case h.HasTag(deletedTag):
			tags := slices.DeleteFunc(h.LocalTags(), func(t string) bool { return t == deletedTag })
			more, err := org.SetTags(h, tags)
			if err != nil {
				return nil, nil, err
			}
			own = append(own, more...)
			report.Restored = append(report.Restored, id)
		case len(own) > 0:
			report.Updated = append(report.Updated, id)
		default:
			report.Unchanged++
		}
		edits = append(edits, own...)
	}
	for _, id := range order {
		if h := known[id]; !seen[id] && !h.HasTag(deletedTag) {
			more, err := org.SetTags(h, append(h.LocalTags(), deletedTag))
			if err != nil {
				return nil, nil, err
			}
			edits = append(edits, more...)
			report.Deleted = append(report.Deleted, id)
		}
	}
	if added.Len() > 0 {
		src := doc.Source()
		text := added.String()
		if src != "" && !strings.HasSuffix(src, "\n") {
			text = "\n" + text
		}
		if doc.CRLF() {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		edits = append(edits, org.Edit{Start: len(src), End: len(src), New: text})
	}
	return edits, report, nil
}

// keyColumns are the columns that may tell rows apart, best first.
var keyColumns = []string{"id", "key", "uuid", "guid", "number", "code", "name", "title"}

// rowKey identifies a row between runs: its first column with a telling name,
// else its first column. Blanks become -.
func rowKey(row Row) string {
	for _, name := range keyColumns {
		for _, f := range row {
			if strings.EqualFold(f.Name, name) && plain(f.Value) != "" {
				return keyText(plain(f.Value))
			}
		}
	}
	for _, f := range row {
		if plain(f.Value) != "" {
			return keyText(plain(f.Value))
		}
	}
	return "-"
}

func keyText(text string) string { return strings.Join(strings.Fields(text), "-") }

// update are the edits that bring a headline up to its row.
func update(doc *org.Document, h org.Headline, row Row) (edits []org.Edit, err error) {
	if want := headlineText(doc, row); want != h.Title.Text {
		if !h.Title.Present() {
			at := h.Line.Start + h.Level
			edits = append(edits, org.Edit{Start: at, End: at, New: " " + want})
		} else {
			edits = append(edits, org.Replace(h.Title.Span, want))
		}
	}
	for _, p := range properties(row) {
		have, ok := h.Property(p.name)
		switch {
		case p.text == "" && ok:
			edits = append(edits, org.RemoveProperty(h, p.name)...)
		case p.text != "" && have != p.text:
			more, err := org.SetProperty(h, p.name, p.text)
			if err != nil {
				return nil, err
			}
			edits = append(edits, more...)
		}
	}
	return edits, nil
}

type property struct{ name, text string }

// properties are the columns of a row as a drawer holds them. The column ID is
// KEY there: an Org ID has to be unique among all files.
func properties(row Row) (list []property) {
	used := map[string]bool{"ID": true}
	for _, f := range row {
		name := propertyName(f.Name)
		if name == "ID" {
			name = "KEY"
		}
		for base, n := name, 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		list = append(list, property{name, oneLine(plain(f.Value))})
	}
	return list
}

// propertyName is a column's name in upper case, other characters than letters
// and digits as _.
func propertyName(column string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return unicode.ToUpper(r)
		}
		return '_'
	}, column)
	if name == "" || name == "END" || name == "PROPERTIES" {
		return "COLUMN_" + name
	}
	return name
}

// oneLine is a text on one line: properties and titles have no more.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// guard is the zero-width space, with which Org's manual keeps text from being
// read as markup.
const guard = "\u200B"

// headlineText is a row's title as a headline can hold it. What would read as
// a keyword, a priority or tags is kept from it.
func headlineText(doc *org.Document, row Row) string {
	text := oneLine(title(row))
	if text == "" {
		text = rowKey(row)
	}
	first, _, _ := strings.Cut(text, " ")
	_, keyword := doc.Todo().Find(first)
	if keyword || first == "COMMENT" || strings.HasPrefix(text, "[#") {
		text = guard + text
	}
	if strings.HasSuffix(text, ":") {
		text += guard
	}
	return text
}

func newHeadline(doc *org.Document, id string, row Row) string {
	var b strings.Builder
	title := headlineText(doc, row)
	gap := strings.Repeat(" ", max(1, 77-len("* ")-len([]rune(title))-len(":task:")))
	fmt.Fprintf(&b, "* %s%s:task:\n:PROPERTIES:\n%s", title, gap, propertyLine("ID", id))
	for _, p := range properties(row) {
		if p.text != "" {
			b.WriteString(propertyLine(p.name, p.text))
		}
	}
	b.WriteString(":END:\n")
	return b.String()
}

func propertyLine(name, text string) string { return fmt.Sprintf("%-10s %s\n", ":"+name+":", text) }
