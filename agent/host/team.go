package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/agent"
	"wb/agent/tools"
	"wb/internal/trace"
	"wb/org"
	"wb/workbook"
)

// maxTeamDepth is how deeply agents may ask each other.
const maxTeamDepth = 4

// member is another agent of the document as a tool: it gets a task and gives
// its result, within what its caller may still use.
type member struct {
	rt     *Runtime
	d      *agent.Definition
	task   Task
	tree   *agent.Tree
	caller agent.Options // model, records and journal of the run that asks
	depth  int
}

func (m *member) Spec() agent.ToolSpec {
	about := m.d.Tagline
	if about == "" {
		about = m.d.Title
	}
	return agent.ToolSpec{Name: toolName(m.d.ID), Description: fmt.Sprintf("Give the agent %s a task and get its result. %s", m.d.ID, about),
		Schema: json.RawMessage(`{"type":"object","properties":{"task":{"type":"string","description":"what to do, with everything the agent needs to know"}},"required":["task"],"additionalProperties":false}`)}
}

func (*member) ReadOnly() bool { return false }

// Contained is true: what the member does is journaled by its own calls.
func (*member) Contained() bool { return true }

func (m *member) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	mark, stateMark := m.tree.Mark(), m.caller.State.Mark()
	opts := m.caller
	opts.Ledger = agent.LedgerOf(ctx)
	opts.Journal = within{m.caller.Journal, agent.CallKey(ctx) + "/"}
	opts.RunID, opts.Keys, opts.Taint = agent.CallKey(ctx), agent.CallKey(ctx), agent.TaintOf(ctx)
	opts.Instance = nil // another agent
	task := m.task
	task.Text, task.Session, task.Limits, task.On = args.Text("task"), "", agent.Bounds{}, nil
	result, err := m.rt.perform(ctx, m.d, task, m.tree, opts, m.depth)
	if err != nil {
		return agent.Output{}, err
	}
	out := agent.Output{Text: result.Result, Data: result.Data, Artifacts: result.Artifacts, Taint: strings.Join(result.Taint, " "), Files: m.tree.Since(mark), State: m.caller.State.Since(stateMark)}
	if result.ExitCode() != 0 {
		return out, fmt.Errorf("%s ended with %s: %s", m.d.ID, result.Status, result.Result)
	}
	return out, nil
}

// within is a part of a journal: a run inside a run.
type within struct {
	agent.Journal
	prefix string
}

func (w within) Add(kind trace.EntryKind, key string, body []byte) (trace.Entry, error) {
	return w.Journal.Add(kind, w.prefix+key, body)
}

func (w within) Find(kind trace.EntryKind, key string) (trace.Entry, bool) {
	return w.Journal.Find(kind, w.prefix+key)
}

// part is a component of the document as a tool: its inputs are the arguments,
// its output is the result.
type part struct {
	rt   *Runtime
	c    *workbook.Component
	file string
	tree *agent.Tree
	pass tools.Pass
	name string // by which the definition asks for it
	// silent says that its output needs no answer, artifact which kind of thing its
	// result is for the caller; "" is one for the model.
	silent   bool
	artifact string
}

// purpose reads what a component's heading says of its results: :SILENT: and :ARTIFACT:.
func (p *part) purpose(doc *org.Document) {
	for h := range doc.Headlines() {
		if p.c.Headline() == nil || h.Node.Start() != p.c.Headline().Start() {
			continue
		}
		text, _ := h.Property("SILENT")
		p.silent = slices.Contains([]string{"t", "yes", "true"}, strings.TrimSpace(text))
		text, _ = h.Property("ARTIFACT")
		p.artifact = strings.TrimSpace(text)
	}
}

// output is a component's value as what its tool gives. An artifact goes to the caller,
// and the model reads that it was made.
func (p *part) output(text string) agent.Output {
	out := agent.Output{Text: text, Data: json.RawMessage(text), Silent: p.silent}
	if p.artifact != "" {
		out.Artifacts = []agent.Artifact{{Kind: p.artifact, Data: out.Data}}
		out.Text, out.Data = fmt.Sprintf("made: %s (%d bytes)", p.artifact, len(text)), nil
	}
	return out
}

