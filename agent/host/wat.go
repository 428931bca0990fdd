package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/wat"
	"wb/compile"
	"wb/internal/diag"
)

// programmer sets a run up for an agent that writes programs: its prompt, its
// model and its tools.
func (rt *Runtime) programmer(ctx context.Context, d *agent.Definition, task Task, tree *agent.Tree, opts *agent.Options) (*agent.Definition, error) {
	dir := d.Catalog
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(task.File), dir)
	}
	catalog, err := wat.LoadCatalog(dir)
	if err != nil {
		return nil, err
	}
	rt.programsOnce.Do(func() { rt.programs = &wat.Programs{Lanes: rt.Lanes} })
	if !opts.Replay {
		if err := catalog.Prepare(ctx, rt.programs, rt.Env.Engine); err != nil {
			return nil, err
		}
	}
	web, err := rt.network(d, opts.Events).public()
	if err != nil {
		return nil, err
	}
	host := &wat.Host{Engine: rt.Env.Engine, State: opts.State, Files: tree, Web: web, Assist: assistant(d, opts.Model)}
	host.Refused = func(ctx context.Context) string { // a program cannot wait for a person in its middle
		return rt.Settings.Approvals().Needed(approval.Call{Tool: "fetch", Composed: true, Taint: agent.TaintOf(ctx)})
	}
	whole := *d
	whole.System = strings.TrimSpace(d.System + "\n\n" + wat.Prompt(catalog, wat.Languages(rt.Lanes, rt.ready)))
	opts.Tools = wat.Tools(rt.programs, host, catalog, rt.ready)
	if opts.Model != nil {
		opts.Model = wat.Model{Model: opts.Model}
	}
	return &whole, nil
}

// ready are the languages whose toolchains are installed: nothing is built while a run
// waits for it.
func (rt *Runtime) ready(info compile.Info) bool {
	return !slices.ContainsFunc(info.Toolchains, func(name string) bool {
		_, ok := rt.Env.Tools.Installed(name)
		return !ok
	})
}

// UnreadyError is an agent that writes programs, where the assembler is missing.
type UnreadyError struct{ Agent, Toolchain string }

func (e *UnreadyError) Error() string {
	return fmt.Sprintf("agent %s writes programs, and the toolchain %s that assembles them is not installed", e.Agent, e.Toolchain)
}

// Hint says how to install it; a run does not, since that takes minutes.
func (e *UnreadyError) Hint() string { return "wb toolchain install " + e.Toolchain }

// ExitCode is that of a missing toolchain.
func (e *UnreadyError) ExitCode() int { return diag.ExitUnavailable }

// checkAssembler refuses to begin without what every program needs.
func (rt *Runtime) checkAssembler(d *agent.Definition) error {
	lane, ok := rt.Lanes.Lookup("wat")
	if !ok || rt.ready(lane.Info()) {
		return nil
	}
	return &UnreadyError{d.ID, lane.Info().Toolchains[0]}
}

// assistTokens is how long an answer of ai.assist may be.
const assistTokens = 1024

// assistant asks the agent's model for a program, within the run's budget.
func assistant(d *agent.Definition, model agent.Model) func(ctx context.Context, text, instruction string) (string, error) {
	return func(ctx context.Context, text, instruction string) (string, error) {
		if model == nil {
			return "", errors.New("there is no model")
		}
		request := agent.Request{Model: d.Model, Temperature: d.Temperature, MaxTokens: assistTokens, Messages: []agent.Message{
			{Role: agent.RoleSystem, Content: instruction}, {Role: agent.RoleUser, Content: text}}}
		reserved, err := agent.LedgerOf(ctx).Reserve(agent.Bounds{Tokens: int64(len(text)+len(instruction)) + 64 + assistTokens})
		if err != nil {
			return "", err
		}
		reply, err := model.Complete(ctx, request, nil)
		reserved.Settle(agent.Bounds{Tokens: reply.Usage.TokensIn + reply.Usage.TokensOut, USD: reply.Usage.CostUSD})
		return reply.Message.Content, err
	}
}
