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
		"push": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			if err := outside(call, call.Text(0)); err != nil {
				return dock.Reply{}, err
			}
			return done(call, s.Push(ctx, call.Principal.Tenant, call.Text(0), call.Args[1]))
		},
		"pop": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			if err := outside(call, call.Text(0)); err != nil {
				return dock.Reply{}, err
			}
			body, found, err := s.Pop(ctx, call.Principal.Tenant, call.Text(0))
			return value(call, body, found, err)
		},
		"length": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			if err := outside(call, call.Text(0)); err != nil {
				return dock.Reply{}, err
			}
			n, err := s.Length(ctx, call.Principal.Tenant, call.Text(0))
			return answer(call, n, err)
		},
	}
}
