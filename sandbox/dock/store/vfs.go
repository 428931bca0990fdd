package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Volumes are those of every project. Files of tmp last as long as a run.
var Volumes = []string{"workspace", "memory", "tmp"}

// DefaultVolume is the volume of paths that name none.
const DefaultVolume = "workspace"

// SplitPath reads VOLUME:PATH, or a PATH of the default volume. The path is
// relative, cleaned and never leads out of its volume.
func SplitPath(text string) (volume, name string, err error) {
	volume, name, ok := strings.Cut(text, ":")
	if !ok || !slices.Contains(Volumes, volume) {
		volume, name = DefaultVolume, text
	}
	clean := path.Clean("/" + name)[1:]
	switch {
	case clean == "" || strings.HasSuffix(name, "/"):
		return "", "", &NameError{text, "it names no file"}
	case strings.ContainsAny(name, "\x00\\"):
		return "", "", &NameError{text, `it has a NUL or a \`}
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", "", &NameError{text, "it has a .. element"}
	case !utf8.ValidString(name):
		return "", "", &NameError{text, "it is not UTF-8"}
	}
	return volume, clean, nil
}

// ReadFile reads a file of a volume.
func (s *Store) ReadFile(ctx context.Context, file string) (content []byte, found bool, err error) {
	volume, name, err := SplitPath(file)
	if err != nil {
		return nil, false, err
	}
	found, err = s.one(ctx, vfsFile, []any{&content}, `SELECT content FROM vfs WHERE volume = ? AND path = ?`, volume, name)
	return content, found, err
}

// WriteFile makes or replaces a file.
func (s *Store) WriteFile(ctx context.Context, file string, content []byte) error {
	volume, name, err := SplitPath(file)
	if err != nil {
		return err
	}
	if err := s.checkName(name); err != nil {
		return err
	}
	if len(content) > s.limits.File {
		return &LimitError{"file", int64(len(content)), int64(s.limits.File), "bytes"}
	}
	if content == nil {
		content = []byte{}
	}
	return s.change(ctx, vfsFile, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO vfs VALUES(?, ?, ?, ?) ON CONFLICT(volume, path) DO UPDATE SET content = excluded.content, mtime = excluded.mtime`, volume, name, content, s.now().Unix()); err != nil {
			return err
		}
		var count, bytes int64
		if err := tx.QueryRowContext(ctx, `SELECT rows, bytes FROM vfs_total WHERE owner = ?`, volume).Scan(&count, &bytes); err != nil {
			return err
		}
		switch {
		case count > int64(s.limits.Files):
			return &LimitError{"volume " + volume, count, int64(s.limits.Files), "files"}
		case bytes > s.limits.Volume:
			return &LimitError{"volume " + volume, bytes, s.limits.Volume, "bytes"}
		}
		return nil
	})
}

// RemoveFile removes a file, whether it is there or not.
func (s *Store) RemoveFile(ctx context.Context, file string) error {
	volume, name, err := SplitPath(file)
	if err != nil {
		return err
	}
	return s.change(ctx, vfsFile, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM vfs WHERE volume = ? AND path = ?`, volume, name)
		return err
	})
}

// ClearVolume empties a volume.
func (s *Store) ClearVolume(ctx context.Context, volume string) error {
	return s.change(ctx, vfsFile, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM vfs WHERE volume = ?`, volume)
		return err
	})
}

// ListFiles lists VOLUME:PATH of the files that begin with prefix, which may
// itself be one: "" is the whole default volume, "memory:" all of memory.
func (s *Store) ListFiles(ctx context.Context, prefix string) ([]string, error) {
	volume, name, ok := strings.Cut(prefix, ":")
	if !ok || !slices.Contains(Volumes, volume) {
		volume, name = DefaultVolume, prefix
	}
	query, args := `SELECT path FROM vfs WHERE volume = ? AND path >= ? ORDER BY path`, []any{volume, name}
	if end := above(name); end != "" {
		query, args = `SELECT path FROM vfs WHERE volume = ? AND path >= ? AND path < ? ORDER BY path`, append(args, end)
	}
	names, err := s.texts(ctx, vfsFile, query, args...)
	for i, n := range names {
		names[i] = volume + ":" + n
	}
	return names, err
}

