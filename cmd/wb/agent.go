package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/settings"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/workbook"
	"wb/workbook/capability"
)

// agentCmd runs agents and looks after their runs.
type agentCmd struct {
	Run    agentRunCmd    `cmd:"" help:"Give an agent of a document a task."`
	Repl   agentReplCmd   `cmd:"" help:"Talk with an agent, line by line, in one session."`
	List   agentListCmd   `cmd:"" help:"List the agents of a file, or the runs there have been."`
	Show   agentShowCmd   `cmd:"" help:"Show what a run did, step by step."`
	Resume agentResumeCmd `cmd:"" help:"Go on with a run that was killed, doing nothing twice."`
	Fork   agentForkCmd   `cmd:"" help:"Run again from a step of another run."`
	Replay agentReplayCmd `cmd:"" help:"Repeat a run offline from its journal and compare."`

	Keep  agentKeepCmd  `cmd:"" help:"Keep an agent: wake it when its schedule says, with what it remembers."`
	Dream agentDreamCmd `cmd:"" help:"Have an agent make a digest of its past, which it remembers."`

	Approve agentApproveCmd `cmd:"" help:"Allow or refuse what a run asks for; without one, list what waits."`
}

// agentLimits are the bounds that a person may set in place of the document's.
type agentLimits struct {
	Model     string        `help:"Model in place of WB_LLM_MODEL and the document's." placeholder:"NAME"`
	MaxSteps  int64         `help:"Turns that may call tools."`
	Timeout   time.Duration `help:"Wall clock, such as 90s." placeholder:"TIME"`
	Tokens    int64         `name:"budget-tokens" help:"Tokens of prompts and answers together."`
	USD       float64       `name:"budget-usd" help:"Dollars; needs WB_LLM_PRICE_IN and WB_LLM_PRICE_OUT (per million tokens)."`
	ToolCalls int64         `name:"budget-tool-calls" help:"Tool calls."`
	Write     bool          `help:"Let the agent write into the working directory; otherwise its writes stay with the run."`
	Exec      bool          `help:"Grant git, publish and image to an agent that asks for them with :EXEC: t, and the working directory." env:"WB_AGENT_EXEC"`
	Grant     []string      `help:"Grant a capability to the workbooks and toolkit commands that the agent runs, where they ask for it: kv, net:api.example.com; may be repeated." placeholder:"CAP"`
	NoWait    bool          `help:"End the run where a person must approve something, instead of waiting; wb agent resume goes on."`
	Dir       string        `help:"Working directory; the document's by default." type:"existingdir"`
	Session   string        `help:"Conversation to go on with; it is remembered for the agent's :SESSION_TTL:." placeholder:"NAME"`
	Stream    bool          `help:"Print the model's words on stderr as they come."`
}

func (l agentLimits) task(text string) host.Task {
	return host.Task{Text: text, Dir: l.Dir, Write: l.Write, Exec: l.Exec, Grants: l.Grant, NoWait: l.NoWait, Model: l.Model, Session: l.Session,
		Limits: agent.Bounds{Steps: l.MaxSteps, Wall: l.Timeout, Tokens: l.Tokens, USD: l.USD, ToolCalls: l.ToolCalls}}
}

type agentRunCmd struct {
	Target string `arg:"" complete:"files" help:"The document, and which of its agents: FILE#ID."`
	Task   string `arg:"" help:"What to do, in words; - reads standard input."`
	agentLimits
	agentEvents
}

func (c *agentRunCmd) Help() string {
	return "Example:\n  wb agent run team.org#waldo \"count the TODO headings in notes/\"\n\nAn agent is a heading tagged :agent:. Its result goes to stdout, its steps to stderr\nand to events.org. The model is any OpenAI-compatible endpoint: WB_LLM_BASE_URL,\nWB_LLM_MODEL and WB_LLM_API_KEY (or OPENROUTER_API_KEY)."
}

