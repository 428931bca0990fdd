package host

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/tools"
	"wb/internal/trace"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/grants"
	"wb/workbook"
	"wb/workbook/capability"
)

// held are the capabilities that an agent passes on to what it starts: those of
// its task, under the ceiling of the host. Agents that it asks share its task.
// What a person would have to allow first is not forwarded: a component cannot
// wait for a person in its middle.
func (rt *Runtime) held(ctx context.Context, d *agent.Definition, task Task, events agent.Recorder) []string {
	all := task.Grants
	if rt.Ceiling != nil {
		all = rt.Ceiling(all)
	}
	why := rt.Settings.Approvals().Needed(approval.Call{Tool: "fetch", Composed: true, Taint: agent.TaintOf(ctx)})
	if why == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(grant string) bool {
		capability := grants.Capability(grant)
		outward := slices.Contains(tools.Outward, capability)
		if outward && events != nil {
			_ = events.Emit(trace.Event{Kind: trace.KindDenial, Agent: d.ID, Tool: capability, Error: grant + " is not forwarded: " + why})
		}
		return outward
	})
}

// pass gives the workbooks and commands that an agent starts what it holds. What
// they are denied, and what they use of the host by name, is among the agent's
// events.
func (rt *Runtime) pass(d *agent.Definition, task Task, opts agent.Options, depth int) tools.Pass {
	began, events := time.Now(), opts.Events
	return func(ctx context.Context, name string) tools.Held {
		held := tools.Held{Grants: rt.held(ctx, d, task, events), Agents: rt.Agents(opts, depth), Trace: docked{d.ID, events}}
		if rt.Capabilities != nil {
			starter := capability.Starter{Name: d.ID, File: filepath.Join(task.Dir, filepath.FromSlash(name)), Dir: task.Dir,
				Grants: held.Grants, Granted: began, Call: agent.CallKey(ctx), Complete: charged(rt.Capabilities.Complete, agent.LedgerOf(ctx))}
			held.Tiers = rt.Capabilities.Tiers
			held.Docks, held.Finish = rt.Capabilities.DocksFor(starter, rt.Lanes, 0)
		}
		return held
	}
}

// runWith runs a workbook with what an agent passes on.
func (rt *Runtime) runWith(ctx context.Context, held tools.Held, opts workbook.Options) (*workbook.Report, trace.Outcome, error) {
	if rt.Table == nil {
		return nil, trace.Outcome{}, errors.New("workbooks do not run here")
	}
	return rt.Table.Run(ctx, held, opts)
}

// charged asks a model within the budget of the run that started the asker.
func charged(complete broker.Completer, ledger *agent.Ledger) broker.Completer {
	if complete == nil {
		return nil
	}
	return func(ctx context.Context, prompt string) (broker.Completion, error) {
		reserved, err := ledger.Reserve(agent.Bounds{Tokens: int64(len(prompt)) + assistTokens})
		if err != nil {
			return broker.Completion{}, err
		}
		reply, err := complete(ctx, prompt)
		reserved.Settle(agent.Bounds{Tokens: reply.Tokens})
		return reply, err
	}
}

// docked are the events of docks among those of an agent; what else a workbook
// does is the result of the tool that ran it.
type docked struct {
	agent  string
	events agent.Recorder
}

func (d docked) Emit(e trace.Event) error {
	operation := slices.ContainsFunc(dock.Operations(), func(o dock.Operation) bool { return o.String() == e.Tool })
	if d.events == nil || e.Kind != trace.KindDenial && (e.Kind != trace.KindLog || !operation) {
		return nil
	}
	e.Agent = d.agent
	return d.events.Emit(e)
}
