package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Use counts a principal's uses of a capability, over all runs.
type Use struct {
	Principal  string    `json:"principal"`
	Capability string    `json:"capability"`
	Calls      int64     `json:"calls"`
	Denied     int64     `json:"denied"`
	Last       time.Time `json:"last"`
}

// AddUse adds to the counts.
func (s *Store) AddUse(ctx context.Context, principal, capability string, calls, denied int64) error {
	return s.change(ctx, dockFile, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO usage VALUES(?1, ?2, ?3, ?4, ?5)
			ON CONFLICT(principal, capability) DO UPDATE SET calls = calls + ?3, denied = denied + ?4, last = ?5`,
			principal, capability, calls, denied, s.now().Unix())
		return err
	})
}

// Uses lists what was counted, by principal and capability.
func (s *Store) Uses(ctx context.Context) ([]Use, error) {
	db, err := s.open(ctx, dockFile)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT principal, capability, calls, denied, last FROM usage ORDER BY principal, capability`)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", dockFile, err)
	}
	defer rows.Close()
	list := []Use{}
	for rows.Next() {
		var u Use
		var last int64
		if err := rows.Scan(&u.Principal, &u.Capability, &u.Calls, &u.Denied, &last); err != nil {
			return nil, fmt.Errorf("store %s: %w", dockFile, err)
		}
		u.Last = time.Unix(last, 0).UTC()
		list = append(list, u)
	}
	return list, rows.Err()
}
