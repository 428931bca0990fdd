package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/host"
	"wb/internal/diag"
	"wb/internal/textdiff"
	"wb/internal/trace"
	"wb/internal/trace/activity"
)

// AgentListIn holds the arguments of wb agent list.
type AgentListIn struct {
	File string `arg:"" optional:"" help:"Document whose agents to list; without one, the runs of agents."`
}

// AgentListed is an agent of a document.
type AgentListed struct {
	ID      string   `json:"id"`
	Line    int      `json:"line"`
	Model   string   `json:"model"`
	Tagline string   `json:"tagline"`
	Title   string   `json:"title"`
	Tools   []string `json:"tools"`
}

// AgentRun is a run of an agent.
type AgentRun struct {
	trace.RunRecord
	Task string `json:"task,omitempty"`
}

// AgentListOut is the agents of a document, or the runs there have been.
type AgentListOut struct {
	found  []diag.Finding
	agents []AgentListed
	runs   []AgentRun
}

// Data is the agents or the runs.
func (out *AgentListOut) Data() any {
	if out.agents != nil {
		return out.agents
	}
	return out.runs
}

var agentList = Verb[AgentListIn, *AgentListOut]{
	Name: "agent list", Help: "List the agents of a file, or the recorded runs.", About: "Examples:\n  wb agent list team.org\n  wb agent list",
	Do: func(_ context.Context, h *Home, in *AgentListIn) (*AgentListOut, error) {
		if in.File == "" {
			return h.agentRuns()
		}
		all, found, err := host.Agents(in.File)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			h.notef("wb: %s defines no agent", in.File)
		}
		out := &AgentListOut{found: found, agents: []AgentListed{}}
		for _, d := range all {
			out.agents = append(out.agents, AgentListed{d.ID, d.Pos.Line, d.Model, d.Tagline, d.Title, d.Tools})
		}
		return out, nil
	},
	Text: func(p *Page, out *AgentListOut) error {
		diag.Printer{W: p, Colour: p.Colour}.Findings(out.found)
		for _, d := range out.agents {
			p.Printf("%-20s %s\n", d.ID, strings.TrimSpace(d.Title+"  "+d.Tagline))
		}
		for _, r := range out.runs {
			task := []rune(strings.Join(strings.Fields(r.Task), " "))
			if len(task) > 60 {
				task = append(task[:59], '…')
			}
			p.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%s  %-10s  %-20s  %s  %s", r.Run, r.Status, r.Agent, r.Started.Local().Format(time.DateTime), string(task)), " "))
		}
		return nil
	},
}

// agentRuns are the runs of agents, latest last.
func (h *Home) agentRuns() (*AgentListOut, error) {
	state, err := UserState()
	if err != nil {
		return nil, err
	}
	all, err := state.Runs()
	if err != nil {
		return nil, err
	}
	out, records := &AgentListOut{runs: []AgentRun{}}, host.Records{State: state}
	for _, r := range all {
		if r.Agent != "" {
			task, _ := records.TaskOf(r.Run)
			out.runs = append(out.runs, AgentRun{r, task.Text})
		}
	}
	return out, nil
}

// AgentShowIn holds the arguments of wb agent show.
type AgentShowIn struct {
	ID    string `arg:"" name:"run" help:"Id of the run."`
	Files bool   `help:"List the files the run has written, compared with the directory now." xor:"what"`
	Diff  bool   `help:"Show how the files the run has written differ from the directory." xor:"what"`
	Apply bool   `help:"Write the run's files into the directory." xor:"what"`
	// Messages are the messages between the run and its model.
	Messages bool `help:"Show every turn as the model saw it: its messages and its answer." xor:"what"`
	Force    bool `help:"With --apply, replace files that were changed since the run began."`
}

// AgentShown describes a run step by step.
type AgentShown struct {
	Events []activity.Line `json:"events"`
	Run    trace.RunRecord `json:"run"`
	Task   string          `json:"task"`
	steps  []trace.Event
}

// AgentFiles are the files that a run has made.
type AgentFiles struct {
	Dir     string      `json:"dir"`
	Files   []AgentFile `json:"files"`
	Run     string      `json:"run"`
	Written bool        `json:"written"`
}

