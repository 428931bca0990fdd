package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"wb/agent"
	"wb/agent/guard"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox/netbroker"
	"wb/workbook"
)

// guard gives the middleware that :GUARD: asks for. It names the address of a public
// host, a guard of the user's settings, which may have any address, or a component of the
// document. Without :GUARD: there is none.
func (rt *Runtime) guard(d *agent.Definition, task Task, events agent.Recorder) ([]agent.Middleware, error) {
	if d.Guard == "" {
		return nil, nil
	}
	if strings.HasPrefix(d.Guard, "https://") || strings.HasPrefix(d.Guard, "http://") {
		origin, err := originOf(d.Guard)
		if err != nil {
			return nil, diag.Errorf(d.Pos, ":GUARD: %s: %v", d.Guard, err)
		}
		endpoint := &guard.Endpoint{URL: d.Guard, Web: rt.network(d, events).broker(origin)}
		return []agent.Middleware{guard.Middleware(endpoint.Check)}, nil
	}
	if configured, ok := rt.Settings.Guard[d.Guard]; ok {
		web, err := rt.network(d, events).configured(configured.URL, netbroker.Limits{})
		if err != nil {
			return nil, err
		}
		endpoint := &guard.Endpoint{URL: configured.URL, Model: configured.Model, Web: web}
		if configured.KeyEnv != "" {
			endpoint.Key = rt.Getenv(configured.KeyEnv)
		}
		return []agent.Middleware{guard.Middleware(endpoint.Check)}, nil
	}
	check, err := rt.guardComponent(d, task, events)
	if err != nil {
		return nil, err
	}
	return []agent.Middleware{guard.Middleware(check)}, nil
}

// guardComponent asks a component of the document, whose only input is the task.
// It is the document of the user that is asked, not what the run has made of it.
func (rt *Runtime) guardComponent(d *agent.Definition, task Task, events agent.Recorder) (guard.Check, error) {
	var src []byte
	var plan *workbook.Plan
	if task.File != "" {
		var err error
		if src, err = os.ReadFile(task.File); err != nil {
			return nil, err
		}
		plan = workbook.NewPlan(task.File, src)
	}
	var found *workbook.Component
	var ids []string
	if plan != nil {
		for _, c := range plan.Components {
			_, short, _ := strings.Cut(c.ID, "/")
			if c.ID == d.Guard || short == d.Guard || c.Name == d.Guard {
				found = c
			}
			ids = append(ids, c.ID)
		}
	}
	switch {
	case found == nil:
		known := append(slices.Sorted(maps.Keys(rt.Settings.Guard)), ids...)
		return nil, diag.Errorf(d.Pos, "agent %s uses the guard %s, but no guard has that name", d.ID, d.Guard).WithHint("an https address, a [guard.NAME] of wb.toml or a component: " + strings.Join(known, " "))
	case len(found.In) != 1:
		return nil, diag.Errorf(d.Pos, "the guard %s has %d inputs; a guard takes one, the task", d.Guard, len(found.In))
	}
	pass := rt.pass(d, task, agent.Options{Events: events}, maxTeamDepth) // it asks no agents
	return func(ctx context.Context, text string) error {
		report, _, err := rt.runWith(ctx, pass(ctx, relative(task.Dir, task.File)), workbook.Options{
			Book:      workbook.Book{File: task.File, Source: src, Lanes: rt.Lanes},
			Inputs:    workbook.Inputs{Set: map[string]value.Value{found.In[0].Name: value.OfString(text)}},
			Selection: workbook.Selection{Only: []string{found.ID}},
			Write:     workbook.WriteNothing,
		})
		if err != nil {
			return fmt.Errorf("%s: %w", found.ID, err)
		}
		for _, c := range report.Components {
			if c.ID == found.ID && c.Err != nil {
				return fmt.Errorf("%s: %w", found.ID, c.Err)
			}
			if c.ID == found.ID {
				return guard.Verdict([]byte(c.Value.String()))
			}
		}
		return errors.New(found.ID + " did not run")
	}, nil
}
