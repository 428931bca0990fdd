package search

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // also the driver "sqlite", SQLite in Go
	sqlite3 "modernc.org/sqlite/lib"
)

// layout is the version of the tables and of the analysis: an index of another
// one is made anew.
const layout = 1

// schema: words has no copy of the text, only where its words stand; snippets
// are read from the files themselves. For each field there are the words and,
// with a lower weight, their stems and parts.
const schema = `
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, hash TEXT NOT NULL, synonyms TEXT NOT NULL);
CREATE TABLE doc(id INTEGER PRIMARY KEY, line INTEGER, level INTEGER, start INTEGER, stop INTEGER, title TEXT, outline TEXT, tags TEXT);
CREATE VIRTUAL TABLE words USING fts5(title, outline, tags, body, code, result, title2, outline2, tags2, body2, code2, result2,
	content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2 tokenchars '_'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
CREATE TABLE vector(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
`

// weights of the fields, in the order of the columns of words.
const weights = "12, 3, 4, 1, 1, 0.7, 4, 0.8, 2, 0.4, 0.4, 0.3"

// sqliteStore is a [Store] in an SQLite file. Several processes may use one:
// readers never wait, writers wait for each other, and what a killed writer
// has not committed is not there.
type sqliteStore struct{ db *sql.DB }

// busyWait is how long a writer waits for another one, in milliseconds.
const busyWait = 10000

// openSQLite opens or makes the store in a directory; "" keeps it in memory.
func openSQLite(ctx context.Context, dir string) (*sqliteStore, error) {
	source := "file::memory:?_pragma=temp_store(memory)"
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
		source = "file:" + (&url.URL{Path: filepath.Join(dir, "search.sqlite")}).EscapedPath() +
			fmt.Sprintf("?_pragma=busy_timeout(%d)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_txlock=immediate", busyWait)
	}
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	db.SetMaxOpenConns(1)
	s := &sqliteStore{db}
	if err := patiently(ctx, func() error { return s.prepare(ctx) }); err != nil {
		db.Close()
		return nil, fmt.Errorf("search index: %w", err)
	}
	return s, nil
}

// patiently asks again while the database is busy. SQLite does not wait by
// itself where it sees that waiting may not help, as when several processes open
// the same new log at once.
func patiently(ctx context.Context, do func() error) error {
	for deadline := time.Now().Add(busyWait * time.Millisecond); ; {
		err := do()
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errOtherLayout is an index that another version of wb has made.
var errOtherLayout = errors.New("made by another version")

// prepare makes the tables of a new file.
func (s *sqliteStore) prepare(ctx context.Context) error {
	version, err := s.version(ctx, s.db)
	if err != nil || version == layout {
		return err
	}
	if version != 0 {
		return errOtherLayout
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		if version, err := s.version(ctx, tx); err != nil || version == layout { // another process was first
			return err
		}
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", layout))
		return err
	})
}

func (s *sqliteStore) version(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func (s *sqliteStore) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *sqliteStore) Close() error { return s.db.Close() }

// each calls row for every row of an answer.
func (s *sqliteStore) each(ctx context.Context, row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *sqliteStore) Files(ctx context.Context) (map[string]FileState, error) {
	files := map[string]FileState{}
	err := s.each(ctx, func(scan func(...any) error) error {
		var path string
		var f FileState
		err := scan(&path, &f.ID, &f.Stamp, &f.Hash)
		files[path] = f
		return err
	}, "SELECT path, id, stamp, hash FROM file")
	return files, err
}

func (s *sqliteStore) Update(ctx context.Context, changes iter.Seq2[Change, error], gone []string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, path := range gone {
			if _, err := forget(ctx, tx, path); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM file WHERE path = ?", path); err != nil {
				return err
			}
		}
		if changes == nil {
			return nil
		}
		w, err := newFileWriter(ctx, tx)
		if err != nil {
			return err
		}
		for change, err := range changes {
			if err == nil {
				err = w.write(ctx, tx, change)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// forget drops the documents of a file, not the file, and returns the file's
// number; 0 is a file that is not there.
func forget(ctx context.Context, tx *sql.Tx, path string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id FROM file WHERE path = ?", path).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	from, to := makeID(id, 0), makeID(id+1, 0)-1
	if _, err := tx.ExecContext(ctx, "DELETE FROM words WHERE rowid IN (SELECT id FROM doc WHERE id BETWEEN ? AND ?)", from, to); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM doc WHERE id BETWEEN ? AND ?", from, to)
	return id, err
}

// fileWriter holds the statements of an update. They are simple ones: a
// statement that needs a savepoint makes FTS5 write out what it has gathered,
// which for every file costs more than indexing it.
type fileWriter struct {
	hash, file, again, doc, words *sql.Stmt
	next                          int64 // the number of the next new file
}

func newFileWriter(ctx context.Context, tx *sql.Tx) (w fileWriter, err error) {
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&w.hash, "SELECT hash FROM file WHERE path = ?"},
		{&w.file, "INSERT INTO file(stamp, hash, synonyms, path, id) VALUES(?, ?, ?, ?, ?)"},
		{&w.again, "UPDATE file SET stamp = ?, hash = ?, synonyms = ? WHERE path = ? AND id = ?"},
		{&w.doc, "INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?)"},
		{&w.words, "INSERT INTO words(rowid, title, outline, tags, body, code, result, title2, outline2, tags2, body2, code2, result2) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"},
	} {
		if *s.to, err = tx.PrepareContext(ctx, s.text); err != nil {
			return w, err
		}
	}
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM file").Scan(&w.next)
	return w, err
}

func (w *fileWriter) write(ctx context.Context, tx *sql.Tx, c Change) error {
	if c.File == nil {
		_, err := tx.ExecContext(ctx, "UPDATE file SET stamp = ? WHERE path = ? AND hash = ?", c.State.Stamp, c.Path, c.State.Hash)
		return err
	}
	var has string
	if err := w.hash.QueryRowContext(ctx, c.Path).Scan(&has); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if has != c.Was && !c.current() {
		return nil
	}
	id, err := forget(ctx, tx, c.Path)
	if err != nil {
		return err
	}
	statement := w.again
	if id == 0 {
		statement, id = w.file, w.next
		w.next++
	}
	if _, err := statement.ExecContext(ctx, c.State.Stamp, c.State.Hash, jsonText(c.File.synonyms), c.Path, id); err != nil {
		return err
	}
	for i := range c.File.documents {
		d := &c.File.documents[i]
		rowid := makeID(id, i)
		if _, err := w.doc.ExecContext(ctx, rowid, d.Line, d.Level, d.Start, d.End, d.Title, jsonText(d.Outline), jsonText(d.Tags)); err != nil {
			return err
		}
		_, err := w.words.ExecContext(ctx, rowid, d.title.words, d.outline.words, d.tags.words, d.body.words, d.code.words, d.result.words,
			d.title.more, d.outline.more, d.tags.more, d.body.more, d.code.more, d.result.more)
		if err != nil {
			return err
		}
	}
	return nil
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" {
		return ""
	}
	return string(text)
}

