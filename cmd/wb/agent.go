package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

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

// agentChoice is what wb run also takes, for the default agent.
type agentChoice struct {
	Model    string `help:"Model in place of WB_LLM_MODEL and the document's; with wb run, of a sentence's agent." placeholder:"NAME"`
	MaxSteps int64  `help:"The most turns of an agent that may call tools." placeholder:"N"`
}

// AfterApply refuses bounds that would bound nothing: the numbers of an agent that are 0
// are those of its document.
func (agentChoice) AfterApply(given *kong.Context) error {
	for _, p := range given.Path {
		if p.Flag == nil || p.Flag.Name != "max-steps" && p.Flag.Name != "timeout" && !strings.HasPrefix(p.Flag.Name, "budget-") {
			continue
		}
		if v := p.Flag.Target; v.CanInt() && v.Int() <= 0 || v.CanFloat() && v.Float() <= 0 {
			return fmt.Errorf("--%s takes a positive number, not %v", p.Flag.Name, v)
		}
	}
	return nil
}

// agentLimits are the bounds that a person may set in place of the document's.
type agentLimits struct {
	agentChoice
	Timeout   time.Duration `help:"The most wall-clock time, such as 90s." placeholder:"TIME"`
	Tokens    int64         `name:"budget-tokens" help:"The most tokens, prompts and answers together."`
	USD       float64       `name:"budget-usd" help:"The most dollars; needs WB_LLM_PRICE_IN and WB_LLM_PRICE_OUT (per million tokens)."`
	ToolCalls int64         `name:"budget-tool-calls" help:"The most tool calls."`
	Write     bool          `help:"Let the agent write into the working directory; without this its writes stay with the run."`
	Exec      bool          `help:"Grant git, publish and image to an agent that asks for them with :EXEC: t, and the working directory." env:"WB_AGENT_EXEC"`
	Grant     []string      `help:"Grant a capability that the agent's workbooks and toolkit commands ask for: kv, net:api.example.com; may be repeated." placeholder:"CAP"`
	NoWait    bool          `help:"End the run instead of waiting for an approval; wb agent resume continues it."`
	Dir       string        `help:"Working directory; the document's by default." type:"existingdir"`
	Session   string        `help:"Conversation to continue; it is remembered for the agent's :SESSION_TTL:." placeholder:"NAME"`
	Stream    bool          `help:"Print the model's words on stderr as they come."`
}

func (l agentLimits) task(text string) host.Task {
	return host.Task{Text: text, Dir: l.Dir, Write: l.Write, Exec: l.Exec, Grants: l.Grant, NoWait: l.NoWait, Model: l.Model, Session: l.Session,
		Limits: agent.Bounds{Steps: l.MaxSteps, Wall: l.Timeout, Tokens: l.Tokens, USD: l.USD, ToolCalls: l.ToolCalls}}
}

type agentRunCmd struct {
	Target string `arg:"" complete:"files" help:"The agent: FILE#ID."`
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
	case result.Bound != nil && result.Result != result.Bound.Error(): // the result is the wrap-up answer
		a.note("wb: %v", result.Bound)
	case result.ExitCode() == 0 && result.Result == "":
		a.note("wb: the model's answer is empty")
	}
	if err == nil && result.ExitCode() != 0 {
		return diag.Told(result.ExitCode())
	}
	return err
}

// withRuntime makes what runs agents on this machine.
func (a *terminal) withRuntime(stream bool, do func(*host.Runtime) error) error {
	brokers, err := app.Capabilities()
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

// agents runs agents on this machine, with the languages and capabilities
// there are.
func (a *terminal) agents(env *compile.Env, lanes *compile.Registry, brokers *capability.Host) (*host.Runtime, error) {
	state, err := app.UserState()
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
	granted, err := app.UserGrants()
	if err != nil {
		return nil, err
	}
	return &host.Runtime{Env: env, Lanes: lanes, Table: app.ForAgents{}, Records: host.Records{State: state}, Key: key, Getenv: os.Getenv,
		Warn: func(err error) { a.note("wb: warning: %v", err) }, Sink: eventNotes{a}, Views: a.views(), Settings: configured, Revoked: granted.Revoked, Capabilities: brokers}, nil
}

// eventNotes tells the steps of a run on stderr.
type eventNotes struct{ *terminal }

func (n eventNotes) Emit(e trace.Event) error {
	switch e.Kind {
	case trace.KindRun:
		n.note("run %s", e.Run)
	case trace.KindApproval:
		n.note("%s", app.EventLine(e))
		if e.Status == "asked" {
			n.note("wb: waits for a person: wb agent approve %s [--deny], or approvals.org", e.Run)
		}
	case trace.KindToolCall, trace.KindRetry, trace.KindDenial:
		n.note("%s", app.EventLine(e))
	}
	return nil
}
