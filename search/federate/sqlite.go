package federate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver "sqlite", SQLite in Go

	"wb/internal/nearest"
	"wb/internal/value"
)

// sqliteFile is a table or view of an SQLite file, which is opened for reading
// only. An empty name is the only table there is.
type sqliteFile struct{ path, table string }

func (s sqliteFile) open() (*sql.DB, error) {
	if _, err := os.Stat(s.path); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: s.path}).EscapedPath()+"?mode=ro&_pragma=query_only(true)&_pragma=trusted_schema(false)&_pragma=busy_timeout(5000)")
}

// tables are the names of the tables and views of the file.
func (s sqliteFile) tables(ctx context.Context, db *sql.DB) (names []string, err error) {
	return namesOf(ctx, db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
}

// namesOf are the results of a query for one column of text.
func namesOf(ctx context.Context, db *sql.DB, query string, args ...any) (names []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (s sqliteFile) Rows(ctx context.Context, f Filter, yield func(Row) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close()
	name, err := s.choose(ctx, db)
	if err != nil {
		return err
	}
	columns, err := s.columns(ctx, db, name)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	query, args := selection(name, columns, f)
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	defer rows.Close()
	names := distinct(columns)
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		row := make(Row, len(columns))
		for i, cell := range cells {
			row[i] = value.Field{Name: names[i], Value: sqlValue(*cell.(*any))}
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// choose finds the table that was named.
func (s sqliteFile) choose(ctx context.Context, db *sql.DB) (string, error) {
	tables, err := s.tables(ctx, db)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.path, err)
	}
	for _, name := range tables {
		if strings.EqualFold(name, s.table) || s.table == "" && len(tables) == 1 {
			return name, nil
		}
	}
	if s.table == "" {
		return "", &TableError{s.path, "", tables}
	}
	return "", &TableError{s.path, s.table, tables}
}

// TableError is a table that an SQLite file does not have, or that was not
// named though there are several.
type TableError struct {
	Path, Table string
	Tables      []string
}

func (e *TableError) Error() string {
	if e.Table == "" {
		return fmt.Sprintf("%s: has %d tables and none is named", e.Path, len(e.Tables))
	}
	return fmt.Sprintf("%s: no table %s", e.Path, e.Table)
}

// Hint lists the tables.
func (e *TableError) Hint() string {
	if near := nearest.Word(e.Table, e.Tables); near != "" {
		return "did you mean " + near + "?"
	}
	if len(e.Tables) == 0 {
		return "the file has no tables"
	}
	there := "known tables: " + strings.Join(e.Tables, ", ")
	if e.Table == "" {
		return fmt.Sprintf("write (from %q %q); %s", e.Path, e.Tables[0], there)
	}
	return there
}

// OneTableError is a table named in something that is one table.
type OneTableError struct{ Name, Table string }

func (e *OneTableError) Error() string {
	return fmt.Sprintf("%s is a single table and has none called %s", e.Name, e.Table)
}

// Hint says what has tables.
func (e *OneTableError) Hint() string { return "only SQLite files have several tables" }

func (s sqliteFile) columns(ctx context.Context, db *sql.DB, table string) (names []string, err error) {
	names, err = namesOf(ctx, db, "SELECT name FROM pragma_table_info(?)", table)
	if len(names) == 0 && err == nil {
		return nil, errors.New("the table has no columns")
	}
	return names, err
}

// selection writes the SELECT that leaves out rows a filter excludes. SQLite
// decides only about values of a type for which it and a query agree: numbers
// against a number, and text against a text that reads as nothing but text.
// All others pass, for the query to judge.
func selection(table string, columns []string, f Filter) (query string, args []any) {
	quoted, selected := make([]string, len(columns)), make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = identifier(name)
		selected[i] = "+" + quoted[i] // an expression has no declared type for the driver to convert to
	}
	query = "SELECT " + strings.Join(selected, ", ") + " FROM " + identifier(table)
	var conditions []string
	for _, c := range f {
		i := slices.IndexFunc(columns, func(name string) bool { return strings.EqualFold(name, c.Column) })
		if i < 0 {
			continue
		}
		op := map[string]string{"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}[c.Op]
		switch {
		case c.Numeric:
			conditions = append(conditions, fmt.Sprintf("(typeof(%s) NOT IN ('integer', 'real') OR %s %s ?)", quoted[i], quoted[i], op))
			args = append(args, c.Number)
		case c.Op == "=" && onlyText(c.Text):
			conditions = append(conditions, fmt.Sprintf("(typeof(%s) <> 'text' OR %s = ?)", quoted[i], quoted[i]))
			args = append(args, c.Text)
		}
	}
	if len(conditions) > 0 {
		query += " WHERE " + strings.Join(conditions, " AND ")
	}
	return query, args
}

// onlyText reports whether a constant can be nothing but text: no number,
// duration or date.
func onlyText(text string) bool {
	return text != "" && !strings.ContainsAny(text, "0123456789")
}

func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// sqlValue is a value as SQLite gave it.
func sqlValue(v any) value.Value {
	switch v := v.(type) {
	case nil:
		return value.Nil()
	case int64:
		return value.OfInt(v)
	case float64:
		return value.OfFloat(v)
	case bool:
		return value.OfBool(v)
	case time.Time:
		return value.OfString(v.Format("2006-01-02 15:04:05"))
	case string:
		return value.OfString(strings.ToValidUTF8(v, "\uFFFD"))
	case []byte:
		if utf8.Valid(v) {
			return value.OfString(string(v))
		}
		return value.OfString(fmt.Sprintf("%x", v))
	}
	return value.OfString(fmt.Sprint(v))
}
