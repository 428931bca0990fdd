// Package host gives agents what they need to run on this machine: a model
// from the user's configuration, the tools, the records beside the working
// directory, and the journal in the user's state directory.
//
// [Runtime.Run] starts a run, [Runtime.Resume] and [Runtime.Fork] start one from
// the journal of another, [Runtime.Replay] repeats one offline. A resumed run is
// a run of its own with the old one as its parent: records are append-only.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wb/agent"
	"wb/agent/llm"
	"wb/agent/settings"
	"wb/agent/toolkit"
	"wb/agent/tools"
	"wb/agent/wat"
	"wb/compile"
	"wb/compile/shell"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/nearest"
	"wb/internal/redact"
	"wb/internal/trace"
	"wb/org"
	"wb/sandbox"
	"wb/sandbox/dock/store"
	"wb/sandbox/netbroker"
	"wb/workbook"
	"wb/workbook/capability"
)

// Runtime runs agents. Its fields are set once.
type Runtime struct {
	Env   *compile.Env
	Lanes *compile.Registry
	// Table is wb's table of verbs, for the tools wb and run and for components
	// that are tools; without it agents have none of these.
	Table tools.Table
	Records
	Key identity.Signer // signs the records
	// Getenv reads the environment, which names the model and its key.
	Getenv func(string) string
	// Warn hears what could not be recorded and what is tried again.
	Warn func(error)
	// Delta hears the model's text as it comes.
	Delta func(string)
	// Net handles the requests of agents, besides the grants and the
	// floor that hold for every broker; tests put their own network there.
	Net netbroker.Config
	// Starting hears of every tool call before it is made; it may be nil.
	Starting func(agent string, step int, call agent.ToolCall)
	// Revoked reports whether an agent's capability, granted at a time, has been
	// taken back since; it is asked before every request. Nil never is.
	Revoked func(agent, capability string, granted time.Time) bool
	// Capabilities serve what workbooks and commands that agents start ask for
	// and were granted; nil serves nothing.
	Capabilities *capability.Host
	// Ceiling bounds a task's grants on this host, whoever gave
	// them; nil takes them as they are.
	Ceiling func(grants []string) []string
	// Sink hears the events of runs besides their records; it may be nil.
	Sink trace.Sink
	// Views hear the events of runs, too, whoever runs them.
	Views []trace.Sink
	// On hears every run of every agent, and the runs inside them, with whose
	// each event is.
	On []agent.Listener
	// Around wraps every run, inside of the guard.
	Around []agent.Middleware
	// Now is the time of schedules and accounts; nil is time.Now.
	Now func() time.Time
	// Settings are the user's; the zero value configures nothing.
	Settings settings.Settings

	programsOnce sync.Once
	programs     *wat.Programs // of agents that write programs, compiled
}

// Task is one thing for an agent to do.
type Task struct {
	// File holds the agent's definition, ID says which of the file's; without a
	// file the default agent runs.
	File, ID string
	// System is the prompt of an agent that no document defines, in place of
	// the default agent's.
	System string `json:",omitempty"`
	Text   string
	// Dir is the working directory; the file's, or the current one, when empty.
	Dir string
	// Write lets the agent change the working directory.
	Write bool
	// Exec grants git, publish and image to an agent that asks for them, and
	// lets it change the working directory.
	Exec bool
	// Grants are the capabilities that the workbooks and commands which the agent
	// starts may have when they ask for them, such as kv or net:api.example.com.
	Grants []string `json:",omitempty"`
	// NoWait ends the run where a person must decide; it can be resumed then.
	NoWait bool
	Model  string // in place of the definition's
	// Steps is how many steps an agent has whose drawer does not say it; 0 leaves
	// the default. An agent that no document defines is then bounded by them and not
	// by time.
	Steps   int64 `json:",omitempty"`
	Limits  agent.Bounds
	Session string // a conversation this goes on with, "" for none
	// Memory gives the agent what it remembers from run to run.
	Memory bool `json:",omitempty"`
	// Taint is where untrusted text in Text came from.
	Taint []string `json:",omitempty"`
	// Dream makes it a run of [Runtime.Dream], of what has happened until Until.
	Dream bool      `json:",omitempty"`
	Until time.Time `json:",omitzero"`
	// On hears the run and the runs inside it.
	On []agent.Listener `json:"-"`
	// Instance is whose listeners hear the run besides; nil for none.
	Instance *agent.Agent `json:"-"`

	run string // the run of this process, also in runs inside it
}

