package run

import (
	"context"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// What a run asks of its caller stands here: agents, docks and tiers are made above it.

// AgentTask is the task of a component that is an agent.
type AgentTask struct {
	Component string
	File      string
	Source    string        // the document's text
	Pos       diag.Position // of the heading or block that defines the agent
	// Prompt and Args are of an agent that a block defines: its text, and its
	// header arguments by name. A heading's are read from Source.
	Prompt string
	Args   map[string][]string
	// Text is the task: the only input as it is, several as a JSON object.
	Text string
	// Outs are the names of the outputs; an agent with several answers with a JSON
	// object that has each.
	Outs []string
	// Grants are the capabilities of the run.
	Grants []string
	// Events take what the agent does, as events of the workbook's run.
	Events trace.Sink
}

// AgentAnswer is the answer of an agent.
type AgentAnswer struct {
	Text  string
	Usage trace.Usage
	Taint []string // where untrusted text came from that it has read
}

// Agents does the tasks of components that are agents; see package agent/host.
type Agents func(ctx context.Context, task AgentTask) (AgentAnswer, error)

// DockRequest says for whom a dock is wanted.
type DockRequest struct {
	Component string
	// Granted are the capabilities it asks for and the user grants, each as the
	// user wrote it: kv, net:api.example.com.
	Granted []string
	Limits  sandbox.Limits
	// Denied hears of refusals, Used of uses that records name.
	Denied func(dock.Denial)
	Used   func(operation, name string)
}

// Docks makes the dock through which a component asks the host; see package
// workbook/capability.
type Docks func(ctx context.Context, request DockRequest) *dock.Dock

// Tiers opens the place where the programs of a document run at a tier. An
// error says why the tier is not there. Package tier has one.
type Tiers func(ctx context.Context, tier, principal string) (compile.Place, error)

// Printed is a program's output while it runs: whole lines, except where it ends
// or pauses in the middle of one. Outcomes from the cache print nothing.
type Printed struct {
	ID     string // of the component
	Stderr bool   // on standard error
	Text   string
}
