package store

import (
	"context"
	"database/sql"
)

// Get reads the value of a key.
func (s *Store) Get(ctx context.Context, scope, key string) (value []byte, found bool, err error) {
	found, err = s.one(ctx, dockFile, []any{&value}, `SELECT value FROM kv WHERE scope = ? AND key = ?`, scope, key)
	return value, found, err
}

// Put keeps a value under a key.
func (s *Store) Put(ctx context.Context, scope, key string, value []byte) error {
	if err := s.checkName(key); err != nil {
		return err
	}
	if len(value) > s.limits.Value {
		return &LimitError{"value", int64(len(value)), int64(s.limits.Value), "bytes"}
	}
	if value == nil {
		value = []byte{}
	}
	return s.change(ctx, dockFile, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO kv VALUES(?, ?, ?) ON CONFLICT(scope, key) DO UPDATE SET value = excluded.value`, scope, key, value); err != nil {
			return err
		}
		var count, bytes int64
		if err := tx.QueryRowContext(ctx, `SELECT rows, bytes FROM kv_total WHERE owner = ?`, scope).Scan(&count, &bytes); err != nil {
			return err
		}
		switch {
		case count > int64(s.limits.Keys):
			return &LimitError{"keys", count, int64(s.limits.Keys), "keys"}
		case bytes > s.limits.KeysBytes:
			return &LimitError{"values", bytes, s.limits.KeysBytes, "bytes"}
		}
		return nil
	})
}

// Delete forgets a key, whether it is there or not.
func (s *Store) Delete(ctx context.Context, scope, key string) error {
	return s.change(ctx, dockFile, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM kv WHERE scope = ? AND key = ?`, scope, key)
		return err
	})
}

// Keys lists the keys that begin with prefix, sorted by their bytes.
func (s *Store) Keys(ctx context.Context, scope, prefix string) ([]string, error) {
	end := above(prefix)
	if end == "" {
		return s.texts(ctx, dockFile, `SELECT key FROM kv WHERE scope = ? AND key >= ? ORDER BY key`, scope, prefix)
	}
	return s.texts(ctx, dockFile, `SELECT key FROM kv WHERE scope = ? AND key >= ? AND key < ? ORDER BY key`, scope, prefix, end)
}