func (c *agentRunCmd) Run(a *terminal) error {
	if c.Task == "-" {
		text, err := io.ReadAll(a.std.In)
		if err != nil {
			return err
		}
		c.Task = string(text)
	}
	task := c.task(c.Task)
	if err := taskTarget(&task, c.Target); err != nil {
		return err
	}
	return c.hearing(a, func(hear func(*host.Runtime, *host.Task)) error {
		return a.withAgents(c.Stream, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
			hear(rt, &task)
			return rt.Run(ctx, task)
		})
	})
}

type agentListCmd struct {
	File string `arg:"" optional:"" help:"Document whose agents to list; without one, the runs of agents."`
}

func (c *agentListCmd) Help() string {
	return "Examples:\n  wb agent list team.org\n  wb agent list"
}

func (c *agentListCmd) Run(a *terminal) error {
	if c.File == "" {
		return c.runs(a)
	}
	all, found, err := host.Agents(c.File)
	if err != nil {
		return err
	}
	diag.Printer{W: a.std.Out, Colour: colour(a.std.Out)}.Findings(found)
	if len(all) == 0 {
		a.note("wb: %s defines no agent", c.File)
	}
	rows := []map[string]any{}
	for _, d := range all {
		rows = append(rows, map[string]any{"id": d.ID, "title": d.Title, "tagline": d.Tagline, "model": d.Model, "tools": d.Tools, "line": d.Pos.Line})
	}
	return a.answer("agent", rows, func(w io.Writer) error {
		for _, d := range all {
			fmt.Fprintf(w, "%-20s %s\n", d.ID, strings.TrimSpace(d.Title+"  "+d.Tagline))
		}
		return nil
	})
}

// runs lists the runs of agents, latest last.
func (c *agentListCmd) runs(a *terminal) error {
	state, err := userState()
	if err != nil {
		return err
	}
	all, err := state.Runs()
	if err != nil {
		return err
	}
	type row struct {
		trace.RunRecord
		Task string `json:"task,omitempty"`
	}
	rows, rt := []row{}, &host.Runtime{State: state}
	for _, r := range all {
		if r.Agent != "" {
			task, _ := rt.TaskOf(r.Run)
			rows = append(rows, row{r, task.Text})
		}
	}
	return a.answer("agent", rows, func(w io.Writer) error {
		for _, r := range rows {
			task := []rune(strings.Join(strings.Fields(r.Task), " "))
			if len(task) > 60 {
				task = append(task[:59], '…')
			}
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%s  %-10s  %-20s  %s  %s", r.Run, r.Status, r.Agent, r.Started.Local().Format("2006-01-02 15:04:05"), string(task)), " "))
		}
		return nil
	})
}

// userState is the state directory of the user.
func userState() (*trace.State, error) {
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return trace.NewState(dir), nil
}

// withAgents runs an agent with everything this machine has and answers with
// its result.
func (a *terminal) withAgents(stream bool, do func(context.Context, *host.Runtime) (*agent.Result, error)) error {
	return a.withRuntime(stream, func(rt *host.Runtime) error {
		result, err := do(a.ctx, rt)
		if err != nil {
			return err
		}
		return a.agentResult(result)
	})
}

// agentResult answers with what came of a run.
func (a *terminal) agentResult(result *agent.Result) error {
	var err error
	switch {
	case a.quietResult:
	case a.json && result.ExitCode() != 0: // what came of it is there nevertheless
		err = diag.WriteJSON(a.std.Out, envelope{Verb: "agent", Data: result, Error: &diag.Fault{Code: result.Status, Message: result.Result}})
	default:
		err = a.answer("agent", result, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, strings.TrimRight(result.Result, "\n"))
			if result.Diff != "" {
				_, err = fmt.Fprint(w, result.Diff)
			}
			return err
		})
	}
	switch {
	case result.Bound != nil && result.Result != result.Bound.Error(): // the result is what was still said
		a.note("wb: %v", result.Bound)
	case result.ExitCode() == 0 && result.Result == "":
		a.note("wb: the model answered with nothing")
	}
	if err == nil && result.ExitCode() != 0 {
		return diag.Told(result.ExitCode())
	}
	return err
}