func (p *part) Spec() agent.ToolSpec {
	schema := json.RawMessage(nil)
	if p.c.Sig != nil {
		schema = p.c.Sig.Schema()
	} else {
		properties, required := map[string]any{}, []string{}
		for _, in := range p.c.In {
			properties[in.Name] = map[string]any{}
			required = append(required, in.Name)
		}
		schema, _ = json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	}
	return agent.ToolSpec{Name: toolName(p.name), Description: "Run the component " + p.c.ID + " of the document: " + p.c.Title, Schema: schema}
}

func (*part) ReadOnly() bool { return false }

func (p *part) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	src, err := p.tree.Read(relative(p.tree.Dir(), p.file))
	if err != nil {
		return agent.Output{}, err
	}
	whole, err := json.Marshal(args)
	if err != nil {
		return agent.Output{}, err
	}
	set, err := tools.Inputs(whole)
	if err != nil {
		return agent.Output{}, err
	}
	held := p.pass(ctx, relative(p.tree.Dir(), p.file))
	report, outcome, err := p.rt.runWith(ctx, held, workbook.Options{
		Book:      workbook.BookAt(p.file, src, p.rt.Lanes),
		Inputs:    workbook.Inputs{Set: set},
		Selection: workbook.Selection{Only: []string{p.c.ID}},
		Write:     workbook.WriteNothing,
	})
	if err != nil {
		return agent.Output{}, fmt.Errorf("%s error: %w", p.Spec().Name, err)
	}
	for _, d := range report.Components {
		if d.ID == p.c.ID {
			if d.Err != nil {
				return agent.Output{}, fmt.Errorf("%s error: %w", p.Spec().Name, d.Err)
			}
			out := p.output(d.Value.String())
			out.Fuel, out.Taint = outcome.Fuel, held.Taint()
			return out, nil
		}
	}
	return agent.Output{}, errors.New(p.Spec().Name + " error: it did not run")
}

// toolName is an id as the name of a tool: providers allow letters, digits,
// underscores and hyphens.
func toolName(id string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, id)
	return name[:min(len(name), 64)]
}

// own are the tools that a definition names and that are parts of its document:
// other agents and components.
func (rt *Runtime) own(d *agent.Definition, task Task, tree *agent.Tree, opts agent.Options, depth int) ([]agent.Tool, error) {
	if task.File == "" || len(d.Tools) == 0 {
		return nil, nil
	}
	src, err := tree.Read(relative(tree.Dir(), task.File))
	if err != nil {
		return nil, nil // the document lies outside the working directory
	}
	var all []agent.Tool
	doc := org.Parse(src)
	others, _ := agent.Definitions(doc, task.File)
	for _, other := range others {
		if other.ID != d.ID && slices.Contains(d.Tools, other.ID) {
			if depth >= maxTeamDepth {
				return nil, fmt.Errorf("agents ask each other more than %d levels deep", maxTeamDepth)
			}
			if other.Model == "" { // its own stays when the caller's is overridden
				other.Model = d.Model
			}
			all = append(all, &member{rt, other, task, tree, opts, depth + 1})
		}
	}
	plan := workbook.NewPlan(task.File, src)
	for _, c := range plan.Components {
		if c.Lang == workbook.LangAgent && c.Node() == nil {
			continue // a heading that is an agent is asked as one
		}
		_, short, _ := strings.Cut(c.ID, "/")
		for _, name := range []string{c.ID, short, c.Name} {
			if name != "" && slices.Contains(d.Tools, name) {
				made := &part{rt: rt, c: c, file: task.File, tree: tree, pass: rt.pass(d, task, opts, depth), name: name}
				made.purpose(doc)
				all = append(all, made)
				break
			}
		}
	}
	return all, nil
}