func (s *sqliteStore) Match(ctx context.Context, m Match) (map[ID]float64, error) {
	scores := map[ID]float64{}
	query := matchText(m)
	if query == "" {
		return scores, nil
	}
	err := s.each(ctx, func(scan func(...any) error) error {
		var id ID
		var score float64
		err := scan(&id, &score)
		scores[id] = -score // SQLite's is better the smaller it is
		return err
	}, "SELECT rowid, bm25(words, "+weights+") FROM words WHERE words MATCH ?", query)
	return scores, err
}

// matchText writes a match in FTS5's language. Words are letters, digits and _
// only, so nothing in them needs escaping within quotes.
func matchText(m Match) string {
	var alternatives []string
	for _, p := range m.Phrases {
		if len(p.Words) == 0 {
			continue
		}
		text := `"` + strings.Join(p.Words, " ") + `"`
		if p.Prefix {
			text += " *"
		}
		alternatives = append(alternatives, text)
	}
	if len(alternatives) == 0 {
		return ""
	}
	text := "(" + strings.Join(alternatives, " OR ") + ")"
	if !m.Variants {
		text = "{title outline tags body code result} : " + text
	}
	return text
}

func (s *sqliteStore) Words(ctx context.Context, prefix string) (map[string]int, error) {
	words := map[string]int{}
	err := s.each(ctx, func(scan func(...any) error) error {
		var word string
		var n int
		err := scan(&word, &n)
		words[word] = n
		return err
	}, "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?", prefix, prefix+"\U0010FFFF")
	return words, err
}

func (s *sqliteStore) Documents(ctx context.Context, ids []ID) ([]Found, error) {
	var found []Found
	err := s.each(ctx, func(scan func(...any) error) error {
		var f Found
		var outline, tags string
		err := scan(&f.ID, &f.Path, &f.Line, &f.Level, &f.Start, &f.End, &f.Title, &outline, &tags)
		f.Outline, f.Tags = textList(outline), textList(tags)
		found = append(found, f)
		return err
	}, fmt.Sprintf("SELECT doc.id, path, line, level, start, stop, title, outline, tags FROM doc JOIN file ON file.id = doc.id >> %d WHERE doc.id IN (SELECT value FROM json_each(?))", ordinalBits), jsonText(ids))
	return found, err
}

func textList(text string) (list []string) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &list) // we wrote it
	}
	return list
}

func (s *sqliteStore) Lines(ctx context.Context, file int64) (map[int]ID, error) {
	lines := map[int]ID{}
	err := s.each(ctx, func(scan func(...any) error) error {
		var id ID
		var line int
		err := scan(&id, &line)
		lines[line] = id
		return err
	}, "SELECT id, line FROM doc WHERE id BETWEEN ? AND ? ORDER BY id DESC", makeID(file, 0), makeID(file+1, 0)-1)
	return lines, err
}

func (s *sqliteStore) Synonyms(ctx context.Context) ([][]string, error) {
	var groups [][]string
	err := s.each(ctx, func(scan func(...any) error) error {
		var text string
		var own [][]string
		err := scan(&text)
		_ = json.Unmarshal([]byte(text), &own) // we wrote it
		groups = append(groups, own...)
		return err
	}, "SELECT synonyms FROM file WHERE synonyms != '' ORDER BY path")
	return groups, err
}

func (s *sqliteStore) Vector(ctx context.Context, key string) ([]float32, bool, error) {
	var blob []byte
	err := s.db.QueryRowContext(ctx, "SELECT value FROM vector WHERE key = ?", key).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	vector := make([]float32, len(blob)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(blob[4*i:]))
	}
	return vector, err == nil, err
}

func (s *sqliteStore) SetVectors(ctx context.Context, vectors map[string][]float32) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for key, vector := range vectors {
			blob := make([]byte, 0, 4*len(vector))
			for _, x := range vector {
				blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
			}
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO vector VALUES(?, ?)", key, blob); err != nil {
				return err
			}
		}
		return nil
	})
}
