package broker

import (
	"context"
	"slices"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
)

// KV keeps values by key. A grant may be narrowed to keys: kv:cache/*.
func KV(s *store.Store) dock.Broker {
	return operations{
		"get": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			body, found, err := s.Get(ctx, call.Principal.Tenant, call.Text(0))
			return value(call, body, found, err)
		}),
		"put": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			return done(call, s.Put(ctx, call.Principal.Tenant, call.Text(0), call.Args[1]))
		}),
		"delete": within(func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			return done(call, s.Delete(ctx, call.Principal.Tenant, call.Text(0)))
		}),
		"list": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			keys, err := s.Keys(ctx, call.Principal.Tenant, call.Text(0))
			return answer(call, slices.DeleteFunc(keys, func(k string) bool { return !call.Within(k) }), err)
		},
	}
}