// Agents reads the definitions of a file.
func Agents(file string) ([]*agent.Definition, []diag.Finding, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	all, found := agent.Definitions(org.Parse(src), file)
	return all, found, nil
}

// Known says why the agent of a task cannot be found, nil where it can.
func Known(task Task) error {
	_, err := definition(task)
	return err
}

// definition finds the agent of a task.
func definition(task Task) (*agent.Definition, error) {
	if task.File == "" {
		return unnamed(task), nil
	}
	all, found, err := Agents(task.File)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range all {
		if d.ID == task.ID || task.ID == "" && len(all) == 1 {
			if task.Steps > 0 {
				d.DefaultSteps(task.Steps)
			}
			if task.Dream {
				d = dreaming(d)
			}
			return d, nil
		}
		ids = append(ids, d.ID)
	}
	for _, d := range found { // the one that is meant may be among those that cannot be read
		if d.Severity == diag.Error {
			return nil, &diag.FindingsError{Findings: []diag.Finding{d}}
		}
	}
	switch {
	case len(all) == 0:
		return nil, &diag.NotFoundError{What: task.File + " defines no agent", Help: "tag a heading :agent:"}
	case task.ID == "":
		return nil, &diag.NotFoundError{What: task.File + " defines several agents", Help: "name one: " + task.File + "#" + strings.Join(ids, ", #")}
	}
	hint := "it has " + strings.Join(ids, ", ")
	if near := nearest.Word(task.ID, ids); near != "" {
		hint = fmt.Sprintf("did you mean %s#%s?", task.File, near)
	}
	return nil, &diag.NotFoundError{What: fmt.Sprintf("%s has no agent %s", task.File, task.ID), Help: hint}
}

// unnamed is the agent of a task that names none. One of another prompt than the
// default agent's is known by its fingerprint.
func unnamed(task Task) *agent.Definition {
	d := agent.Default()
	if task.Steps > 0 {
		d.Bounds = agent.Bounds{Steps: task.Steps}
	}
	if task.System == "" {
		return d
	}
	d.System, d.Model, d.Bounds = task.System, task.Model, agent.Bounds{Steps: cmp.Or(task.Steps, agent.DefaultSteps)}
	d.ID = "agent-" + d.Fingerprint()[:12]
	d.Title = d.ID
	return d
}

// Run does a task.
func (rt *Runtime) Run(ctx context.Context, task Task) (*agent.Result, error) {
	return rt.start(ctx, task, nil)
}

