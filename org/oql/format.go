package oql

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"wb/internal/clip"
	"wb/internal/value"
)

// Formats are the spellings of --format.
var Formats = []string{"table", "json", "ndjson", "csv", "org", "paths", "sexp"}

// Write prints a result in one of Formats, or "bare": cells between tabs
// without a heading.
func (r *Result) Write(w io.Writer, format string) error {
	buf := bufio.NewWriter(w)
	var err error
	switch format {
	case "json":
		err = r.writeJSON(buf)
	case "ndjson":
		err = r.writeLines(buf)
	case "csv":
		err = r.writeCSV(buf)
	case "org":
		r.writeOrg(buf)
	case "paths":
		for _, p := range r.Places {
			fmt.Fprintf(buf, "%s:%d\n", p.Path, p.Line)
		}
	case "sexp":
		r.writeSexp(buf)
	case "table":
		r.writeTable(buf)
	case "bare":
		for i := range r.Rows {
			fmt.Fprintln(buf, strings.Join(r.cells(i), "\t"))
		}
	default:
		return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats, " "))
	}
	if err != nil {
		return err
	}
	return buf.Flush()
}

// object is row i as a JSON object in column order.
func (r *Result) object(i int) value.Value {
	fields := make([]value.Field, len(r.Columns))
	for k, name := range r.Columns {
		fields[k] = value.Field{Name: name, Value: r.Rows[i][k]}
	}
	return value.OfObject(fields...)
}

// Objects are all rows as values.
func (r *Result) Objects() []value.Value {
	out := make([]value.Value, len(r.Rows))
	for i := range r.Rows {
		out[i] = r.object(i)
	}
	return out
}

func (r *Result) writeJSON(w io.Writer) error {
	io.WriteString(w, "[")
	for i := range r.Rows {
		if i > 0 {
			io.WriteString(w, ",")
		}
		io.WriteString(w, "\n")
		if err := writeValue(w, r.object(i)); err != nil {
			return err
		}
	}
	if len(r.Rows) > 0 {
		io.WriteString(w, "\n")
	}
	_, err := io.WriteString(w, "]\n")
	return err
}

func (r *Result) writeLines(w io.Writer) error {
	for i := range r.Rows {
		if err := writeValue(w, r.object(i)); err != nil {
			return err
		}
		io.WriteString(w, "\n")
	}
	return nil
}

// writeValue writes compact JSON with fields in their order.
func writeValue(w io.Writer, v value.Value) error {
	switch v.Kind() {
	case value.List:
		io.WriteString(w, "[")
		for i, item := range v.Items() {
			if i > 0 {
				io.WriteString(w, ",")
			}
			if err := writeValue(w, item); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "]")
		return err
	case value.Object:
		io.WriteString(w, "{")
		for i, f := range v.Fields() {
			if i > 0 {
				io.WriteString(w, ",")
			}
			writeString(w, f.Name)
			io.WriteString(w, ":")
			if err := writeValue(w, f.Value); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "}")
		return err
	case value.String:
		return writeString(w, v.Text())
	case value.Null, value.HLine, value.BlobRef:
		_, err := io.WriteString(w, "null")
		return err
	}
	_, err := io.WriteString(w, plainText(v))
	return err
}

