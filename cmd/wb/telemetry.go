package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/activity"
	"wb/internal/trace/telemetry"
	"wb/proof/identity"
)

// telemetryCmd says what runs amounted to.
type telemetryCmd struct {
	Run_  string `arg:"" name:"run" optional:"" help:"An id or its beginning, last, last~1, an events.org or a directory; every run when not given."`
	Limit int    `default:"20" help:"Runs at most in the list."`

	Follow bool          `help:"Print the events of all runs as they happen, of every process, until Ctrl-C; --json prints a JSON object a line."`
	Since  time.Duration `help:"With --follow: begin with what happened this long ago." placeholder:"TIME"`
	Tenant string        `help:"Whose runs, on a machine that serves several." default:"default" placeholder:"NAME"`
}

func (c *telemetryCmd) Help() string {
	return `Examples:
  wb telemetry              the last runs: calls, errors, time, tokens, cost
  wb telemetry last         one run: by component and tool, slowest, last errors
  wb telemetry events.org   the last run that a file records
  wb telemetry --follow     what all runs do, as it happens`
}

func (c *telemetryCmd) Run(a *app) error {
	state, err := tenantState(c.Tenant)
	if err != nil {
		return err
	}
	if c.Follow {
		return c.follow(a, state)
	}
	dir := "."
	if c.Tenant != identity.DefaultTenant {
		dir = state.Dir() // what is recorded here is not the tenant's
	}
	if c.Run_ != "" {
		record, err := telemetry.Find(state, dir, c.Run_)
		if err != nil {
			return err
		}
		s := telemetry.Summarize(record)
		return a.answer("telemetry", s, s.Write)
	}
	records, err := telemetry.List(state, dir)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return &telemetry.NotFoundError{}
	}
	records = records[max(0, len(records)-max(c.Limit, 1)):]
	slices.Reverse(records)
	list := make([]*telemetry.Summary, len(records))
	for i := range records {
		if err := telemetry.Load(&records[i]); err != nil && a.verbose {
			a.note("wb: %v", err)
		}
		list[i] = telemetry.Summarize(&records[i])
	}
	return a.answer("telemetry", list, func(w io.Writer) error { return telemetry.WriteList(w, list) })
}

// follow prints events until the process is told to end.
func (c *telemetryCmd) follow(a *app, state *trace.State) error {
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
		line := strings.Join(strings.Fields(who+" "+eventLine(e)), " ")
		_, err := fmt.Fprintf(a.std.Out, "%s %s %s\n", e.Time.Local().Format("15:04:05"), e.Run, line)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// openState is the user's state.
func openState() (*trace.State, error) {
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return trace.NewState(dir), nil
}
