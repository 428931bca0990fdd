package host

import (
	"errors"
	"testing"
	"time"

	"wb/agent"
	"wb/internal/trace"
	"wb/sandbox/netbroker"
)

type recorder []trace.Event

func (r *recorder) Emit(e trace.Event) error { *r = append(*r, e); return nil }

// An agent whose grant is taken back reaches nothing any more, and its records
// say so.
func TestRevokedAgent(t *testing.T) {
	var events recorder
	revoked := false
	rt := &Runtime{Revoked: func(agent, capability string, granted time.Time) bool {
		return revoked && agent == "waldo" && capability == "net" && !granted.IsZero()
	}, Net: netbroker.Config{Limits: netbroker.Limits{Timeout: time.Nanosecond}}} // no request leaves this machine
	web, err := rt.network(&agent.Definition{ID: "waldo"}, &events).public()
	if err != nil {
		t.Fatal(err)
	}
	var denied *netbroker.DeniedError
	if _, err := web.Get(t.Context(), "https://a.test/", nil); errors.As(err, &denied) || len(events) != 0 {
		t.Errorf("granted: %v %v", err, events)
	}
	revoked = true
	if _, err := web.Get(t.Context(), "https://a.test/", nil); !errors.As(err, &denied) || denied.Reason != "the grant was revoked" {
		t.Errorf("revoked: %v", err)
	}
	if len(events) != 1 || events[0].Kind != trace.KindDenial || events[0].Agent != "waldo" {
		t.Errorf("events: %+v", events)
	}
}