// queryBytes bounds the answer of a query.
const queryBytes = 16 << 20

// Query answers a SELECT over vfs(volume, path, content, mtime). The connection
// cannot write and cannot attach other files; whatever the statement is, all it
// can reach is this table.
func (s *Store) Query(ctx context.Context, query string) (columns []string, rows [][]any, err error) {
	if err := selectOnly(query); err != nil {
		return nil, nil, err
	}
	db, err := s.open(ctx, vfsFile)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.Query)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("store %s: %w", vfsFile, err)
	}
	defer conn.Close()
	if err := restrict(ctx, conn); err != nil {
		return nil, nil, fmt.Errorf("store %s: %w", vfsFile, err)
	}
	// A connection that was restricted is not used for anything else.
	defer conn.Raw(func(any) error { return driver.ErrBadConn }) //nolint:errcheck // the error closes the connection
	result, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	defer result.Close()
	if columns, err = result.Columns(); err != nil {
		return nil, nil, err
	}
	rows = [][]any{}
	var total int64
	for result.Next() {
		if len(rows) >= s.limits.Rows {
			return nil, nil, &LimitError{"query", int64(len(rows)) + 1, int64(s.limits.Rows), "rows"}
		}
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := result.Scan(cells...); err != nil {
			return nil, nil, err
		}
		for i, c := range cells {
			cells[i] = cell(*c.(*any))
			total += size(cells[i])
		}
		if total > queryBytes {
			return nil, nil, &LimitError{"query", total, queryBytes, "bytes"}
		}
		rows = append(rows, cells)
	}
	return columns, rows, result.Err()
}

// cell is a value as JSON has it: bytes that are text become text, others
// base64.
func cell(v any) any {
	data, ok := v.([]byte)
	if !ok {
		return v
	}
	if utf8.Valid(data) {
		return string(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// restrict makes a connection one that cannot write, nor make values that are
// larger than an answer.
func restrict(ctx context.Context, conn *sql.Conn) error {
	for _, pragma := range []string{`PRAGMA query_only = 1`, `PRAGMA trusted_schema = 0`, `PRAGMA temp_store = memory`} {
		if _, err := conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	for limit, most := range map[int]int{sqlite3.SQLITE_LIMIT_LENGTH: queryBytes, sqlite3.SQLITE_LIMIT_ATTACHED: 0} {
		if _, err := sqlite.Limit(conn, limit, most); err != nil {
			return err
		}
	}
	return nil
}

// size is about what a cell takes in an answer.
func size(cell any) int64 {
	if text, ok := cell.(string); ok {
		return int64(len(text)) + 8
	}
	return 8
}

// selectOnly refuses statements that are not a question. It is not what keeps the
// data safe (query_only and the missing ATTACH do), but gives the better error.
func selectOnly(query string) error {
	word := strings.ToUpper(firstWord(query))
	if word != "SELECT" && word != "WITH" && word != "VALUES" {
		return fmt.Errorf("%s is not a SELECT: volumes can only be read", firstWord(query))
	}
	if rest := strings.TrimRight(query, "; \t\r\n"); strings.Contains(rest, ";") {
		return errors.New("a query must be one SELECT, without ;")
	}
	for _, other := range []string{"pragma_", "sqlite_", "vfs_total"} { // they would show how and where the files are kept
		if strings.Contains(strings.ToLower(query), other) {
			return errors.New("a query can read only the table vfs")
		}
	}
	return nil
}

func firstWord(text string) string {
	text = strings.TrimLeft(text, " \t\r\n(")
	end := strings.IndexFunc(text, func(r rune) bool { return !('a' <= r|0x20 && r|0x20 <= 'z') })
	if end < 0 {
		return text
	}
	return text[:end]
}