func writeString(w io.Writer, s string) error {
	if plainJSON(s) {
		io.WriteString(w, `"`)
		io.WriteString(w, s)
		_, err := io.WriteString(w, `"`)
		return err
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(s, "\uFFFD")); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// plainJSON reports whether a string needs no escapes, as most do not.
func plainJSON(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (r *Result) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(r.Columns); err != nil {
		return err
	}
	for i := range r.Rows {
		if err := out.Write(r.cells(i)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (r *Result) cells(i int) []string {
	out := make([]string, len(r.Columns))
	for k := range r.Columns {
		out[k] = plainText(r.Rows[i][k])
	}
	return out
}

// writeOrg prints an org table; bars inside cells become \vert as org asks.
func (r *Result) writeOrg(w io.Writer) {
	line := func(cells []string) {
		for k, c := range cells {
			cells[k] = strings.ReplaceAll(oneLine(c), "|", `\vert{}`)
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	line(append([]string(nil), r.Columns...))
	fmt.Fprintf(w, "|%s\n", strings.Repeat("-+", max(len(r.Columns)-1, 0))+"-|")
	for i := range r.Rows {
		line(r.cells(i))
	}
}

func (r *Result) writeSexp(w io.Writer) {
	for i := range r.Rows {
		io.WriteString(w, "(")
		for k, name := range r.Columns {
			if k > 0 {
				io.WriteString(w, " ")
			}
			fmt.Fprintf(w, "(%s . %s)", name, sexpValue(r.Rows[i][k]))
		}
		io.WriteString(w, ")\n")
	}
}

func sexpValue(v value.Value) string {
	switch v.Kind() {
	case value.Null, value.HLine, value.BlobRef:
		return "nil"
	case value.Bool:
		if v.Bool() {
			return "t"
		}
		return "nil"
	case value.String:
		return quote(v.Text())
	case value.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = sexpValue(item)
		}
		return "(" + strings.Join(parts, " ") + ")"
	case value.Object:
		parts := make([]string, len(v.Fields()))
		for i, f := range v.Fields() {
			parts[i] = "(" + quote(f.Name) + " . " + sexpValue(f.Value) + ")"
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return plainText(v)
}

// tableColumns are shown to people when they select none: the rest is for
// programs.
var tableColumns = map[string][]string{
	"headlines": {"state", "priority", "title", "tags", "scheduled", "deadline", "path", "line"},
	"blocks":    {"name", "lang", "args", "title", "path", "line"},
	"links":     {"target", "description", "path", "line"},
	"tables":    {"name", "rows", "width", "title", "path", "line"},
	"events":    {"kind", "call", "component", "tool", "exit", "dur_ms", "fuel", "title"},
	"runs":      {"id", "workbook", "agent", "started", "status", "dur_ms", "calls", "errors", "fuel", "tokens_in", "tokens_out", "cost_usd"},
}

// maxCell is the widest a cell of the aligned table gets, in characters.
const maxCell = 60

// writeTable prints aligned columns; those empty in every row are left out
// when the columns were not asked for.
func (r *Result) writeTable(w io.Writer) {
	show := make([]int, 0, len(r.Columns))
	for k, name := range r.Columns {
		if k < len(defaultColumns[r.Kind]) && r.isDefault() && !contains(tableColumns[r.Kind], name) {
			continue
		}
		if r.isDefault() && r.emptyColumn(k) {
			continue
		}
		show = append(show, k)
	}
	width := make([]int, len(r.Columns))
	grid := make([][]string, 0, len(r.Rows)+1)
	grid = append(grid, r.Columns)
	for i := range r.Rows {
		grid = append(grid, r.cells(i))
	}
	for _, row := range grid {
		for _, k := range show {
			width[k] = max(width[k], min(utf8.RuneCountInString(oneLine(row[k])), maxCell))
		}
	}
	for _, row := range grid {
		var b strings.Builder
		for _, k := range show {
			text := clip.Chars(oneLine(row[k]), maxCell)
			b.WriteString(text + strings.Repeat(" ", width[k]-utf8.RuneCountInString(text)+2))
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// isDefault reports whether the columns are those that are shown when a query
// selects none; those of a join follow them.
func (r *Result) isDefault() bool {
	want := defaultColumns[r.Kind]
	if len(want) == 0 || len(want) > len(r.Columns) || r.Places == nil && len(r.Rows) > 0 {
		return false
	}
	for i := range want {
		if want[i] != r.Columns[i] {
			return false
		}
	}
	return true
}

func (r *Result) emptyColumn(k int) bool {
	for _, row := range r.Rows {
		if plainText(row[k]) != "" {
			return false
		}
	}
	return len(r.Rows) > 0
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
