package broker

import (
	"context"
	"errors"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// VFS keeps files in the volumes workspace, memory and tmp. It has nothing to
// do with the files a guest sees as /.
func VFS(s *store.Store) dock.Broker {
	return operations{
		"read": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			body, found, err := s.ReadFile(ctx, call.Text(0))
			return value(call, body, found, err)
		},
		"write": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			return done(call, s.WriteFile(ctx, call.Text(0), call.Args[1]))
		},
		"remove": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			return done(call, s.RemoveFile(ctx, call.Text(0)))
		},
		"list": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			names, err := s.ListFiles(ctx, call.Text(0))
			return answer(call, names, err)
		},
		"query": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			columns, rows, err := s.Query(ctx, call.Text(0))
			var limit *store.LimitError
			if err != nil && !errors.As(err, &limit) {
				return dock.Reply{}, dock.Errorf(dock.CodeInvalid, "vfs.query: %v", err) // SQLite about the guest's own text
			}
			return answer(call, map[string]any{"columns": columns, "rows": rows}, err)
		},
	}
}
