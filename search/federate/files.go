package federate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"wb/internal/value"
)

// formats are the kinds of file that hold tables, by extension.
var formats = map[string]string{
	".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson",
	".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".parquet": "parquet",
}

// IsTable reports whether a file's name says that it holds a table.
func IsTable(name string) bool { return formatOf(name) != "" }

// fileSource reads a file of a format; table is that of an SQLite file, rows
// the path to the rows of a JSON file.
func fileSource(format, path, table, rows string, how *reading) (Source, error) {
	switch format {
	case "csv":
		return separated{path, 0, how}, nil
	case "tsv":
		return separated{path, '\t', how}, nil
	case "json":
		return jsonFile{path, rows, how}, nil
	case "ndjson":
		return lines{path, how}, nil
	case "sqlite":
		return sqliteFile{path, table}, nil
	case "parquet":
		return parquetFile{path}, nil
	}
	return nil, fmt.Errorf("unknown implementation %q", format)
}

// separated is a file of values between commas or tabs, the names of the
// columns in its first line. Without a separator the first line tells it.
type separated struct {
	path  string
	comma rune
	how   *reading
}

func (s separated) Rows(ctx context.Context, _ Filter, yield func(Row) error) error {
	f, err := openText(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.encoding != "" {
		s.how.remark("%s: read as %s", s.path, f.encoding)
	}
	defer s.how.tell(s.path)
	return readSeparated(ctx, s.path, f, s.comma, s.how, yield)
}

func readSeparated(ctx context.Context, name string, in io.Reader, comma rune, how *reading, yield func(Row) error) error {
	text := bufio.NewReaderSize(in, sniffed)
	if mark, _ := text.Peek(3); bytes.Equal(mark, []byte("\xEF\xBB\xBF")) {
		_, _ = text.Discard(3)
	}
	if comma == '\t' {
		return readTabs(ctx, name, text, how, yield)
	}
	r := csv.NewReader(text)
	if r.Comma = comma; comma == 0 {
		if r.Comma = sniffSeparator(text); r.Comma != ',' {
			how.remark("%s: values are separated by %q", name, r.Comma)
		}
	}
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	var names []string
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var wrong *csv.ParseError
		switch {
		case errors.As(err, &wrong):
			err = fmt.Errorf("%s:%d:%d: %w", name, wrong.Line, wrong.Column, wrong.Err)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case names == nil:
			names = distinct(record)
			continue
		case len(record) > len(names):
			line, col := r.FieldPos(len(names))
			err = fmt.Errorf("%s:%d:%d: %d values for %d columns", name, line, col, len(record), len(names))
		}
		if err := yieldCells(ctx, names, record, err, how, yield); err != nil {
			return err
		}
	}
}

// yieldCells yields a row of cells, or what takes the place of a bad one.
func yieldCells(ctx context.Context, names, cells []string, bad error, how *reading, yield func(Row) error) error {
	if bad != nil {
		null, err := how.stumble(bad)
		if err != nil || !null {
			return err
		}
		cells = make([]string, len(names))
	}
	row := make(Row, len(cells))
	for i, text := range cells {
		row[i] = value.Field{Name: names[i], Value: cellValue(text)}
	}
	return errors.Join(ctx.Err(), yield(row))
}

