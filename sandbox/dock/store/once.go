package store

import (
	"context"
	"database/sql"
	"time"
)

// Part is a file of a store.
type Part string

// The parts of a store: keys and values, queues; and files.
const (
	Dock  Part = dockFile
	Files Part = vfsFile
)

// Told is the recorded answer of an operation.
type Told struct {
	Found bool
	Body  []byte
}

// keepTold is how long answers are kept for who asks again.
const keepTold = 30 * 24 * time.Hour

// once is an operation that is done once by its id.
type once struct {
	id   string
	told Told
	kept bool // in the transaction of what was done
}

type onceKey struct{}

func onceOf(ctx context.Context) *once {
	o, _ := ctx.Value(onceKey{}).(*once)
	return o
}

// Once does an operation on a part of the store unless one of this id has been
// done; then it gives the answer of that time. What a change does and that it has
// been done are one transaction: a process that dies has done both or neither. What
// fails is not kept.
func (s *Store) Once(ctx context.Context, part Part, id string, do func(ctx context.Context) (Told, error)) (Told, error) {
	var known Told
	found, err := s.one(ctx, string(part), []any{&known.Found, &known.Body}, `SELECT found, body FROM told WHERE id = ?`, id)
	if found || err != nil {
		return known, err
	}
	o := &once{id: id, told: Told{Found: true}}
	told, err := do(context.WithValue(ctx, onceKey{}, o))
	if err != nil || o.kept {
		return told, err
	}
	o.told = told
	err = s.change(ctx, string(part), func(tx *sql.Tx) error { return s.keep(ctx, tx, o) })
	return told, err
}

// keep notes that an operation has been done.
func (s *Store) keep(ctx context.Context, tx *sql.Tx, o *once) error {
	now := s.now()
	if _, err := tx.ExecContext(ctx, `DELETE FROM told WHERE at < ?`, now.Add(-keepTold).Unix()); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO told VALUES(?, ?, ?, ?)`, o.id, o.told.Found, o.told.Body, now.Unix())
	o.kept = err == nil
	return err
}

// toldTable is in both parts.
const toldTable = `
CREATE TABLE IF NOT EXISTS told(id TEXT PRIMARY KEY, found INTEGER NOT NULL, body BLOB, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS told_at ON told(at);
`
