package library

import (
	"context"

	"wb/internal/value"
	"wb/search/federate"
)

// TableName is the library's name in queries: (from library).
const TableName = "library"

// Rows makes the library a table for queries, a row for each member.
func (l *Library) Rows(ctx context.Context, _ federate.Filter, yield func(federate.Row) error) error {
	for _, m := range l.Members() {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := l.Row(m)
		if err != nil {
			return err
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return nil
}

// Row is a member as a row.
func (l *Library) Row(m *Member) (federate.Row, error) {
	status, files, err := l.Status(m)
	if err != nil {
		return nil, err
	}
	digest := value.Nil()
	if files != nil {
		digest = value.OfString(files.Digest())
	}
	text := func(s string) value.Value {
		if s == "" {
			return value.Nil()
		}
		return value.OfString(s)
	}
	return federate.Row{
		{Name: "id", Value: value.OfString(m.ID())}, {Name: "workspace", Value: value.OfString(m.Workspace.Name)}, {Name: "member", Value: value.OfString(m.Name)},
		{Name: "title", Value: value.OfString(m.Title)}, {Name: "file", Value: value.OfString(m.File())}, {Name: "scope", Value: value.OfString(string(m.Scope))},
		{Name: "status", Value: value.OfString(string(status))}, {Name: "files", Value: value.OfInt(int64(len(files)))}, {Name: "sha256", Value: digest},
		{Name: "owner", Value: text(m.DID)}, {Name: "signer", Value: text(m.Provenance.Signer)}, {Name: "checked_in", Value: text(m.Provenance.Time)},
	}, nil
}