// AgentFile is a file of a run.
type AgentFile struct {
	Path   string `json:"path"`
	Change string `json:"change"` // add, change, remove or same
	Bytes  int    `json:"bytes"`
	Diff   string `json:"diff,omitempty"`
}

// AgentShowOut is the steps of a run, or its files.
type AgentShowOut struct {
	*AgentShown
	files *AgentFiles
	said  *agent.Conversation
	in    *AgentShowIn
}

// Data is the steps or the files.
func (out *AgentShowOut) Data() any {
	if out.files != nil {
		return out.files
	}
	if out.said != nil {
		return out.said
	}
	return out.AgentShown
}

var agentShow = Verb[AgentShowIn, *AgentShowOut]{
	Name: "agent show", Help: "Show what a run did, step by step.", Changes: true,
	About: "Examples:\n  wb agent show 01KA7R2M8T\n  wb agent show 01KA7R2M8T --diff\n  wb agent show 01KA7R2M8T --apply\n  wb agent show 01KA7R2M8T --messages\n\nWhat a run writes stays with the run unless it was started with --write. --diff shows\nthe changes, --apply makes them.",
	Do: func(ctx context.Context, h *Home, in *AgentShowIn) (*AgentShowOut, error) {
		state, err := UserState()
		if err != nil {
			return nil, err
		}
		records := host.Records{State: state}
		record, err := agentRecord(state, in.ID)
		if err != nil {
			return nil, err
		}
		out := &AgentShowOut{in: in}
		if in.Files || in.Diff || in.Apply {
			out.files, err = in.files(h, records, record)
			return out, err
		}
		if in.Messages {
			out.said, err = records.Messages(ctx, in.ID)
			return out, err
		}
		text, err := os.ReadFile(record.Events)
		if err != nil {
			return nil, err
		}
		task, _ := records.TaskOf(in.ID)
		out.AgentShown = &AgentShown{Run: record, Task: task.Text, Events: []activity.Line{}}
		for e := range trace.Events(text) {
			if e.Run == in.ID {
				out.steps, out.Events = append(out.steps, e), append(out.Events, activity.LineOf(e))
			}
		}
		return out, nil
	},
	Text: func(p *Page, out *AgentShowOut) error {
		if out.files != nil {
			for _, f := range out.files.Files {
				if out.in.Diff {
					p.Printf("%s", f.Diff)
					continue
				}
				p.Printf("%-6s  %8d  %s\n", f.Change, f.Bytes, f.Path)
			}
			return nil
		}
		if out.said != nil {
			printConversation(p, out.said)
			return nil
		}
		if out.Task != "" {
			p.Printf("task %s\n", strings.Join(strings.Fields(out.Task), " "))
		}
		for _, e := range out.steps {
			if e.Kind != trace.KindRun {
				p.Printf("%s%s\n", EventLine(e), spent(e))
			}
		}
		return nil
	},
}

// printConversation writes every message once, in the turn that it was new in. A turn
// whose conversation is not that of the turn before, gone on with, is written whole.
func printConversation(p *Page, c *agent.Conversation) {
	var before []agent.Message
	for _, e := range c.Turns {
		note := ""
		if e.Summary {
			note = ", shortens the conversation"
		}
		if !e.Exact {
			note += ", not confirmed by the journal"
		}
		p.Printf("== turn %d%s\n", e.Turn, note)
		for _, m := range e.New(before) {
			printMessage(p, m)
		}
		printMessage(p, e.Reply)
		if !e.Summary {
			before = append(slices.Clone(e.Messages), e.Reply)
		}
	}
}

func printMessage(p *Page, m agent.Message) {
	p.Printf("-- %s\n", m.Role)
	if m.Content != "" {
		p.Printf("%s\n", strings.TrimRight(m.Content, "\n"))
	}
	for _, picture := range m.Pictures {
		p.Printf("[%s, %d bytes]\n", picture.Type, len(picture.Data))
	}
	for _, call := range m.ToolCalls {
		p.Printf("[calls %s %s]\n", call.Name, call.Args)
	}
}

// agentRecord finds a run.
func agentRecord(state *trace.State, id string) (trace.RunRecord, error) {
	all, err := state.Runs()
	if err != nil {
		return trace.RunRecord{}, err
	}
	for _, r := range all {
		if r.Run == id {
			return r, nil
		}
	}
	return trace.RunRecord{}, diag.NotFoundf("wb agent list", "there is no run %s", id)
}

