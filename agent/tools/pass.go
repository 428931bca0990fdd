package tools

import (
	"context"
	"slices"

	"wb/agent"
	"wb/agent/toolkit"
	"wb/compile"
	"wb/internal/trace"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/workbook"
)

// Held are the capabilities an agent passes on to a workbook or a command that it starts.
type Held struct {
	// Grants are the capabilities: what is started has those of them that it
	// asks for.
	Grants []string
	// Docks serve them; nil serves nothing but clock and random.
	Docks workbook.Docks
	// Tiers are where third-party workbooks run; nil refuses them.
	Tiers workbook.Tiers
	// Agents do the components that are agents; nil refuses them.
	Agents workbook.Agents
	// Trace hears what is denied.
	Trace trace.Sink
	// Finish closes the books when what was started has ended; it may be nil.
	Finish func(context.Context) error
}

// Pass says what an agent passes on in a call of a tool, to a file of its tree.
type Pass func(ctx context.Context, name string) Held

// Table is wb's table of verbs (package app): the tools of
// agents ask it.
type Table interface {
	// Verbs are those that an agent may use.
	Verbs() []Verb
	// Run runs a workbook with what is passed on. The outcome is there also when the
	// run has failed.
	Run(ctx context.Context, held Held, opts workbook.Options) (*workbook.Report, trace.Outcome, error)
}

// Bench holds the dependencies of the tools wb and run.
type Bench struct {
	Table Table
	Lanes *compile.Registry
	Tree  *agent.Tree
	// Cache keeps results between runs of a workbook; nil keeps none.
	Cache func(file string) *workbook.Cache
	// Pass gives workbooks and commands their capabilities; nil runs none.
	Pass Pass
	// Toolkits are those that the agent knows; nil knows none.
	Toolkits func() toolkit.Root
	// Variables are those of its tenant, and its name; nil keeps none. Secrets it
	// knows by their names; a person sets them, and what is one stays one.
	Variables func() (s *store.Store, tenant string)
}

// Outward are the capabilities through which a program speaks to the world.
var Outward = []string{"browse", "llm", "net", "serve", "tcp", "tcp-serve", "tls", "udp"}

// Give gives a run what is passed on.
func (h Held) Give(opts *workbook.Options) {
	opts.Grants, opts.Docks, opts.Tiers, opts.Agents = h.Grants, h.Docks, h.Tiers, h.Agents
}

// Ended ends what was started, also when its context has.
func (h Held) Ended(ctx context.Context) error {
	if h.Finish == nil {
		return nil
	}
	return h.Finish(context.WithoutCancel(ctx))
}

// Taint is where the output of what was started may come from.
func (h Held) Taint() string {
	if slices.ContainsFunc(h.Grants, func(g string) bool { return slices.Contains(Outward, grants.Capability(g)) }) {
		return filesTaint + " web:*"
	}
	return filesTaint
}
