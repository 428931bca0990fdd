package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"wb/internal/trace"
	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
	"wb/workbook/plan"
)

// docked reports whether a capability is served through the dock.
func docked(capability string) bool {
	return capability == netbroker.PrivateCapability || slices.Contains(dock.Capabilities(), capability)
}

// dock is the dock of a program, nil when the run has none. A program that asks
// for nothing has one that grants nothing: what it tries is denied and recorded.
func (r binder) dock(ctx context.Context, id string, p *program) *dock.Dock {
	if r.opts.Docks == nil {
		return nil
	}
	record := func(kind trace.Kind, tool, text string) {
		e := trace.Event{Kind: kind, Component: id, Lang: p.src.Lang, Profile: p.profile, Tool: tool}
		if kind == trace.KindDenial {
			e.Error = text
		} else {
			e.Output = text
		}
		r.emit(e)
	}
	return r.opts.Docks(ctx, DockRequest{Component: id, Granted: r.dockGrants(p), Limits: p.job.Limits,
		Denied: func(d dock.Denial) {
			p.denied.Store(true)
			record(trace.KindDenial, d.Operation, d.Reason)
		},
		Used: func(operation, name string) { record(trace.KindLog, operation, name) }})
}

// dockGrants are the user's words for the capabilities a program holds.
func (r binder) dockGrants(p *program) []string {
	var granted []string
	for _, capability := range p.caps {
		if !docked(capability) {
			continue
		}
		if slices.Contains(plan.ProfileCaps[p.profile], capability) {
			granted = append(granted, capability)
			continue
		}
		for _, g := range r.opts.Grants {
			if plan.Capability(g) == capability {
				granted = append(granted, strings.TrimPrefix(g, "workbook:"))
			}
		}
	}
	return granted
}

// ProgramDigest names what a document does: the code of its components, how they
// are wired and what they ask for, in hex. Prose and results do not change it.
func ProgramDigest(p *plan.Plan) string {
	h := sha256.New()
	for _, c := range p.Components {
		fmt.Fprintf(h, "%q %q %q %q %q\n", c.ID, c.Lang, c.Shape, c.Body, c.Uses)
		for _, a := range c.Args {
			fmt.Fprintf(h, " %q %q\n", a.Key, a.Value)
		}
		for _, in := range c.In {
			fmt.Fprintf(h, " in %q %q\n", in.Name, in.Ref)
		}
		fmt.Fprintf(h, " out %q\n", c.Out)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Asks lists what the components of a document ask for, as they write it,
// sorted.
func Asks(p *plan.Plan) []string {
	var all []string
	for _, c := range p.Components {
		for _, use := range c.Uses {
			all = append(all, strings.TrimPrefix(use, "workbook:"))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
