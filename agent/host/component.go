package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/agent"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/org"
	"wb/workbook"
	"wb/workbook/capability"
)

// ComponentSteps bounds an agent that is a component, unless its drawer says more.
const ComponentSteps = 6

// NewComponentLedger bounds all agents that are components of one run of a workbook
// together, where no budget bounds them: as much as its components may ask of a
// model.
func NewComponentLedger() *agent.Ledger {
	return agent.NewLedger(agent.Bounds{Tokens: capability.DefaultTokens}, nil)
}

// Agents does the components of a workbook that are agents. They draw on the ledger
// of caller, all of them together, see the workbook's directory, write nothing into
// it, and what they do is among caller's events, or else among the workbook's. Depth
// counts the agents that asked for it.
func (rt *Runtime) Agents(caller agent.Options, depth int) workbook.Agents {
	began := time.Now()
	return func(ctx context.Context, t workbook.AgentTask) (workbook.AgentAnswer, error) {
		if depth >= maxTeamDepth {
			return workbook.AgentAnswer{}, fmt.Errorf("agents and workbooks start each other more than %d levels deep", maxTeamDepth)
		}
		d, err := componentAgent(t)
		if err != nil {
			return workbook.AgentAnswer{}, err
		}
		task, err := absolute(Task{File: t.File, ID: d.ID, Text: t.Text, Grants: t.Grants})
		if err != nil {
			return workbook.AgentAnswer{}, err
		}
		if rt.Revoked != nil && rt.Revoked(task.File, "llm", began) {
			return workbook.AgentAnswer{}, errors.New("llm was revoked")
		}
		result, err := rt.component(ctx, d, task, caller, t, depth)
		if err != nil {
			return workbook.AgentAnswer{}, err
		}
		answer := workbook.AgentAnswer{Text: result.Result, Usage: result.Usage, Taint: result.Taint}
		if result.ExitCode() != 0 {
			return answer, errors.New(cmp.Or(result.Error, result.Result))
		}
		return answer, nil
	}
}

// component runs an agent that is a component.
func (rt *Runtime) component(ctx context.Context, d *agent.Definition, task Task, caller agent.Options, t workbook.AgentTask, depth int) (*agent.Result, error) {
	if err := rt.check(d, task); err != nil {
		return nil, err
	}
	var err error
	if d.Model, err = rt.model(d, task); err != nil {
		return nil, err
	}
	named, _ := t.Events.(interface{ ID() string })
	opts := caller
	opts.State, opts.History = agent.NewState(nil), nil
	opts.Limits, opts.Instance = agent.Bounds{}, nil
	switch {
	case opts.Events != nil: // an agent started the workbook
		opts.RunID = agent.CallKey(ctx) + "/" + t.Component
		opts.Ledger, opts.Taint = agent.LedgerOf(ctx), agent.TaintOf(ctx)
		if opts.Journal != nil {
			opts.Journal = within{caller.Journal, opts.RunID + "/"}
		}
	case named != nil:
		opts.Events, opts.RootRunID, opts.RunID = t.Events, named.ID(), named.ID()+"/"+t.Component
	default: // a run without a record
		id, err := (&trace.IDs{}).New()
		if err != nil {
			return nil, err
		}
		opts.RootRunID, opts.RunID = id, id+"/"+t.Component
		if t.Events != nil {
			opts.Events = t.Events
		}
	}
	opts.Keys = opts.RunID
	if opts.Model == nil {
		record, _ := t.Events.(*trace.Run)
		if opts.Model, err = rt.client(record); err != nil {
			return nil, err
		}
	}
	if opts.Consent == nil {
		opts.Consent = &consent{rt: rt, task: task, run: opts.RootRunID, root: opts.RootRunID}
	}
	opts.Prices, opts.Delta, opts.Starting = rt.prices(), rt.Delta, rt.Starting
	if opts.Keep == nil {
		opts.Keep = rt.keepOutput
	}
	tree, err := agent.NewTree(task.Dir, false)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return rt.perform(ctx, d, task, tree, opts, depth+1)
}

// componentAgent reads the agent that a component is.
func componentAgent(t workbook.AgentTask) (*agent.Definition, error) {
	if t.Args == nil {
		return headingAgent(t)
	}
	var drawer strings.Builder
	_, id, ok := strings.Cut(t.Component, "/")
	if !ok {
		id = t.Component
	}
	fmt.Fprintf(&drawer, "* Agent :agent:\n:PROPERTIES:\n:ID: %s\n", id)
	for name, values := range t.Args {
		if slices.Contains(workbook.AgentArguments, name) && len(values) > 0 {
			fmt.Fprintf(&drawer, ":%s: %s\n", strings.ToUpper(strings.ReplaceAll(name, "-", "_")), values[len(values)-1])
		}
	}
	drawer.WriteString(":END:\n")
	all, found := agent.Definitions(org.Parse([]byte(drawer.String())), t.File)
	for _, w := range found {
		if w.Severity == diag.Error {
			return nil, &diag.FindingsError{Findings: []diag.Finding{{Pos: t.Pos, Severity: w.Severity, Code: w.Code, Message: w.Message, Hint: w.Hint}}}
		}
	}
	d := all[0]
	d.System, d.Pos, d.ToolsPos, d.Warnings = strings.TrimSpace(t.Prompt), t.Pos, t.Pos, nil
	d.DefaultSteps(ComponentSteps)
	return answering(d, t.Outs), nil
}

// headingAgent reads the agent that a heading defines.
func headingAgent(t workbook.AgentTask) (*agent.Definition, error) {
	all, found := agent.Definitions(org.Parse([]byte(t.Source)), t.File)
	for _, d := range all {
		if d.Pos.Line == t.Pos.Line {
			d.DefaultSteps(ComponentSteps)
			return answering(d, t.Outs), nil
		}
	}
	for _, w := range found {
		if w.Severity == diag.Error {
			return nil, &diag.FindingsError{Findings: []diag.Finding{w}}
		}
	}
	return nil, fmt.Errorf("no agent begins on line %d", t.Pos.Line)
}

// answering tells an agent with several outputs how to give them.
func answering(d *agent.Definition, outs []string) *agent.Definition {
	if len(outs) > 1 && d.Output == nil {
		d.System += "\n\nYour final answer is a JSON object with the members " + strings.Join(outs, ", ") + ", and nothing else."
	}
	return d
}

// keepOutput puts a whole output among the blobs of this machine.
func (rt *Runtime) keepOutput(text string) string {
	id, err := rt.State.Blobs().Put([]byte(text))
	rt.warn(err)
	return id
}