// readTabs reads values between tabs, where quotes mean nothing.
func readTabs(ctx context.Context, name string, text io.Reader, how *reading, yield func(Row) error) error {
	in := bufio.NewScanner(text)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	var names []string
	for number := 1; in.Scan(); number++ {
		line := strings.TrimSuffix(in.Text(), "\r")
		if line == "" {
			continue
		}
		cells := strings.Split(line, "\t")
		if names == nil {
			names = distinct(cells)
			continue
		}
		var bad error
		if len(cells) > len(names) {
			col := len(strings.Join(cells[:len(names)], "\t")) + 2
			bad = fmt.Errorf("%s:%d:%d: %d values for %d columns", name, number, col, len(cells), len(names))
		}
		if err := yieldCells(ctx, names, cells, bad, how, yield); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// cellValue is a cell without type: nothing is null, the rest stays text, which
// queries compare as what it looks like.
func cellValue(text string) value.Value {
	if text == "" {
		return value.Nil()
	}
	return value.OfString(strings.ToValidUTF8(text, "\uFFFD"))
}

// jsonFile is a file of one JSON text with a list of objects in it.
type jsonFile struct {
	path, rows string
	how        *reading
}

// maxJSON bounds a JSON file: it is read as a whole.
const maxJSON = 256 << 20

func (s jsonFile) Rows(ctx context.Context, _ Filter, yield func(Row) error) error {
	f, err := openText(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if len(text) > maxJSON {
		return fmt.Errorf("%s: has more than the %d bytes a JSON table may have; NDJSON has no such limit", s.path, maxJSON)
	}
	defer s.how.tell(s.path)
	return readJSON(ctx, s.path, text, s.rows, s.how, yield)
}

// readJSON yields the objects of the list at a path, "data.items"; "" is the
// text itself, or the only list in it when it is an object.
func readJSON(ctx context.Context, name string, text []byte, path string, how *reading, yield func(Row) error) error {
	v, err := value.ParseJSON(text)
	if err != nil {
		if wrong, ok := errors.AsType[*value.JSONError](err); ok {
			line, col := wrong.Position(text)
			return fmt.Errorf("%s:%d:%d: %s", name, line, col, wrong.Message)
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	for part := range strings.SplitSeq(path, ".") {
		if part == "" {
			continue
		}
		next, ok := v.Get(part)
		if v.Kind() != value.Object || !ok {
			return fmt.Errorf("%s: found nothing at %q of the rows' path %q", name, part, path)
		}
		v = next
	}
	if path == "" && v.Kind() == value.Object {
		v = onlyList(v)
	}
	if v.Kind() != value.List {
		return fmt.Errorf("%s: the rows at %q are not a list", name, path)
	}
	others := 0
	defer func() {
		if others > 0 {
			how.remark("%s: left out %d items of the list that are not objects", name, others)
		}
	}()
	for _, item := range v.Items() {
		if item.Kind() != value.Object { // only objects are rows
			others++
			continue
		}
		if err := errors.Join(ctx.Err(), yield(Row(item.Fields()))); err != nil {
			return err
		}
	}
	return nil
}

// onlyList is the one list of objects among an object's members; without one
// the object is the only row.
func onlyList(v value.Value) value.Value {
	var list *value.Value
	for _, f := range v.Fields() {
		if items := f.Value; items.Kind() == value.List && len(items.Items()) > 0 && items.Items()[0].Kind() == value.Object {
			if list != nil {
				return value.OfList(v)
			}
			list = &items
		}
	}
	if list == nil {
		return value.OfList(v)
	}
	return *list
}

// lines is a file with a JSON object on every line.
type lines struct {
	path string
	how  *reading
}

// maxLine bounds a line of NDJSON.
const maxLine = 16 << 20

func (s lines) Rows(ctx context.Context, _ Filter, yield func(Row) error) error {
	f, err := openText(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer s.how.tell(s.path)
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	others := 0
	for number := 1; in.Scan(); number++ {
		text := bytes.TrimSpace(in.Bytes())
		if len(text) == 0 {
			continue
		}
		row, err := s.row(number, text)
		if err != nil {
			null, err := s.how.stumble(err)
			if err != nil {
				return err
			}
			if !null {
				continue
			}
		} else if row == nil {
			others++
			continue
		}
		if err := errors.Join(ctx.Err(), yield(row)); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if others > 0 {
		s.how.remark("%s: left out %d lines that are not objects", s.path, others)
	}
	return nil
}

// row reads one line; nil is one that is not an object.
func (s lines) row(number int, text []byte) (Row, error) {
	v, err := value.ParseJSON(bytes.Clone(text))
	var wrong *value.JSONError
	switch {
	case errors.As(err, &wrong):
		_, col := wrong.Position(text)
		return nil, fmt.Errorf("%s:%d:%d: %s", s.path, number, col, wrong.Message)
	case err != nil:
		return nil, fmt.Errorf("%s:%d:1: %w", s.path, number, err)
	case v.Kind() != value.Object:
		return nil, nil
	}
	return Row(v.Fields()), nil
}