// withRuntime makes what runs agents on this machine.
func (a *terminal) withRuntime(stream bool, do func(*host.Runtime) error) error {
	brokers, err := capabilities()
	if err != nil {
		return err
	}
	defer brokers.Close()
	return a.withLanes(func(env *compile.Env, lanes *compile.Registry) error {
		rt, err := a.agents(env, lanes, brokers)
		if err != nil {
			return err
		}
		if stream {
			rt.Delta = func(text string) { fmt.Fprint(a.std.Err, text) }
		}
		return do(rt)
	})
}

// componentAgents does the components of workbooks that are agents. What makes a run
// of one is read when the first of them begins.
func (a *terminal) componentAgents(lanes *compile.Registry, brokers *capability.Host) workbook.Agents {
	budget := host.NewComponentLedger()
	do := sync.OnceValues(func() (workbook.Agents, error) {
		rt, err := a.agents(a.env, lanes, brokers)
		if err != nil {
			return nil, err
		}
		rt.Sink, rt.Views = nil, nil // their steps are events of the workbook's run
		rt.On = append(rt.On, func(e agent.Event) {
			if e.Kind == trace.KindApproval && e.Status == "asked" {
				a.note("wb: %s waits for a person to allow %s: wb agent approve %s [--deny], or approvals.org", e.Agent, e.Tool, e.RootRunID)
			}
		})
		return rt.Agents(agent.Options{Ledger: budget}, 0), nil
	})
	return func(ctx context.Context, task workbook.AgentTask) (workbook.AgentAnswer, error) {
		agents, err := do()
		if err != nil {
			return workbook.AgentAnswer{}, err
		}
		return agents(ctx, task)
	}
}

// agents is what runs agents on this machine, with the languages and capabilities
// there are.
func (a *terminal) agents(env *compile.Env, lanes *compile.Registry, brokers *capability.Host) (*host.Runtime, error) {
	state, err := userState()
	if err != nil {
		return nil, err
	}
	if err := state.Ready(); err != nil {
		return nil, err
	}
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	configured, err := settings.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	revoked, err := revocations()
	if err != nil {
		return nil, err
	}
	return &host.Runtime{Env: env, Lanes: lanes, Table: app.ForAgents{}, State: state, Key: key, Getenv: os.Getenv,
		Warn: func(err error) { a.note("wb: warning: %v", err) }, Sink: eventNotes{a}, Views: a.views(), Settings: configured, Revoked: revoked, Capabilities: brokers}, nil
}

// eventNotes tells the steps of a run on stderr.
type eventNotes struct{ *terminal }

func (n eventNotes) Emit(e trace.Event) error {
	switch e.Kind {
	case trace.KindRun:
		n.note("run %s", e.Run)
	case trace.KindApproval:
		n.note("%s", eventLine(e))
		if e.Status == "asked" {
			n.note("wb: waits for a person: wb agent approve %s [--deny], or approvals.org", e.Run)
		}
	case trace.KindToolCall, trace.KindRetry, trace.KindDenial:
		n.note("%s", eventLine(e))
	}
	return nil
}

// eventLine is an event in a line.
func eventLine(e trace.Event) string {
	line := string(e.Kind)
	if e.Step > 0 {
		line = fmt.Sprintf("step %d", e.Step)
	}
	if e.Output == e.Error {
		e.Output = ""
	}
	for _, part := range []string{e.Tool, e.Model, string(e.Args), e.Status, e.Error, strings.Join(strings.Fields(e.Output), " ")} {
		if part != "" {
			line += " " + part
		}
	}
	if runes := []rune(line); len(runes) > 160 {
		line = string(runes[:159]) + "…"
	}
	return line
}
