package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"wb/internal/clip"
	"wb/internal/trace"
	"wb/internal/trace/activity"
)

// activity streams, as server-sent events, what all runs of the tenant do from now
// on: those of this server, and those that are started otherwise on its state. A
// reader that comes back says with Last-Event-ID what it saw last and gets what has
// happened since, that moment once more.
func (s *Server) activity(w http.ResponseWriter, r *http.Request) {
	since, err := moment(r)
	if err != nil {
		fail(w, http.StatusBadRequest, "bad_request", err.Error())
		return
	}
	if since.IsZero() { // before the reader knows that it is heard
		since = time.Now()
	}
	t := tenantIn(r.Context())
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	e := &eventWriter{w, http.NewResponseController(w)}
	if err := e.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	if e.write([]byte("event: subscribed\ndata: {}\n\n")) != nil {
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(s.work, stop)()
	beaten := time.Now()
	_ = activity.Follow(ctx, activity.Config{State: t.state, Since: since, Every: s.config.LookEvery, Beat: func() error {
		if time.Since(beaten) < heartbeat {
			return nil
		}
		beaten = time.Now()
		return e.beat()
	}}, func(event trace.Event) error {
		text, err := json.Marshal(activity.LineOf(event))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "id: %s\nevent: activity\ndata: %s\n\n", event.Time.UTC().Format(time.RFC3339Nano), text)
		return e.write(b.Bytes())
	}) // the reader has gone, or the server stops
}

// moment is from when on a reader wants to know; the zero time is now.
func moment(r *http.Request) (time.Time, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("since")
	}
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, fmt.Errorf("%q is not a time such as 2026-11-21T07:00:00Z", clip.Chars(text, 40))
	}
	return at, nil
}
