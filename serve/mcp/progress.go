package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/internal/trace"
)

// notifier tells a client how far its call is.
type notifier func(done int, message string)

type notifierKey struct{}

// withNotifier lets what a call does tell how far it is, where the client has
// asked for that with a progress token.
func withNotifier(ctx context.Context, r *mcp.CallToolRequest) context.Context {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return ctx
	}
	return context.WithValue(ctx, notifierKey{}, notifier(func(done int, message string) {
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(done), Message: message})
	}))
}

// progressive passes the events of a run on and tells of each component that is
// done. Components run at the same time; their events come one by one.
func progressive(ctx context.Context, to trace.Sink) trace.Sink {
	tell, ok := ctx.Value(notifierKey{}).(notifier)
	if !ok {
		return to
	}
	var mu sync.Mutex
	done := 0
	return trace.SinkFunc(func(e trace.Event) error {
		if e.Kind == trace.KindComponentEnd || e.Kind == trace.KindCacheHit {
			mu.Lock()
			done++
			tell(done, e.Component)
			mu.Unlock()
		}
		if to == nil {
			return nil
		}
		return to.Emit(e)
	})
}