// files lists, compares or writes what the run has made.
func (in *AgentShowIn) files(h *Home, records host.Records, record trace.RunRecord) (*AgentFiles, error) {
	files, err := records.Files(in.ID)
	if err != nil {
		return nil, err
	}
	out := &AgentFiles{Dir: files.Dir, Files: []AgentFile{}, Run: in.ID, Written: files.Written || in.Apply}
	for _, f := range files.Changes {
		row := AgentFile{Path: f.Path, Change: f.Kind(), Bytes: len(f.Content)}
		if in.Diff && row.Change != "same" {
			row.Diff = differenceOf(f)
		}
		out.Files = append(out.Files, row)
	}
	if in.Apply {
		since := record.Started
		if in.Force {
			since = time.Time{}
		}
		if err := files.Apply(since); err != nil {
			return nil, err
		}
	}
	if len(out.Files) == 0 {
		h.notef("wb: run %s wrote no files", in.ID)
	}
	return out, nil
}

// differenceOf is a change as people read it.
func differenceOf(f host.Change) string {
	if !utf8.Valid(f.Now) || !utf8.Valid(f.Content) {
		return fmt.Sprintf("%s: %d bytes become %d\n", f.Path, len(f.Now), len(f.Content))
	}
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.Missing {
		from = "/dev/null"
	}
	if f.Removed {
		to = "/dev/null"
	}
	return textdiff.Unified(from, to, string(f.Now), string(f.Content))
}

// EventLine is an event in a line.
func EventLine(e trace.Event) string {
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

// spent formats the cost of an event: time, tokens and dollars.
func spent(e trace.Event) string {
	var parts []string
	if e.Duration >= time.Millisecond {
		parts = append(parts, e.Duration.Round(time.Millisecond).String())
	}
	if n := e.Usage.TokensIn + e.Usage.TokensOut; n > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", n))
	}
	if e.Usage.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", e.Usage.CostUSD))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  [" + strings.Join(parts, ", ") + "]"
}

// AgentApproveIn holds the arguments of wb agent approve.
type AgentApproveIn struct {
	ID   string `arg:"" name:"run" optional:"" help:"Id of a run, to answer all its requests, or of one request."`
	Deny bool   `help:"Refuse instead of allowing."`
}

var agentApprove = Verb[AgentApproveIn, []approval.Request]{
	Name: "agent approve", Help: "Allow or refuse what a run asks for; without an id, list the waiting requests.", Changes: true,
	About: "Examples:\n  wb agent approve                 list the requests that wait\n  wb agent approve 01KA7R2M8T\n  wb agent approve approval-1f2e3d4c5b6a --deny\n\nThe same can be written into approvals.org beside what the agent works on: DONE\nallows, DENIED refuses. A run that waits goes on at once; one that ended goes on\nwith wb agent resume.",
	Do: func(_ context.Context, _ *Home, in *AgentApproveIn) ([]approval.Request, error) {
		state, err := UserState()
		if err != nil {
			return nil, err
		}
		store := approval.NewInbox(state.Dir())
		if in.ID == "" {
			return waiting(store)
		}
		asked, err := store.Of(in.ID)
		decision := approval.Allowed
		if in.Deny {
			decision = approval.Denied
		}
		for i := 0; err == nil && i < len(asked); i++ {
			asked[i], err = store.Decide(asked[i].ID, decision, "wb agent approve", time.Now())
		}
		return asked, err
	},
	Text: func(p *Page, all []approval.Request) error {
		for _, r := range all {
			status := string(r.Decision)
			if status == "" {
				status = "waiting"
			}
			p.Printf("%s  %-8s  run %s  %s %s  (%s)\n", r.ID, status, r.Run, r.Tool, r.Args, r.Why)
		}
		return nil
	},
}

// waiting lists the requests that wait for a person.
func waiting(store *approval.Inbox) ([]approval.Request, error) {
	all, err := store.List()
	if err != nil {
		return nil, err
	}
	asked := []approval.Request{}
	for _, r := range all {
		if r, err = store.Look(r.ID); err != nil { // somebody may have answered in approvals.org
			return nil, err
		}
		if r.Decision == approval.Pending {
			asked = append(asked, r)
		}
	}
	return asked, nil
}
