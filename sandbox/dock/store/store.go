// Package store keeps what brokers of the dock keep: keys and values, queues,
// variables, secrets and files in volumes. It is SQLite in two files of a
// directory, dock.sqlite and vfs.sqlite; several processes may use them at once.
//
// Everything is kept by scope, a name for whose it is, and bounded: sizes and
// counts are checked in the same transaction that adds. Secrets are sealed with
// a key that lies elsewhere, so that the files alone give nothing away.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Limits bound what one scope may keep.
type Limits struct {
	Keys       int           // of a scope
	Value      int           // bytes of a value
	KeysBytes  int64         // bytes of all values
	Depth      int           // messages in a queue
	Queues     int           // queues of a scope
	Message    int           // bytes of a message
	File       int           // bytes of a file
	Volume     int64         // bytes of a volume
	Files      int           // files of a volume
	Variables  int           // of a scope, secrets included
	VariableOf int           // bytes of a variable or secret
	Name       int           // bytes of any key, path or name
	Rows       int           // rows of a query's answer
	Query      time.Duration // of one query
}

// DefaultLimits are the limits of every scope.
var DefaultLimits = Limits{
	Keys: 10_000, Value: 1 << 20, KeysBytes: 256 << 20,
	Depth: 1000, Queues: 256, Message: 256 << 10,
	File: 16 << 20, Volume: 256 << 20, Files: 10_000,
	Variables: 1000, VariableOf: 64 << 10, Name: 1024, Rows: 10_000, Query: 5 * time.Second,
}

// LimitError says that something is too large or too much.
type LimitError struct {
	What  string // "value", "keys", "queue q", …
	Have  int64
	Limit int64
	Unit  string // "bytes", "keys", …
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d %s, at most %d", e.What, e.Have, e.Unit, e.Limit)
}

// NameError says that a name cannot be one.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string { return fmt.Sprintf("%q is not a name: %s", e.Name, e.Reason) }

// Store is an open store. It is safe for concurrent use. The files are opened
// when they are first needed.
type Store struct {
	dir    string
	seal   func() ([]byte, error) // the key of secrets
	limits Limits
	now    func() time.Time
	told   func()

	mu    sync.Mutex
	files map[string]*sql.DB
}

// Config says where a store lies. Dir is required.
type Config struct {
	Dir string
	// Seal gives the 32 bytes that secrets are sealed with; nil refuses secrets.
	Seal   func() ([]byte, error)
	Limits Limits           // the zero value is DefaultLimits
	Now    func() time.Time // nil is the system's clock
	// Changed hears of each change that was made; nil need not.
	Changed func()
}

// Open makes a store; nothing is read yet.
func Open(config Config) *Store {
	if config.Limits == (Limits{}) {
		config.Limits = DefaultLimits
	}
	if config.Limits.Query == 0 {
		config.Limits.Query = DefaultLimits.Query
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Store{dir: config.Dir, seal: config.Seal, limits: config.Limits, now: config.Now, told: config.Changed, files: map[string]*sql.DB{}}
}

// Close closes the files.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for name, db := range s.files {
		err = errors.Join(err, db.Close())
		delete(s.files, name)
	}
	return err
}

// The files of a store and what is in them.
const (
	dockFile = "dock.sqlite"
	vfsFile  = "vfs.sqlite"
)

var schemas = map[string]string{
	dockFile: `
CREATE TABLE IF NOT EXISTS kv(scope TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY(scope, key)) WITHOUT ROWID;
` + totals("kv", "scope", "value") + `
CREATE TABLE IF NOT EXISTS queue(id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, name TEXT NOT NULL, message BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS queue_order ON queue(scope, name, id);
CREATE TABLE IF NOT EXISTS variable(scope TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, value BLOB NOT NULL, size INTEGER NOT NULL, PRIMARY KEY(scope, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage(principal TEXT NOT NULL, capability TEXT NOT NULL, calls INTEGER NOT NULL, denied INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY(principal, capability)) WITHOUT ROWID;
` + toldTable,
	vfsFile: `
CREATE TABLE IF NOT EXISTS vfs(volume TEXT NOT NULL, path TEXT NOT NULL, content BLOB NOT NULL, mtime INTEGER NOT NULL, PRIMARY KEY(volume, path)) WITHOUT ROWID;
` + totals("vfs", "volume", "content") + toldTable,
}

