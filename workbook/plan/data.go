package plan

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
)

// dataLangs are the languages whose blocks are values, not programs. Nothing
// runs for them and no results are written below them.
var dataLangs = map[string]func(body string, args org.Args) (value.Value, error){
	"json": func(body string, _ org.Args) (value.Value, error) { return parseJSON(body) },
	"csv":  func(body string, args org.Args) (value.Value, error) { return parseCSV(body, ',', args) },
	"tsv":  func(body string, args org.Args) (value.Value, error) { return parseCSV(body, '\t', args) },
	"yaml": func(body string, _ org.Args) (value.Value, error) { return parseYAML(body) },
	"yml":  func(body string, _ org.Args) (value.Value, error) { return parseYAML(body) },
}

// DataError places a syntax error within a data block; Line counts from 1.
type DataError struct {
	Line, Col int
	Msg       string
}

func (e *DataError) Error() string { return e.Msg }

// parseCSV reads comma-separated values as a table. Cells that JSON would call
// numbers are numbers, so "007" stays text. With :colnames yes the first row
// is set off by a rule, as the header of an org table is.
func parseCSV(body string, separator rune, args org.Args) (value.Value, error) {
	r := csv.NewReader(strings.NewReader(body))
	r.Comma = separator
	if sep := args.Value(":sep"); sep != "" {
		r.Comma = []rune(UnquoteArg(sep))[0]
	}
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	var rows []value.Value
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return value.Nil(), &DataError{parse.Line, parse.Column, parse.Err.Error()}
		}
		if err != nil {
			return value.Nil(), err
		}
		cells := make([]value.Value, len(record))
		for i, cell := range record {
			cells[i] = csvCell(cell)
		}
		rows = append(rows, value.OfList(cells...))
		if len(rows) == 1 && args.Value(":colnames") == "yes" {
			rows = append(rows, value.Rule())
		}
	}
	return value.OfList(rows...), nil
}

var jsonNumber = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func csvCell(cell string) value.Value {
	if !jsonNumber.MatchString(cell) {
		return value.OfString(cell)
	}
	if i, err := strconv.ParseInt(cell, 10, 64); err == nil {
		return value.OfInt(i)
	}
	f, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return value.OfString(cell)
	}
	return value.OfFloat(f)
}

// maxYAML bounds the values a YAML document may grow to: aliases of aliases
// otherwise turn a kilobyte into gigabytes.
const maxYAML = 1 << 20

func parseYAML(body string) (value.Value, error) {
	decoder := yaml.NewDecoder(strings.NewReader(body))
	var docs []value.Value
	budget := maxYAML
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return value.Nil(), yamlError(err)
		}
		v, err := yamlValue(&node, &budget)
		if err != nil {
			return value.Nil(), err
		}
		docs = append(docs, v)
	}
	if len(docs) == 1 {
		return docs[0], nil
	}
	if len(docs) == 0 {
		return value.Nil(), nil
	}
	return value.OfList(docs...), nil
}

var yamlLine = lazyregexp.New(`^yaml: (?:line (\d+): )?(.*)`)

func yamlError(err error) error {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	at, _ := strconv.Atoi(m[1])
	return &DataError{Line: max(at, 1), Col: 1, Msg: m[2]}
}

func yamlValue(n *yaml.Node, budget *int) (value.Value, error) {
	if *budget--; *budget < 0 {
		return value.Nil(), &DataError{n.Line, n.Column, fmt.Sprintf("aliases expand to more than %d values", maxYAML)}
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return yamlValue(n.Content[0], budget)
	case yaml.AliasNode:
		return yamlValue(n.Alias, budget)
	case yaml.SequenceNode:
		items := make([]value.Value, len(n.Content))
		for i, c := range n.Content {
			v, err := yamlValue(c, budget)
			if err != nil {
				return value.Nil(), err
			}
			items[i] = v
		}
		return value.OfList(items...), nil
	case yaml.MappingNode:
		return yamlObject(n, budget)
	}
	return yamlScalar(n)
}

// yamlObject keeps the order of keys; what << merges in comes where it stands
// and gives way to keys of the mapping itself.
func yamlObject(n *yaml.Node, budget *int) (value.Value, error) {
	own := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		own[n.Content[i].Value] = true
	}
	var fields []value.Field
	for i := 0; i < len(n.Content); i += 2 {
		key, item := n.Content[i], n.Content[i+1]
		v, err := yamlValue(item, budget)
		if err != nil {
			return value.Nil(), err
		}
		if key.Tag != "!!merge" {
			fields = append(fields, value.Field{Name: key.Value, Value: v})
			continue
		}
		for _, f := range mergedFields(v) {
			if !own[f.Name] {
				own[f.Name] = true
				fields = append(fields, f)
			}
		}
	}
	return value.OfObject(fields...), nil
}

func mergedFields(v value.Value) []value.Field {
	fields := v.Fields()
	for _, item := range v.Items() {
		fields = append(fields, item.Fields()...)
	}
	return fields
}

// yamlScalar reads a scalar by its tag. Dates stay text, as written.
func yamlScalar(n *yaml.Node) (value.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return value.Nil(), nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return value.Nil(), yamlError(err)
		}
		return value.OfBool(b), nil
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return value.OfInt(i), nil
		}
		fallthrough
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return value.Nil(), yamlError(err)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return value.OfString(n.Value), nil
		}
		return value.OfFloat(f), nil
	}
	return value.OfString(n.Value), nil
}

// UnquoteArg takes the double quotes off a header argument.
func UnquoteArg(s string) string {
	if quoted(s) {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
		return s[1 : len(s)-1]
	}
	if s == `\t` {
		return "\t"
	}
	return s
}

// parseJSON reads a JSON block; errors carry their place in it.
func parseJSON(body string) (value.Value, error) {
	v, err := value.ParseJSON([]byte(body))
	if e, ok := err.(*value.JSONError); ok {
		at, col := lineCol(body, int(e.Offset))
		return value.Nil(), &DataError{Line: at, Col: col, Msg: e.Message}
	}
	return v, err
}

// lineCol converts a byte offset within text to a line and column from 1.
func lineCol(text string, offset int) (line, col int) {
	before := text[:min(max(offset, 0), len(text))]
	line = 1 + bytes.Count([]byte(before), []byte{'\n'})
	return line, len(before) - bytes.LastIndexByte([]byte(before), '\n')
}
