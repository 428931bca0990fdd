package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/agent/toolkit"
	"wb/compile/shell"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/keys"
	"wb/sandbox"
	"wb/workbook/capability"
)

// toolkits are those of this home.
func (h *Home) toolkits() (toolkit.Root, error) {
	switch {
	case h.Toolkits != nil:
		return h.Toolkits(), nil
	case h.Root != nil:
		return toolkit.Root{}, errors.New("this server has no toolkits")
	}
	return toolkit.Find(".", os.Getenv), nil
}

func (h *Home) toolkit(id string) (*toolkit.Toolkit, error) {
	root, err := h.toolkits()
	if err != nil {
		return nil, err
	}
	return root.Open(id)
}

// ToolkitsOut are toolkits; some may not be readable.
type ToolkitsOut struct {
	root toolkit.Root
	partial[*toolkit.Toolkit]
}

// partial is a list that may lack what could not be read.
type partial[T any] struct {
	list   []T
	broken bool
}

// Data is the list as programs read it.
func (out *partial[T]) Data() any { return out.list }

// Exit is 1 when something could not be read.
func (out *partial[T]) Exit() int {
	if out.broken {
		return diag.ExitFailed
	}
	return 0
}

// lacks tells what could not be read, with what helps, and whether that is anything.
func (h *Home) lacks(errs []error) bool {
	for _, err := range errs {
		h.notef("wb: %s", diag.Explain(err))
	}
	return len(errs) > 0
}

var toolkitList = Verb[struct{}, *ToolkitsOut]{
	Name: "toolkit list", Help: "List the toolkits.", About: "Example:\n  wb toolkit list", Usual: true, Doors: Agents,
	Do: func(_ context.Context, h *Home, _ *struct{}) (*ToolkitsOut, error) {
		root, err := h.toolkits()
		if err != nil {
			return nil, err
		}
		list, errs := root.List()
		return &ToolkitsOut{root, partial[*toolkit.Toolkit]{list, h.lacks(errs)}}, nil
	},
	Text: func(p *Page, out *ToolkitsOut) error { return text(p, toolkit.Lines(out.list, out.root)) },
}

// ToolkitShowIn holds the arguments of wb toolkit show.
type ToolkitShowIn struct {
	ID    string `arg:"" help:"Toolkit."`
	Skill string `arg:"" optional:"" help:"Skill; without one, the manifest."`
}

// ToolkitOut is a toolkit, or one of its skills, as text.
type ToolkitOut struct {
	Text    string           `json:"text"`
	Toolkit *toolkit.Toolkit `json:"toolkit"`
}

var toolkitShow = Verb[ToolkitShowIn, *ToolkitOut]{
	Name: "toolkit show", Help: "Show a toolkit's manifest, or one of its skills.", Doors: Agents,
	About: "Examples:\n  wb toolkit show text\n  wb toolkit show text overview",
	Do: func(_ context.Context, h *Home, in *ToolkitShowIn) (*ToolkitOut, error) {
		t, err := h.toolkit(in.ID)
		if err != nil {
			return nil, err
		}
		if in.Skill == "" {
			return &ToolkitOut{t.Show(), t}, nil
		}
		skill, err := t.Skill(in.Skill)
		return &ToolkitOut{toolkit.ShowSkill(skill), t}, err
	},
	Text: func(p *Page, out *ToolkitOut) error { return text(p, out.Text) },
}

// ToolkitSearchIn holds the arguments of wb toolkit search.
type ToolkitSearchIn struct {
	Query []string `arg:"" help:"Words that a line must contain, all of them."`
}

// ToolkitMatches are the lines that have the words.
type ToolkitMatches struct {
	query   string
	matches []toolkit.Match
}

// Data is the lines as programs read them.
func (out *ToolkitMatches) Data() any { return out.matches }