// start runs a task, anew or from another run.
func (rt *Runtime) start(ctx context.Context, task Task, from *origin) (*agent.Result, error) {
	d, err := definition(task)
	if err != nil {
		return nil, err
	}
	model, err := rt.model(d, task)
	if err != nil {
		return nil, err
	}
	if from != nil && from.model != "" { // what it was asked so far was asked of that one
		model = from.model
	}
	if task, err = absolute(task); err != nil {
		return nil, err
	}
	if err := rt.checkPolicy(d); err != nil {
		return nil, err
	}
	if from == nil {
		if err := rt.check(d, task); err != nil {
			return nil, err
		}
	}
	if err := rt.State.Ready(); err != nil {
		return nil, err
	}
	run, err := rt.begin(d, task, from)
	if err != nil {
		return nil, err
	}
	journal, err := rt.State.OpenJournal(run.ID())
	if err != nil {
		return nil, errors.Join(err, run.End(trace.Outcome{Status: "failed", Error: err.Error()}))
	}
	defer journal.Close()
	release, err := rt.turn(ctx, d, task.Session)
	if err != nil {
		return nil, errors.Join(err, run.End(trace.Outcome{Status: "failed", Error: err.Error()}))
	}
	defer release()
	root := run.ID()
	if from != nil && from.root != "" {
		root = from.root
	}
	var known memory
	if from != nil {
		known = from.memory
		err = from.journal.CopyTo(journal, from.entries)
	} else if known, err = rt.remember(d, task.Session); err == nil {
		err = appendRecord(journal, record{Task: task, Model: model, Definition: d.Fingerprint(), Root: root, memory: known})
	}
	if err != nil {
		return nil, errors.Join(err, run.End(trace.Outcome{Status: "failed", Error: err.Error()}))
	}
	client, err := rt.client(run)
	if err != nil {
		return nil, errors.Join(err, run.End(trace.Outcome{Status: "failed", Error: err.Error()}))
	}
	d.Model = model
	opts := known.options()
	opts.Taint = slices.Concat(opts.Taint, task.Taint)
	opts.Model, opts.Events, opts.Journal, opts.RunID, opts.RootRunID, opts.Instance = client, run, journal, run.ID(), root, task.Instance
	result, err := rt.execute(ctx, d, task, opts)
	if err != nil {
		return nil, errors.Join(err, run.End(trace.Outcome{Status: "failed", Error: err.Error()}))
	}
	end := trace.Outcome{Status: result.Status, Output: result.Result, Error: result.Error, Exit: trace.Exit(result.ExitCode()), Usage: result.Usage}
	rt.warn(rt.keepSession(d, task, result, known, opts.State)) // again, where the run is resumed before it has ended
	rt.warn(run.End(end))
	if task.Dream {
		rt.warn(rt.keepDream(context.WithoutCancel(ctx), d, task, result))
	}
	return result, nil
}

// absolute makes a task independent of the current directory.
func absolute(task Task) (Task, error) {
	var err error
	if task.File != "" {
		if task.File, err = filepath.Abs(task.File); err != nil {
			return task, err
		}
		if task.Dir == "" {
			task.Dir = filepath.Dir(task.File)
		}
	}
	task.Dir, err = filepath.Abs(task.Dir)
	return task, err
}

// begin opens the records of a run.
func (rt *Runtime) begin(d *agent.Definition, task Task, from *origin) (*trace.Run, error) {
	id, err := (&trace.IDs{}).New()
	if err != nil {
		return nil, err
	}
	info := trace.RunInfo{ID: id, Root: id, Session: task.label(), Agent: d.ID, Workbook: task.File}
	if from != nil {
		info.Parent = from.run
		info.Root = cmp.Or(from.root, id)
	}
	sinks := slices.Clone(rt.Views)
	if rt.Sink != nil {
		sinks = append(sinks, rt.Sink)
	}
	return trace.Begin(trace.Config{Sinks: sinks, Files: trace.FilesIn(task.Dir), State: rt.State, Key: rt.Key, Warn: rt.warn,
		Redact: redact.New("[key]", shortestKey, rt.secrets()...).Text}, info)
}

// execute runs the loop with the tools of this machine.
func (rt *Runtime) execute(ctx context.Context, d *agent.Definition, task Task, opts agent.Options) (*agent.Result, error) {
	write := (task.Write || task.granted(d)) && !opts.Replay
	if d.Exec && !task.Exec && task.File != "" {
		rt.warn(fmt.Errorf("agent %s asks for git, publish and image, which are not granted; --exec grants them", d.ID))
	}
	tree, err := agent.NewTree(task.Dir, write)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	task.run = opts.RunID
	opts.Delta, opts.Starting = rt.Delta, rt.Starting
	opts.Prices, opts.Window = rt.prices(), rt.window()
	opts.Consent = &consent{rt: rt, task: task, run: opts.RunID, root: opts.RootRunID}
	opts.Keep = rt.keepOutput
	return rt.perform(ctx, d, task, tree, opts, 0)
}

