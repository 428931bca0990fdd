package store

import (
	"context"
	"database/sql"
)

// Push appends a message to a queue.
func (s *Store) Push(ctx context.Context, scope, queue string, message []byte) error {
	if err := s.checkName(queue); err != nil {
		return err
	}
	if len(message) > s.limits.Message {
		return &LimitError{"message", int64(len(message)), int64(s.limits.Message), "bytes"}
	}
	if message == nil {
		message = []byte{}
	}
	return s.change(ctx, dockFile, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO queue(scope, name, message) VALUES(?, ?, ?)`, scope, queue, message); err != nil {
			return err
		}
		var depth, queues int64
		if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM queue WHERE scope = ? AND name = ?), (SELECT count(DISTINCT name) FROM queue WHERE scope = ?)`, scope, queue, scope).Scan(&depth, &queues); err != nil {
			return err
		}
		switch {
		case depth > int64(s.limits.Depth):
			return &LimitError{"queue " + queue, depth, int64(s.limits.Depth), "messages"}
		case queues > int64(s.limits.Queues):
			return &LimitError{"queues", queues, int64(s.limits.Queues), "queues"}
		}
		return nil
	})
}

// Pop takes the oldest message of a queue. No two callers get the same one.
func (s *Store) Pop(ctx context.Context, scope, queue string) (message []byte, found bool, err error) {
	err = s.change(ctx, dockFile, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `DELETE FROM queue WHERE id = (SELECT min(id) FROM queue WHERE scope = ? AND name = ?) RETURNING message`, scope, queue).Scan(&message)
		if err == sql.ErrNoRows {
			err = nil
		} else {
			found = err == nil
		}
		if o := onceOf(ctx); o != nil {
			o.told = Told{found, message}
		}
		return err
	})
	return message, found, err
}

// Length is the number of messages in a queue.
func (s *Store) Length(ctx context.Context, scope, queue string) (n int64, err error) {
	_, err = s.one(ctx, dockFile, []any{&n}, `SELECT count(*) FROM queue WHERE scope = ? AND name = ?`, scope, queue)
	return n, err
}
