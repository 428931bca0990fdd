package sql

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wb/internal/value"
)

// table is a value as a temporary table.
type table struct {
	Name    string          `json:"name"`
	Columns []string        `json:"columns"`
	Rows    [][]value.Value `json:"rows"`
}

// tableOf makes a table of records, of rows, of plain items or of one record.
// Column names come from the records, from names, or from a row above the first
// rule; otherwise they are c1, c2, ….
func tableOf(name string, v value.Value, names []string) table {
	t := table{Name: name, Columns: slices.Clone(names)}
	items := v.Items()
	if v.Kind() == value.Object {
		items = []value.Value{v}
	}
	if len(t.Columns) == 0 && len(items) > 1 && items[0].Kind() == value.List && items[1].Kind() == value.HLine {
		for _, cell := range items[0].Items() {
			t.Columns = append(t.Columns, value.CellText(cell))
		}
		items = items[1:]
	}
	width := len(t.Columns)
	for _, item := range items {
		switch item.Kind() {
		case value.HLine:
		case value.Object:
			row := make([]value.Value, len(t.Columns))
			for _, f := range item.Fields() {
				i := slices.Index(t.Columns, f.Name)
				if i < 0 {
					i = len(t.Columns)
					t.Columns = append(t.Columns, f.Name)
					row = append(row, value.Nil())
				}
				row[i] = f.Value
			}
			t.Rows = append(t.Rows, row)
		case value.List:
			t.Rows = append(t.Rows, item.Items())
			width = max(width, len(item.Items()))
		default:
			t.Rows = append(t.Rows, []value.Value{item})
			width = max(width, 1)
		}
	}
	for i := len(t.Columns); i < width || i == 0; i++ {
		t.Columns = append(t.Columns, fmt.Sprintf("c%d", i+1))
	}
	for i, c := range t.Columns {
		if c == "" || slices.Contains(t.Columns[:i], c) {
			t.Columns[i] = fmt.Sprintf("c%d", i+1)
		}
	}
	return t
}

// create is the statements that make tables.
func create(tables []table) string {
	var b strings.Builder
	for _, t := range tables {
		t.create(&b)
	}
	return b.String()
}

// create writes the statements that make the table.
func (t table) create(b *strings.Builder) {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = name(c)
	}
	fmt.Fprintf(b, "CREATE TEMP TABLE %s(%s);\n", name(t.Name), strings.Join(columns, ", "))
	const batch = 200
	for rows := range slices.Chunk(t.Rows, batch) {
		fmt.Fprintf(b, "INSERT INTO temp.%s VALUES", name(t.Name))
		for i, row := range rows {
			cells := make([]string, len(t.Columns))
			for j := range cells {
				cells[j] = "NULL"
				if j < len(row) {
					cells[j] = literal(row[j])
				}
			}
			fmt.Fprintf(b, "%s\n(%s)", map[bool]string{true: ","}[i > 0], strings.Join(cells, ","))
		}
		b.WriteString(";\n")
	}
}

// parameters gives the statements that bind a component's plain inputs, and the
// others as tables.
func parameters(params []string, inputs []value.Field) (statements string, tables []table) {
	var bound []string
	for i, in := range inputs {
		param := in.Name
		if i < len(params) {
			param = params[i]
		}
		if in.Value.Kind() == value.List || in.Value.Kind() == value.Object {
			tables = append(tables, tableOf(param, in.Value, nil))
			continue
		}
		for _, sigil := range []string{":", "@", "$"} {
			bound = append(bound, fmt.Sprintf("(%s,%s)", text(sigil+param), literal(in.Value)))
		}
	}
	if len(bound) > 0 {
		statements = fmt.Sprintf(".parameter init\nINSERT INTO temp.sqlite_parameters(key,value) VALUES%s;\n", strings.Join(bound, ","))
	}
	return statements, tables
}

// literal writes a value as SQL; what is neither number nor text is JSON.
func literal(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "NULL"
	case value.Bool:
		if v.Bool() {
			return "1"
		}
		return "0"
	case value.Int:
		return v.String()
	case value.Float:
		switch f := v.Float(); {
		case math.IsNaN(f):
			return "NULL"
		case math.IsInf(f, 1):
			return "9e999"
		case math.IsInf(f, -1):
			return "-9e999"
		default:
			s := strconv.FormatFloat(f, 'g', -1, 64)
			if !strings.ContainsAny(s, ".e") {
				s += ".0"
			}
			return s
		}
	case value.String:
		return text(v.Text())
	}
	return text(string(v.AppendJSON(nil)))
}

// storable reports the first number of an input that SQLite would change: it
// makes NULL of NaN, and rounds integers above 2^63-1.
func storable(path string, v value.Value) error {
	switch {
	case v.IsBig():
		return fmt.Errorf("%s is %s, and SQLite's integers end at 2^63-1: pass it as text", path, v)
	case math.IsNaN(v.Float()):
		return fmt.Errorf("%s is NaN, which SQLite does not store: pass it as text", path)
	}
	for i, item := range v.Items() {
		if err := storable(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
			return err
		}
	}
	for _, field := range v.Fields() {
		if err := storable(path+"."+field.Name, field.Value); err != nil {
			return err
		}
	}
	return nil
}

// text writes a string as SQL.
func text(s string) string {
	if strings.ContainsRune(s, 0) {
		return fmt.Sprintf("CAST(x'%x' AS TEXT)", s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// name writes a name as SQL.
func name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// quoteWord writes a word for a dot command.
func quoteWord(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
