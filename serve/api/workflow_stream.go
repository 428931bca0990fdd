package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"wb/app"
	"wb/workbook"
)

// wantsEvents reports whether a caller would rather follow a run than wait for it.
func wantsEvents(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// outputEvent is a piece of what a component prints.
type outputEvent struct {
	ID     string `json:"id"`
	Stderr bool   `json:"stderr,omitempty"`
	Text   string `json:"text"`
}

// follower tells the caller of a workflow, as server-sent events, what components
// print ("output"), how they end ("component"), and at last what the run gave
// ("result") or why it gave nothing ("failed").
type follower struct {
	to    *eventWriter
	home  *app.Home
	leave context.CancelFunc // ends the run of a caller who has gone
}

// followWorkflow lets a caller hear a run.
func (s *Server) followWorkflow(w http.ResponseWriter, home *app.Home, opts *workbook.Options, leave context.CancelFunc) *follower {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	f := &follower{&eventWriter{w, http.NewResponseController(w)}, home, leave}
	if err := f.to.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		leave()
	}
	opts.Output = func(p workbook.Printed) { f.tell("output", outputEvent{p.ID, p.Stderr, p.Text}) }
	opts.Progress = func(d workbook.Done) {
		if d.Status != workbook.StatusData {
			f.tell("component", app.NewComponentOut(d))
		}
	}
	return f
}

func (f *follower) tell(name string, data any) {
	text, err := f.home.InsideJSON(data)
	if err == nil {
		err = f.to.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, text))
	}
	if err != nil {
		f.leave()
	}
}

// end tells the end of the run.
func (f *follower) end(t *tenant, ran *app.Ran, err error) {
	if err != nil {
		_, problem := startProblem(t, err)
		f.tell("failed", problem)
		return
	}
	f.tell("result", app.NewRunOut(ran))
}