// perform runs the loop on a tree; depth counts the agents that asked for it.
func (rt *Runtime) perform(ctx context.Context, d *agent.Definition, task Task, tree *agent.Tree, opts agent.Options, depth int) (*agent.Result, error) {
	d.Reasoning = rt.reasoning(d)
	opts.Agent, opts.SessionID = heardBy(d, rt.On), cmp.Or(task.label(), opts.SessionID)
	opts.On = slices.Concat(opts.On, task.On)
	opts = opts.Announced()
	guarded, err := rt.guard(d, task, opts.Events)
	if err != nil {
		return nil, err
	}
	opts.Around = slices.Concat(guarded, []agent.Middleware{rt.hiding()}, rt.Around)
	if opts.Ledger, err = rt.accounted(d, task, opts); err != nil {
		return nil, err
	}
	if d.Style == agent.StyleWat {
		whole, err := rt.programmer(ctx, rt.told(d, task), task, tree, &opts)
		if err != nil {
			return nil, err
		}
		opts.Agent, opts.Task, opts.Tree = whole, task.Text, tree
		opts.Limits = task.Limits
		return agent.Run(ctx, opts), nil
	}
	all, err := rt.tools(d, task, tree, opts, depth)
	if err != nil {
		return nil, err
	}
	foreign, done, err := rt.mcpTools(ctx, d, task, opts)
	if err != nil {
		return nil, err
	}
	defer done()
	all = append(all, foreign...)
	opts.Agent, opts.Task, opts.Tree, opts.Tools = rt.told(d, task), task.Text, tree, all
	opts.Limits = task.Limits
	return agent.Run(ctx, opts), nil
}

// reasoning is how long an agent's model reasons: the document says it, else the
// environment, else the user's settings.
func (rt *Runtime) reasoning(d *agent.Definition) string {
	return cmp.Or(d.Reasoning, rt.Getenv("WB_LLM_REASONING"), rt.Settings.Model.Reasoning)
}

// window is the model's context window in tokens, 0 when unknown.
func (rt *Runtime) window() int64 {
	if n, err := strconv.ParseInt(rt.Getenv("WB_LLM_CONTEXT"), 10, 64); err == nil && n > 0 {
		return n
	}
	return rt.Settings.Model.Context
}

// heardBy is a definition with further listeners.
func heardBy(d *agent.Definition, on []agent.Listener) *agent.Definition {
	heard := *d
	heard.On = slices.Concat(d.On, on)
	return &heard
}

// toolkits are those of the working directory, or beside the document.
func (rt *Runtime) toolkits(task Task) toolkit.Root {
	root := toolkit.Find(task.Dir, rt.Getenv)
	if _, err := os.Stat(root.Dir); err != nil && task.File != "" {
		return toolkit.Find(filepath.Dir(task.File), rt.Getenv)
	}
	return root
}

// told is a definition whose prompt ends with the index of its toolkits.
func (rt *Runtime) told(d *agent.Definition, task Task) *agent.Definition {
	index := rt.toolkits(task).Index(d.Toolkits)
	if index == "" {
		return d
	}
	whole := *d
	whole.System = strings.TrimSpace(d.System + "\n\n" + index)
	return &whole
}

