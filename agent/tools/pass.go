package tools

import (
	"context"
	"errors"
	"slices"

	"wb/internal/trace"
	"wb/sandbox/grants"
	"wb/workbook"
)

// Held is what an agent passes on to a workbook or a command that it starts.
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

// Outward are the capabilities through which a program speaks to the world.
var Outward = []string{"browse", "llm", "net", "serve", "tcp", "tcp-serve", "tls", "udp"}

// Run runs a workbook with what is passed on.
func (h Held) Run(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
	opts.Grants, opts.Docks, opts.Tiers, opts.Agents, opts.Trace = h.Grants, h.Docks, h.Tiers, h.Agents, h.Trace
	report, err := workbook.Run(ctx, opts)
	return report, errors.Join(err, h.finish(ctx))
}

// finish ends what was started, also when its context has.
func (h Held) finish(ctx context.Context) error {
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