// totals keeps count of a table's rows and bytes by owner, in a table of its
// own, so that nothing is counted anew with each change.
func totals(table, owner, bytes string) string {
	return strings.NewReplacer("TABLE_", table, "OWNER_", owner, "BYTES_", bytes).Replace(`
CREATE TABLE IF NOT EXISTS TABLE__total(owner TEXT PRIMARY KEY, rows INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS TABLE__added AFTER INSERT ON TABLE_ BEGIN
	INSERT INTO TABLE__total VALUES(new.OWNER_, 1, length(new.BYTES_))
		ON CONFLICT(owner) DO UPDATE SET rows = rows + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS TABLE__changed AFTER UPDATE ON TABLE_ BEGIN
	UPDATE TABLE__total SET bytes = bytes + length(new.BYTES_) - length(old.BYTES_) WHERE owner = new.OWNER_;
END;
CREATE TRIGGER IF NOT EXISTS TABLE__removed AFTER DELETE ON TABLE_ BEGIN
	UPDATE TABLE__total SET rows = rows - 1, bytes = bytes - length(old.BYTES_) WHERE owner = old.OWNER_;
END;
`)
}

// fileURL names a file to SQLite.
func fileURL(path string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
}

// busyWait is how long a writer waits for another one, in milliseconds.
const busyWait = 10_000

// open gives a file of the store, made when it is not there.
func (s *Store) open(ctx context.Context, name string) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if db := s.files[name]; db != nil {
		return db, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	path := filepath.Join(s.dir, name)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would make it readable for all
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	source := fileURL(path) +
		fmt.Sprintf("?_pragma=busy_timeout(%d)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_txlock=immediate", busyWait)
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", name, err)
	}
	if _, err := db.ExecContext(ctx, schemas[name]); err != nil {
		return nil, errors.Join(fmt.Errorf("store %s: %w", name, err), db.Close())
	}
	s.files[name] = db
	return db, nil
}

// change runs do in a transaction.
func (s *Store) change(ctx context.Context, file string, do func(tx *sql.Tx) error) error {
	db, err := s.open(ctx, file)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("store %s: %w", file, err)
	}
	err = do(tx)
	if o := onceOf(ctx); o != nil && err == nil {
		err = s.keep(ctx, tx, o)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store %s: %w", file, err)
	}
	if s.told != nil {
		s.told()
	}
	return nil
}

// one reads a single row into to; found is false when there is none.
func (s *Store) one(ctx context.Context, file string, to []any, query string, args ...any) (found bool, err error) {
	db, err := s.open(ctx, file)
	if err != nil {
		return false, err
	}
	err = db.QueryRowContext(ctx, query, args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store %s: %w", file, err)
	}
	return true, nil
}

// texts reads a column of text.
func (s *Store) texts(ctx context.Context, file, query string, args ...any) ([]string, error) {
	db, err := s.open(ctx, file)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", file, err)
	}
	defer rows.Close()
	list := []string{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("store %s: %w", file, err)
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

// checkName refuses what cannot be a key or name.
func (s *Store) checkName(name string) error {
	switch {
	case name == "":
		return &NameError{name, "it is empty"}
	case len(name) > s.limits.Name:
		return &LimitError{"name", int64(len(name)), int64(s.limits.Name), "bytes"}
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return &NameError{name, "it has a control character"}
		}
	}
	return nil
}

// above is a glob-free bound: the first text after all that begin with prefix,
// "" when there is none.
func above(prefix string) string {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return string(b[:i+1])
		}
	}
	return ""
}
