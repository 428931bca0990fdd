package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"wb/agent/toolkit"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/keys"
	"wb/proof/sign"
	"wb/sandbox"
	"wb/workbook/capability"
)

// toolkitCmd looks after toolkits.
type toolkitCmd struct {
	List   toolkitListCmd   `cmd:"" default:"1" help:"List the toolkits there are."`
	Show   toolkitShowCmd   `cmd:"" help:"Show what a toolkit is, or one of its skills."`
	Search toolkitSearchCmd `cmd:"" help:"Find lines of manifests and skills."`
	Run    toolkitRunCmd    `cmd:"" help:"Run a command of a toolkit in the sandbox."`
	Eval   toolkitEvalCmd   `cmd:"" help:"Run what shows that a toolkit works."`
	Verify toolkitVerifyCmd `cmd:"" help:"Check parts, commands and signature without running anything."`
	Sign   toolkitSignCmd   `cmd:"" help:"Sign a toolkit with your key."`
	New    toolkitNewCmd    `cmd:"" help:"Start a toolkit that works."`

	Commands toolkitCommandsCmd `cmd:"" help:"List commands and the capabilities they ask for."`
}

// toolkits are those of the current directory.
func toolkits() toolkit.Root { return toolkit.Find(".", os.Getenv) }

type toolkitListCmd struct{}

func (c *toolkitListCmd) Run(a *terminal) error {
	list, errs := toolkits().List()
	for _, err := range errs {
		a.note("wb: %v", err)
	}
	err := a.answer("toolkit", list, func(w io.Writer) error {
		_, err := io.WriteString(w, toolkit.Lines(list, toolkits()))
		return err
	})
	if err == nil && len(errs) > 0 {
		return diag.Told(diag.ExitFailed)
	}
	return err
}

type toolkitShowCmd struct {
	ID    string `arg:"" help:"Toolkit."`
	Skill string `arg:"" optional:"" help:"Skill; the manifest without one."`
}

func (c *toolkitShowCmd) Help() string {
	return "Examples:\n  wb toolkit show text\n  wb toolkit show text overview"
}

func (c *toolkitShowCmd) Run(a *terminal) error {
	t, err := toolkits().Open(c.ID)
	if err != nil {
		return err
	}
	text := t.Show()
	if c.Skill != "" {
		if text, err = t.Skill(c.Skill); err != nil {
			return err
		}
		text = toolkit.ShowSkill(text)
	}
	return a.answer("toolkit", map[string]any{"toolkit": t, "text": text}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

type toolkitSearchCmd struct {
	Query string `arg:"" help:"Words, all of which a line must have."`
}

func (c *toolkitSearchCmd) Help() string { return "Example:\n  wb toolkit search \"count lines\"" }

func (c *toolkitSearchCmd) Run(a *terminal) error {
	matches, err := toolkits().Search(c.Query)
	if err != nil {
		return err
	}
	return a.answer("toolkit", matches, func(w io.Writer) error {
		_, err := io.WriteString(w, toolkit.MatchLines(c.Query, matches))
		return err
	})
}

type toolkitRunCmd struct {
	ID      string   `arg:"" help:"Toolkit."`
	Command string   `arg:"" help:"Command of the toolkit."`
	Args    []string `arg:"" optional:"" passthrough:"" help:"Its arguments."`
	Dir     string   `help:"Directory that a command which asks for vfs sees; its changes are thrown away." default:"." type:"existingdir"`
	Grant   []string `help:"Grant a capability that the command asks for: clock, random, kv, net:api.example.com; may be repeated." placeholder:"CAP"`
}

func (c *toolkitRunCmd) Help() string {
	return "Example:\n  wb toolkit run text count < notes.txt"
}

func (c *toolkitRunCmd) Run(a *terminal) error {
	t, err := toolkits().Open(c.ID)
	if err != nil {
		return err
	}
	host, err := sandbox.HostDir(c.Dir)
	if err != nil {
		return err
	}
	defer host.Close()
	call := toolkit.Call{Args: c.Args, Files: sandbox.Overlay(host), Grants: c.Grant}
	if !isTerminal(a.std.In) {
		call.Stdin = a.std.In
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return err
	}
	box, err := capabilities()
	if err != nil {
		return err
	}
	defer box.Close()
	if call.Grants, err = signedGrants(box, t, c.Command, c.Grant); err != nil {
		return err
	}
	call.Trace = trace.SinkFunc(func(e trace.Event) error { a.note("%s", eventLine(e)); return nil })
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) (err error) {
		docks, finish := box.DocksFor(capability.Starter{File: t.Dir, Dir: dir, Grants: call.Grants}, lanes, 0)
		defer func() { err = errors.Join(err, finish(context.WithoutCancel(a.ctx))) }()
		call.Docks = docks
		out, err := t.Run(a.ctx, lanes, c.Command, call)
		if err != nil {
			return err
		}
		if _, err := a.std.Err.Write(out.Stderr); err != nil {
			return err
		}
		err = a.answer("toolkit", map[string]any{"stdout": string(out.Stdout), "exit": out.Exit}, func(w io.Writer) error {
			_, err := w.Write(out.Stdout)
			return err
		})
		if err == nil && out.Exit != 0 {
			return diag.Told(diag.ExitFailed)
		}
		return err
	})
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

type toolkitEvalCmd struct {
	ID    string   `arg:"" help:"Toolkit."`
	Grant []string `help:"Grant a capability that its commands ask for." placeholder:"CAP"`
}

func (c *toolkitEvalCmd) Help() string { return "Example:\n  wb toolkit eval text" }

func (c *toolkitEvalCmd) Run(a *terminal) error {
	t, err := toolkits().Open(c.ID)
	if err != nil {
		return err
	}
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		checks, err := t.Eval(a.ctx, lanes, c.Grant)
		if err != nil {
			return err
		}
		return a.checks(checks, diag.ExitFailed)
	})
}