var toolkitSearch = Verb[ToolkitSearchIn, *ToolkitMatches]{
	Name: "toolkit search", Help: "Find lines of manifests and skills.", About: "Example:\n  wb toolkit search \"count lines\"", Doors: Agents,
	Do: func(_ context.Context, h *Home, in *ToolkitSearchIn) (*ToolkitMatches, error) {
		root, err := h.toolkits()
		if err != nil {
			return nil, err
		}
		query := strings.Join(in.Query, " ")
		matches, err := root.Search(query)
		return &ToolkitMatches{query, matches}, err
	},
	Text: func(p *Page, out *ToolkitMatches) error { return text(p, toolkit.MatchLines(out.query, out.matches)) },
}

// ToolkitRunIn holds the arguments of wb toolkit run.
type ToolkitRunIn struct {
	ID      string   `arg:"" help:"Toolkit."`
	Command string   `arg:"" help:"Command of the toolkit."`
	Args    []string `arg:"" optional:"" passthrough:"" help:"Its arguments."`
	Dir     string   `on:"terminal" help:"Directory for commands that ask for vfs; their changes are discarded." default:"." type:"existingdir"`
	Grant   []string `on:"terminal" help:"Grant a capability that the command asks for: clock, random, kv, net:api.example.com; may be repeated." placeholder:"CAP"`
}

// ToolkitRunOut holds the output of a command, and how it ended.
type ToolkitRunOut struct {
	Code   int    `json:"exit"`
	Stdout string `json:"stdout"`
	stderr string
}

// Exit is 1 when the command failed.
func (out *ToolkitRunOut) Exit() int {
	if out.Code != 0 {
		return diag.ExitFailed
	}
	return 0
}

var toolkitRun = Verb[ToolkitRunIn, *ToolkitRunOut]{
	Name: "toolkit run", Help: "Run a command of a toolkit in the sandbox.", About: "Example:\n  wb toolkit run text count < notes.txt",
	Model: "Run a command of a toolkit in the sandbox; < FILE at the end gives it a file to read.", Doors: Agents, Runs: true, Changes: true,
	Do: func(ctx context.Context, h *Home, in *ToolkitRunIn) (out *ToolkitRunOut, err error) {
		t, err := h.toolkit(in.ID)
		if err != nil {
			return nil, err
		}
		give := h.Command
		if give == nil {
			give = h.machineCommand
		}
		call, finish, err := give(ctx, t, in)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, finish(context.WithoutCancel(ctx))) }()
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		ran, err := t.Run(ctx, lanes, in.Command, call)
		if err != nil {
			return nil, err
		}
		if h.Stderr != nil {
			_, err = h.Stderr.Write(ran.Stderr)
		}
		return &ToolkitRunOut{ran.Exit, string(ran.Stdout), string(ran.Stderr)}, err
	},
	Text: func(p *Page, out *ToolkitRunOut) error {
		if p.Reader == Model && out.stderr != "" {
			return text(p, strings.TrimSuffix(out.Stdout, "\n")+"\n"+out.stderr)
		}
		return text(p, out.Stdout)
	},
}

// machineCommand gives a command the directory that the user names, what they
// granted it, and what they granted its signer.
func (h *Home) machineCommand(ctx context.Context, t *toolkit.Toolkit, in *ToolkitRunIn) (call toolkit.Call, finish func(context.Context) error, err error) {
	host, err := sandbox.HostDir(in.Dir)
	if err != nil {
		return call, nil, err
	}
	box, err := Capabilities()
	if err != nil {
		return call, nil, errors.Join(err, host.Close())
	}
	end := func(context.Context) error { return nil }
	finish = func(ctx context.Context) error { return errors.Join(end(ctx), box.Close(), host.Close()) }
	call = toolkit.Call{Args: in.Args, Files: sandbox.Overlay(host),
		Trace: trace.SinkFunc(func(e trace.Event) error { h.notef("%s", EventLine(e)); return nil })}
	if f, ok := h.Stdin.(*os.File); !ok || !isDevice(f) {
		call.Stdin = h.Stdin
	}
	dir, err := filepath.Abs(in.Dir)
	if err == nil {
		call.Grants, err = signedGrants(box, t, in.Command, in.Grant)
	}
	if err != nil {
		return call, nil, errors.Join(err, finish(ctx))
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return call, nil, errors.Join(err, finish(ctx))
	}
	call.Docks, end = box.DocksFor(capability.Starter{File: t.Dir, Dir: dir, Grants: call.Grants}, lanes, 0)
	return call, finish, nil
}

