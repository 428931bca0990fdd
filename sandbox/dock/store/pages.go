package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// Parts are the files of a store that copies of it consist of.
var Parts = []Part{Dock, Files}

// Stamp tells whether a part has changed since: its file and its log, by size and
// time. The zero Stamp is that of a part that is not there.
type Stamp struct {
	Size, Log     int64
	Time, LogTime int64 // nanoseconds
}

// Stamp is how a part stands on the disk.
func (s *Store) Stamp(part Part) Stamp {
	var stamp Stamp
	if info, err := os.Stat(filepath.Join(s.dir, string(part))); err == nil {
		stamp.Size, stamp.Time = info.Size(), info.ModTime().UnixNano()
	}
	if info, err := os.Stat(filepath.Join(s.dir, string(part)+"-wal")); err == nil {
		stamp.Log, stamp.LogTime = info.Size(), info.ModTime().UnixNano()
	}
	return stamp
}

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }

// Pages shows visit the pages of a part in order, as they stood at one moment
// between two transactions, whoever writes meanwhile. Together they are a database.
// A page is visit's until it returns.
func (s *Store) Pages(ctx context.Context, part Part, visit func(page []byte) error) error {
	db, err := s.open(ctx, string(part))
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT data FROM sqlite_dbpage ORDER BY pgno`) // one statement is one transaction
	if err != nil {
		return fmt.Errorf("store %s: %w", part, err)
	}
	defer rows.Close()
	var page sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&page); err != nil {
			return fmt.Errorf("store %s: %w", part, err)
		}
		if err := visit(page); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("store %s: %w", part, err)
	}
	return nil
}

// Empty reports whether nothing is kept in any part.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	for part, query := range map[Part]string{
		Dock:  `SELECT (SELECT count(*) FROM kv) + (SELECT count(*) FROM queue)`,
		Files: `SELECT count(*) FROM vfs`,
	} {
		if s.Stamp(part) == (Stamp{}) {
			continue
		}
		var n int64
		if _, err := s.one(ctx, string(part), []any{&n}, query); n > 0 || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Check reports what is wrong with a database file of which others keep their hands
// off, as SQLite's own check finds it.
func Check(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", fileURL(path))
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	return nil
}

// Replace makes a part what a database file holds. It is one transaction: who uses
// the store meanwhile, in whatever process, sees all of it or nothing.
func (s *Store) Replace(ctx context.Context, part Part, path string) error {
	db, err := s.open(ctx, string(part))
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("store %s: %w", part, err)
	}
	defer conn.Close()
	err = conn.Raw(func(driver any) error {
		from, ok := driver.(interface {
			NewRestore(string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.ErrUnsupported
		}
		backup, err := from.NewRestore(fileURL(path))
		if err != nil {
			return err
		}
		_, err = backup.Step(-1)
		return errors.Join(err, backup.Finish())
	})
	if err != nil {
		return fmt.Errorf("store %s: %w", part, err)
	}
	return nil
}
