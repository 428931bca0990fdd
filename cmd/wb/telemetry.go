package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"wb/app"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/internal/trace/activity"
)

// telemetryCmd says what runs amounted to, and here follows them.
type telemetryCmd struct {
	app.TelemetryIn
	Follow bool          `help:"Print the events of all runs of every process as they happen, until Ctrl-C; with --json one JSON object a line."`
	Since  time.Duration `help:"With --follow: begin this long ago." placeholder:"TIME"`
	app.TenantFlag
}

func (c *telemetryCmd) Run(a *terminal) error {
	state, err := c.State()
	if err != nil {
		return err
	}
	if c.Follow {
		return c.follow(a, state)
	}
	row, _ := app.Find("telemetry")
	home := a.home()
	home.State = state
	if c.Tenant != identity.DefaultTenant {
		home.Dir = state.Dir() // what is recorded here is not the tenant's
	}
	answer, err := row.Do(a.ctx, home, &c.TelemetryIn)
	if err != nil {
		return err
	}
	return a.show(row.Name, answer)
}

// follow prints events until the process is told to end.
func (c *telemetryCmd) follow(a *terminal, state *trace.State) error {
	out := json.NewEncoder(a.std.Out)
	out.SetEscapeHTML(false)
	err := activity.Follow(a.ctx, activity.Config{State: state, Since: time.Now().Add(-c.Since)}, func(e trace.Event) error {
		switch {
		case c.Run_ != "" && !strings.HasPrefix(e.Run, c.Run_):
			return nil
		case a.json:
			return out.Encode(activity.LineOf(e))
		}
		who := e.Agent
		if who == "" {
			who = e.Component
		}
		line := strings.Join(strings.Fields(who+" "+app.EventLine(e)), " ")
		_, err := fmt.Fprintf(a.std.Out, "%s %s %s\n", e.Time.Local().Format("15:04:05"), e.Run, line)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