// relative is a file's path within a directory, in the form of the tree.
func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// workbookDirs are the directories of all workbooks that have been run.
func (rt *Runtime) workbookDirs() []string {
	runs, err := rt.State.Runs()
	rt.warn(err)
	var dirs []string
	for _, r := range runs {
		dir := filepath.Dir(r.Workbook)
		if _, err := os.Stat(dir); r.Workbook != "" && err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// label groups the task's events.
func (t Task) label() string {
	if t.Dream {
		return dreamSession
	}
	return t.Session
}

// granted reports whether an agent holds the exec tools: its document asks for
// them and the user grants them. The default agent asks for everything.
func (t Task) granted(d *agent.Definition) bool { return t.Exec && (d.Exec || t.File == "") }

// shellLimits bound one shell call of an agent.
var shellLimits = sandbox.Limits{Timeout: 60 * time.Second, Fuel: 50_000_000_000, Memory: 256 << 20}

// tools are those the definition names, of those there are.
func (rt *Runtime) tools(d *agent.Definition, task Task, tree *agent.Tree, opts agent.Options, depth int) ([]agent.Tool, error) {
	events := opts.Events
	web, err := rt.network(d, events).public()
	if err != nil {
		return nil, err
	}
	all := append(tools.Files(tree), tools.Done(), tools.Issues(task.Dir, time.Now), tools.Fetch(web), tools.More(rt.readOutput))
	if provider := rt.Getenv("WB_SEARCH_URL"); provider != "" {
		search, err := rt.network(d, events).search(provider)
		if err != nil {
			return nil, err
		}
		all = append(all, search)
	} else {
		all = append(all, tools.WebSearch(nil))
	}
	if lane, ok := rt.Lanes.Lookup("sh"); ok {
		runner, ok := compile.Unwrapped[*shell.Lane](lane)
		if !ok {
			return nil, errors.New("the shell lane cannot run tools")
		}
		all = append(all, tools.Shell(runner.ScriptRunner, tree, shellLimits))
	}
	pass := rt.pass(d, task, opts, depth)
	all = append(all, tools.Search(tools.Passages(task.Dir, rt.workbookDirs)))
	if rt.Table != nil {
		bench := tools.Bench{Table: rt.Table, Lanes: rt.Lanes, Tree: tree, Cache: workbook.CacheBeside, Pass: pass,
			Toolkits: func() toolkit.Root { return rt.toolkits(task) }}
		if host := rt.Capabilities; host != nil {
			bench.Variables = func() (*store.Store, string) { return host.Variables(), host.Tenant }
		}
		all = append(all, bench.Workbooks(), bench.WB())
	}
	if task.granted(d) {
		brokered, err := rt.brokered(d, task, tree, events)
		if err != nil {
			return nil, err
		}
		all = append(all, brokered...)
	}
	if task.Session != "" {
		all = append(all, tools.State(opts.State))
	}
	remembers := task.Memory || slices.Contains(d.Tools, "memory")
	if m := rt.memory(d, task); m != nil && remembers && !task.Dream {
		all = append(all, tools.Remember(m))
	}
	own, err := rt.own(d, task, tree, opts, depth)
	if err != nil {
		return nil, err
	}
	if len(d.Tools) == 0 {
		return all, nil
	}
	chosen := own
	wanted := append(slices.Clone(d.Tools), "done")
	if task.Memory && rt.memory(d, task) != nil && !slices.Contains(wanted, "memory") && !task.Dream {
		wanted = append([]string{"memory"}, wanted...)
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Spec().Name)
	}
	for _, want := range wanted {
		found := slices.ContainsFunc(own, func(t agent.Tool) bool {
			name := t.Spec().Name
			return name == toolName(want) || strings.HasSuffix(name, "_"+toolName(want))
		})
		for _, t := range all {
			if t.Spec().Name == want {
				found = true
				chosen = append(chosen, t)
			}
		}
		if !found && !slices.Contains(toolNames, want) && !strings.HasPrefix(want, "mcp:") {
			return nil, diag.Errorf(d.ToolsPos, "agent %s uses the tool %s, but no tool has that name", d.ID, want).WithHint(meant(want, names))
		}
		if want == "done" {
			break
		}
	}
	return chosen, nil
}

func (rt *Runtime) now() time.Time {
	if rt.Now != nil {
		return rt.Now()
	}
	return time.Now()
}

func (rt *Runtime) warn(err error) {
	if rt.Warn != nil && err != nil {
		rt.Warn(err)
	}
}

var _ agent.Model = (*llm.Client)(nil)