// isDevice reports whether a file is a terminal, from which no program reads.
func isDevice(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// signedGrants are the grants of the command line, and what the user grants to
// whoever signed the toolkit of what the command asks for.
func signedGrants(box *capability.Host, t *toolkit.Toolkit, command string, granted []string) ([]string, error) {
	signed, err := t.Signature()
	if err != nil {
		return granted, nil // wb toolkit verify says why
	}
	trust, err := trusted(box.Grants)
	if err != nil {
		return nil, err
	}
	for _, c := range t.Commands {
		if c.Name == command {
			_, more := trust.By(signed.DID, signed.Keys, c.Caps)
			granted = append(slices.Clone(granted), more...)
		}
	}
	return granted, nil
}

// ToolkitChecks lists the checks made; a failed one sets the exit code.
type ToolkitChecks struct {
	checks []toolkit.Check
	code   int
}

// Data is the checks as programs read them.
func (out *ToolkitChecks) Data() any { return out.checks }

// Exit is the code for a check that failed.
func (out *ToolkitChecks) Exit() int {
	if toolkit.OK(out.checks) {
		return 0
	}
	return out.code
}

func (out *ToolkitChecks) text(p *Page) error {
	return listed(toolkit.Check.String)(p, out.checks)
}

// ToolkitEvalIn holds the arguments of wb toolkit eval.
type ToolkitEvalIn struct {
	ID    string   `arg:"" help:"Toolkit."`
	Grant []string `help:"Grant a capability that its commands ask for." placeholder:"CAP"`
}

var toolkitEval = Verb[ToolkitEvalIn, *ToolkitChecks]{
	Name: "toolkit eval", Help: "Run a toolkit's evals, which show that it works.", About: "Example:\n  wb toolkit eval text",
	Do: func(ctx context.Context, h *Home, in *ToolkitEvalIn) (*ToolkitChecks, error) {
		t, err := h.toolkit(in.ID)
		if err != nil {
			return nil, err
		}
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		checks, err := t.Eval(ctx, lanes, in.Grant)
		return &ToolkitChecks{checks, diag.ExitFailed}, err
	},
	Text: func(p *Page, out *ToolkitChecks) error { return out.text(p) },
}

// ToolkitVerifyIn holds the arguments of wb toolkit verify.
type ToolkitVerifyIn struct {
	ID   string `arg:"" help:"Toolkit."`
	Keys string `help:"A key log known to be the signer's; it may revoke keys." placeholder:"FILE" type:"existingfile"`
}

var toolkitVerify = Verb[ToolkitVerifyIn, *ToolkitChecks]{
	Name: "toolkit verify", Help: "Check parts, commands and signature without running anything.",
	About: `Examples:
  wb toolkit verify text
  wb toolkit verify text --keys wb-keys.jsonl

A revoked key fails, whether the log beside the manifest revokes it, your log, that
of somebody you trust, that of a site you verified, or the one of --keys.`,
	Do: func(ctx context.Context, h *Home, in *ToolkitVerifyIn) (*ToolkitChecks, error) {
		t, err := h.toolkit(in.ID)
		if err != nil {
			return nil, err
		}
		store, err := UserGrants()
		if err != nil {
			return nil, err
		}
		trust, err := trusted(store)
		if err != nil {
			return nil, err
		}
		if in.Keys != "" {
			log, err := os.ReadFile(in.Keys)
			if err != nil {
				return nil, err
			}
			if _, err := keys.ParseLog(log); err != nil {
				return nil, fmt.Errorf("--keys %s: %w", in.Keys, err)
			}
			trust.Given = append(trust.Given, string(log))
		}
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		return &ToolkitChecks{t.Verify(ctx, lanes, trust.Check), diag.ExitVerify}, nil
	},
	Text: func(p *Page, out *ToolkitChecks) error { return out.text(p) },
}

// ToolkitIn holds the arguments of wb toolkit sign and new.
type ToolkitIn struct {
	ID string `arg:"" help:"Name of the toolkit and its directory."`
}

// ToolkitSigned is a toolkit that was signed.
type ToolkitSigned struct {
	DID string `json:"did"`
	ID  string `json:"id"`
}

var toolkitSign = Verb[ToolkitIn, *ToolkitSigned]{
	Name: "toolkit sign", Help: "Sign a toolkit with your key.", Changes: true,
	About: "Example:\n  wb toolkit sign text\n\nSigns the manifest and the digest of every other file with your key (WB_SIGNING_KEY or\nthe one in the configuration directory), and puts your key log beside them, as keys.jsonl;\nwb toolkit verify shows whose it is.",
	Do: func(_ context.Context, h *Home, in *ToolkitIn) (*ToolkitSigned, error) {
		t, err := h.toolkit(in.ID)
		if err != nil {
			return nil, err
		}
		_, by, err := UserKey()
		if err != nil {
			return nil, err
		}
		return &ToolkitSigned{by.Signer.DID(), t.ID}, t.Sign(by)
	},
	Text: func(p *Page, out *ToolkitSigned) error { p.Printf("signed %s as %s\n", out.ID, out.DID); return nil },
}

var toolkitNew = Verb[ToolkitIn, *toolkit.Toolkit]{
	Name: "toolkit new", Help: "Make a new toolkit, with an example that works.", About: "Example:\n  wb toolkit new text", Changes: true,
	Do: func(_ context.Context, h *Home, in *ToolkitIn) (*toolkit.Toolkit, error) {
		root, err := h.toolkits()
		if err != nil {
			return nil, err
		}
		return root.New(in.ID)
	},
	Text: func(p *Page, t *toolkit.Toolkit) error { p.Printf("%s\n", t.Dir); return nil },
}

// ListedCommand is a command that can be called by its name.
type ListedCommand struct {
	Name  string   `json:"name"`
	From  string   `json:"from"` // a toolkit, the shell or the sandbox
	Caps  []string `json:"caps"`
	About string   `json:"about,omitempty"`
}

var toolkitCommands = Verb[struct{}, *partial[ListedCommand]]{
	Name: "toolkit commands", Help: "List commands and the capabilities they ask for.",
	About: "Examples:\n  wb toolkit commands\n  wb toolkit commands | grep net\n\nLists the commands of toolkits, those of the shell that the host performs, and the\nsandbox's own tools, which blocks start with commands, exec and process. Beside each\nstand the capabilities it asks for, - for none.",
	Do: func(_ context.Context, h *Home, _ *struct{}) (*partial[ListedCommand], error) {
		root, err := h.toolkits()
		if err != nil {
			return nil, err
		}
		kits, errs := root.List()
		out := &partial[ListedCommand]{broken: h.lacks(errs)}
		add := func(name, from string, caps []string, about string) {
			out.list = append(out.list, ListedCommand{name, from, slices.Concat([]string{}, caps), about})
		}
		for _, t := range kits {
			for _, command := range t.Commands {
				add(t.ID+"/"+command.Name, "toolkit", command.Caps, command.Tagline)
			}
		}
		for _, b := range shell.Brokered() {
			add(b.Name, "shell", b.Caps, b.About)
		}
		for _, name := range capability.Registered() {
			add(name, "sandbox", nil, "")
		}
		return out, nil
	},
	Text: func(p *Page, out *partial[ListedCommand]) error {
		for _, command := range out.list {
			caps := strings.Join(command.Caps, " ")
			if caps == "" {
				caps = "-"
			}
			line := fmt.Sprintf("%-24s %-8s %-20s %s", command.Name, command.From, caps, command.About)
			p.Printf("%s\n", strings.TrimRight(line, " "))
		}
		return nil
	},
}
