package broker

import (
	"context"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// Queue passes messages on, first in, first out. A grant may be narrowed to
// queues: queue:jobs.
func Queue(s *store.Store) dock.Broker {
	return operations{
		"push": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			return done(call, s.Push(ctx, call.Principal.Tenant, call.Text(0), call.Args[1]))
		}),
		"pop": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			body, found, err := s.Pop(ctx, call.Principal.Tenant, call.Text(0))
			return value(call, body, found, err)
		}),
		"length": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			n, err := s.Length(ctx, call.Principal.Tenant, call.Text(0))
			return answer(call, n, err)
		}),
	}
}
