package mcp

import (
	"context"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/internal/trace"
	"wb/workbook"
)

// notifier tells a client how far its call is: each message counts one more, since
// progress must grow.
type notifier func(message string)

type notifierKey struct{}

// withNotifier lets what a call does tell how far it is, where the client has
// asked for that with a progress token.
func withNotifier(ctx context.Context, r *mcp.CallToolRequest) context.Context {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return ctx
	}
	var mu sync.Mutex
	told := 0
	return context.WithValue(ctx, notifierKey{}, notifier(func(message string) {
		mu.Lock()
		defer mu.Unlock()
		told++
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(told), Message: message})
	}))
}

// progressive passes the events of a run on and tells of each component that is
// done.
func progressive(ctx context.Context, to trace.Sink) trace.Sink {
	tell, ok := ctx.Value(notifierKey{}).(notifier)
	if !ok {
		return to
	}
	return trace.SinkFunc(func(e trace.Event) error {
		if e.Kind == trace.KindComponentEnd || e.Kind == trace.KindCacheHit {
			tell(e.Component)
		}
		if to == nil {
			return nil
		}
		return to.Emit(e)
	})
}

// printed reports what components print while they run; nil when not requested.
func printed(ctx context.Context) func(workbook.Printed) {
	tell, ok := ctx.Value(notifierKey{}).(notifier)
	if !ok {
		return nil
	}
	return func(p workbook.Printed) { tell(p.ID + ": " + strings.TrimRight(p.Text, "\n")) }
}
