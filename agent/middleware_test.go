package agent_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"wb/agent"
)

// Middleware wraps the run, each turn and each call, the first outermost, with a
// state of its own in every run.
func TestMiddleware(t *testing.T) {
	var did []string
	layer := func(name string) agent.Middleware {
		return func(info agent.RunInfo) agent.Layer {
			turns := 0 // of this run
			return agent.Layer{
				Admit: func(_ context.Context, task string) error {
					did = append(did, name+" admits "+task+" to "+info.RunID)
					return nil
				},
				Ask: func(next agent.AskFunc) agent.AskFunc {
					return func(ctx context.Context, r agent.Request, delta func(string)) (agent.Reply, error) {
						turns++
						did = append(did, fmt.Sprintf("%s turn %d", name, turns))
						return next(ctx, r, delta)
					}
				},
				Call: func(next agent.CallFunc) agent.CallFunc {
					return func(ctx context.Context, c agent.ToolCall) (agent.Output, error) {
						out, err := next(ctx, c)
						did = append(did, name+" "+c.Name+" "+out.Text)
						out.Text += "!"
						return out, err
					}
				},
			}
		}
	}
	around := []agent.Middleware{layer("a"), layer("b")}
	for range 2 {
		did = nil
		r, _ := run(t, func(o *agent.Options) { o.Around = around }, call("echo hi"), say("fine"))
		want := []string{"a admits do it to r1", "b admits do it to r1", "a turn 1", "b turn 1", "b echo hi", "a echo hi!", "a turn 2", "b turn 2"}
		if r.Status != agent.StatusText || r.Events[0].Output != "hi!!" || !slices.Equal(did, want) {
			t.Errorf("%+v\n%q\nwant\n%q", r, did, want)
		}
	}
}