type toolkitVerifyCmd struct {
	ID   string `arg:"" help:"Toolkit."`
	Keys string `help:"A key log known to be the signer's, which may revoke." placeholder:"FILE" type:"existingfile"`
}

func (c *toolkitVerifyCmd) Help() string {
	return `Examples:
  wb toolkit verify text
  wb toolkit verify text --keys wb-keys.jsonl

A key that was revoked fails, whether the log beside the manifest says so, yours,
that of somebody you trust, one of a site that you verified, or --keys.`
}

func (c *toolkitVerifyCmd) Run(a *terminal) error {
	t, err := toolkits().Open(c.ID)
	if err != nil {
		return err
	}
	box, err := capabilities()
	if err != nil {
		return err
	}
	defer box.Close()
	trust, err := trusted(box.Grants)
	if err != nil {
		return err
	}
	if c.Keys != "" {
		log, err := os.ReadFile(c.Keys)
		if err != nil {
			return err
		}
		if _, err := keys.ParseLog(log); err != nil {
			return fmt.Errorf("--keys %s: %w", c.Keys, err)
		}
		trust.Given = append(trust.Given, string(log))
	}
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		return a.checks(t.Verify(a.ctx, lanes, trust.Check), diag.ExitVerify)
	})
}

// checks answers with what was looked at; one that failed ends with code.
func (a *terminal) checks(checks []toolkit.Check, code int) error {
	err := a.answer("toolkit", checks, func(w io.Writer) error {
		for _, c := range checks {
			fmt.Fprintln(w, c)
		}
		return nil
	})
	if err == nil && !toolkit.OK(checks) {
		return diag.Told(code)
	}
	return err
}

type toolkitSignCmd struct {
	ID string `arg:"" help:"Toolkit."`
}

func (c *toolkitSignCmd) Help() string {
	return "Example:\n  wb toolkit sign text\n\nSigns the manifest and the digest of every other file with your key (WB_SIGNING_KEY or\nthe one in the configuration directory), and puts your key log beside them, as keys.jsonl;\nwb toolkit verify shows whose it is."
}

func (c *toolkitSignCmd) Run(a *terminal) error {
	t, err := toolkits().Open(c.ID)
	if err != nil {
		return err
	}
	s, err := issuer()
	if err != nil {
		return err
	}
	if err := t.Sign(sign.Issuer{Signer: s.Key, Keys: s.Log}); err != nil {
		return err
	}
	return a.answer("toolkit", map[string]any{"id": t.ID, "did": s.Key.DID()}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "signed %s as %s\n", t.ID, s.Key.DID())
		return err
	})
}

type toolkitNewCmd struct {
	ID string `arg:"" help:"Name of the toolkit and its directory."`
}

func (c *toolkitNewCmd) Help() string { return "Example:\n  wb toolkit new text" }

func (c *toolkitNewCmd) Run(a *terminal) error {
	t, err := toolkits().New(c.ID)
	if err != nil {
		return err
	}
	return a.answer("toolkit", t, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, t.Dir)
		return err
	})
}
