package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/fetch"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/leak"
	"wb/publish/site"
	"wb/publish/site/deploy"
	"wb/publish/site/worker"
	"wb/publish/target"
	"wb/sandbox/dock/store"
)

// publishCmd makes sites of workbooks and puts them where readers find them.
type publishCmd struct {
	Init     publishInitCmd     `cmd:"" help:"Write publish.org and site.org for a directory."`
	Validate publishValidateCmd `cmd:"" help:"Find broken links, missing pictures, secrets and mistakes of the configuration."`
	Site     publishSiteCmd     `cmd:"" help:"Build, sign and deploy the site of a directory."`
	Apply    publishApplyCmd    `cmd:"" help:"Build, sign and deploy one workbook as a page."`
	Serve    publishServeCmd    `cmd:"" help:"Preview a site in the browser, following every change."`
	Status   publishStatusCmd   `cmd:"" help:"Verify what readers see now, and list the releases that are kept."`
	Rollback publishRollbackCmd `cmd:"" help:"Show readers an earlier release again."`
}

type publishInitCmd struct {
	Dir    string `arg:"" optional:"" default:"." help:"The directory."`
	DryRun bool   `help:"Say what would be written."`
}

func (c *publishInitCmd) Help() string {
	return "Examples:\n  wb publish init notes\n  wb publish init --dry-run\n\nNothing that is there is replaced. site.org lists the documents that there are."
}

func (c *publishInitCmd) Run(a *terminal) error {
	if err := needDir(c.Dir, "init "+filepath.Dir(c.Dir)); err != nil {
		return err
	}
	written, err := site.Init(c.Dir, c.DryRun)
	switch {
	case diag.Forbidden(err):
		return &diag.CodedError{Err: errors.New("cannot write to " + c.Dir + ": " + err.Error()), Help: "make it writable, or copy its documents to a directory that you may write: wb publish init DIR", Code: diag.ExitForbidden}
	case err != nil:
		return err
	}
	return a.answer("publish", map[string]any{"written": slices.Concat([]string{}, written), "dry_run": c.DryRun}, func(w io.Writer) error {
		for _, name := range written {
			fmt.Fprintln(w, name)
		}
		if len(written) == 0 {
			a.note("everything is there already")
		}
		return nil
	})
}

// needDir refuses a file where the directory of a site is meant, and says what to
// do instead.
func needDir(name, instead string) error {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return diag.Usagef("wb publish "+instead, "%s", name+" is no directory")
	}
	return nil
}

type publishValidateCmd struct {
	Dir    string `arg:"" optional:"" default:"." help:"The directory of the site."`
	Strict bool   `help:"Fail for warnings, too."`
}

func (c *publishValidateCmd) Help() string {
	return `Examples:
  wb publish validate
  wb publish validate docs --strict
  wb publish validate docs --json

Each finding has its file, line and column. Exits with 1 for errors, which stop a
release: secrets, and a configuration or names that would mislead. What readers
can live with, such as a broken link, is a warning: the page marks it. Nothing
runs and no address is contacted.`
}

func (c *publishValidateCmd) Run(a *terminal) error {
	if err := needDir(c.Dir, "validate "+filepath.Dir(c.Dir)); err != nil {
		return err
	}
	p, err := site.Open(c.Dir)
	if err != nil {
		return missing(c.Dir, err)
	}
	defer p.Close()
	secrets, err := a.secrets()
	if err != nil {
		return err
	}
	found, err := p.Check(a.ctx, secrets)
	if err != nil {
		return err
	}
	if c.Strict {
		found = site.Strict(found)
	}
	data := map[string]any{"directory": c.Dir, "pages": len(p.Documents), "left": p.Left, "warnings": site.Warnings(found)}
	return a.checked(found, data, func(w io.Writer) error {
		said := site.CountWarnings(found)
		if said == "" {
			said = "no mistakes"
		}
		_, err := fmt.Fprintf(w, "%s: %s, %s\n", c.Dir, site.Pages(len(p.Documents)), said)
		return err
	})
}

// checked answers with findings, and fails if there are errors among them.
func (a *terminal) checked(found []diag.Finding, data map[string]any, text func(io.Writer) error) error {
	if !diag.HasErrors(found) {
		a.advice(found)
		data["found"] = slices.Concat([]diag.Finding{}, found)
		return a.answer("publish", data, text)
	}
	fault := diag.Failedf(strictHint(found), "%s", site.Summary(found))
	if a.json {
		data["found"] = found
		if err := diag.WriteJSON(a.std.Out, envelope{Verb: "publish", Data: data, Error: diag.FaultOf(fault)}); err != nil {
			return err
		}
		return diag.Told(diag.ExitFailed)
	}
	diag.Printer{W: a.std.Out, Colour: colour(a.std.Out)}.Findings(found)
	return fault
}

// strictHint says how many warnings there are beside the errors.
func strictHint(found []diag.Finding) string {
	if said := site.CountWarnings(found); said != "" {
		return said + " do not stop a release"
	}
	return ""
}

// fewWarnings is up to how many warnings a release prints one by one.
const fewWarnings = 10

// mind tells the warnings of a release: each of a few, the first of each kind of
// many.
func (a *terminal) mind(found []diag.Finding, all string) {
	kinds, total := site.Warnings(found), 0
	for _, k := range kinds {
		total += k.Count
	}
	if total <= fewWarnings {
		a.advice(found)
		return
	}
	for _, k := range kinds {
		a.note("%d × %s, first %s", k.Count, k.Code, k.First)
	}
	a.note("%s; %s shows them all", site.CountWarnings(found), all)
}

// advice tells what is no mistake, with what to do about it.
func (a *terminal) advice(found []diag.Finding) {
	if !a.quiet {
		diag.Printer{W: a.std.Err}.Findings(found)
	}
}

// secrets are the values that must not leave.
func (a *terminal) secrets() (secrets []leak.Secret, err error) {
	err = withVariables(func(s *store.Store) (err error) {
		secrets, err = deploy.Secrets(a.ctx, s)
		return err
	})
	return secrets, err
}

// releaseFlags are those of verbs that release something.
type releaseFlags struct {
	DryRun    bool     `help:"Build and check, then say what would be released; write and send nothing."`
	Strict    bool     `help:"Release nothing while there are warnings."`
	NoSign    bool     `help:"Build without signing; such a site is not deployed."`
	AllowLeak []string `help:"A file of the site that may hold what looks like a secret." placeholder:"FILE"`

	ContinueFrom string `help:"A copy of the site whose releases the next one goes on from, a directory or an address; by default what the target shows." placeholder:"SITE"`
}

type publishSiteCmd struct {
	Dir string `arg:"" optional:"" default:"." help:"The directory of the site."`
	releaseFlags
}

func (c *publishSiteCmd) Help() string {
	return `Examples:
  wb publish site docs
  wb publish site --dry-run

The site is built in the directory that #+PUBLISH_OUTPUT names (.publish_out),
signed with your key as the next release, and deployed to #+PUBLISH_TARGET.
Nothing is released that holds a secret or would mislead readers. Lesser mistakes,
such as a broken link, are marked on the page and counted; --strict stops for any.
What has not changed makes no new release. Numbers of releases go on when the directory is lost: your state
directory and the target know them, or a copy of the site with --continue-from.`
}

func (c *publishSiteCmd) Run(a *terminal) error {
	config, err := configOf(a, c.Dir)
	if err != nil {
		return err
	}
	return c.release(a, worker.Request{Do: worker.Site, Dir: c.Dir}, c.Dir, *config, "wb publish validate "+c.Dir)
}

// configOf is the configuration of a site, which must have no mistakes.
func configOf(a *terminal, dir string) (*site.Config, error) {
	if err := needDir(dir, "apply "+dir+", which publishes one workbook"); err != nil {
		return nil, err
	}
	p, err := site.Open(dir)
	if err != nil {
		return nil, missing(dir, err)
	}
	defer p.Close()
	if diag.HasErrors(p.Found) {
		return nil, a.checked(p.Found, map[string]any{"directory": dir}, nil)
	}
	return &p.Config, nil
}

type publishApplyCmd struct {
	File string `arg:"" help:"A workbook, with #+PUBLISH_ keywords of its own."`
	releaseFlags
}

func (c *publishApplyCmd) Help() string {
	return `Examples:
  wb publish apply report.org
  wb publish apply report.org --dry-run

The workbook becomes the one page of a site of its own, signed and deployed as
its #+PUBLISH_ keywords say; by default it is built in .publish_NAME beside it.
Documents that belong together are published by wb publish site.`
}

func (c *publishApplyCmd) Run(a *terminal) error {
	config, found, err := site.SingleConfig(c.File)
	if err != nil {
		return missing(c.File, err)
	}
	if diag.HasErrors(found) {
		return a.checked(found, map[string]any{"file": c.File}, nil)
	}
	return c.release(a, worker.Request{Do: worker.Page, File: c.File}, filepath.Dir(c.File), config, "wb export "+c.File+" --to html")
}

// release has wb-publish lay out a site, and signs and deploys it. all is the
// command that shows all warnings.
func (c *releaseFlags) release(a *terminal, r worker.Request, dir string, config site.Config, all string) error {
	start := time.Now()
	stage, err := os.MkdirTemp("", "wb-publish-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	r.Out, r.Strict = stage, c.Strict
	reply, err := a.work(r, nil)
	if err != nil {
		return err
	}
	for _, left := range reply.Left {
		a.note("left out: %s", left)
	}
	if diag.HasErrors(reply.Found) {
		return a.checked(reply.Found, map[string]any{"directory": dir}, nil)
	}
	a.mind(reply.Found, all)
	if reply.Pages == 0 {
		return diag.NotFoundf("write one, such as "+filepath.Join(dir, "index.org"), "%s", dir+": no document to publish")
	}
	secrets, err := a.secrets()
	if err != nil {
		return err
	}
	with := deploy.Options{AllowLeak: c.AllowLeak, Secrets: secrets}
	if !c.NoSign {
		key, err := issuer()
		if err != nil {
			return err
		}
		with.Issuer = &sign.Issuer{Signer: key.Key, Keys: key.Log}
		if err := c.history(&with); err != nil {
			return err
		}
	}
	done, err := deploy.Run(a.ctx, deploy.Job{Stage: stage, Dir: dir, Config: config, Assertions: reply.Assertions, DryRun: c.DryRun}, with)
	if err != nil {
		if diag.Forbidden(err) && diag.HintOf(err) == "" {
			return diag.Advise(err, "#+PUBLISH_OUTPUT: DIR in publish.org builds elsewhere")
		}
		return err
	}
	if c.NoSign {
		a.note("not signed: nobody can tell whether this site is what you wrote, and wb verify refuses it")
	}
	done.Warnings, done.Found = site.Warnings(reply.Found), reply.Found
	done.Pages, done.Millis = reply.Pages, time.Since(start).Milliseconds()
	return a.answer("publish", done, done.Write)
}

// history says where the releases before the next one are known from.
func (c *releaseFlags) history(with *deploy.Options) error {
	var err error
	if with.Record, err = sitesSigned(); err != nil {
		return err
	}
	if with.Seen, err = sitesSeen(); err != nil {
		return err
	}
	switch from := c.ContinueFrom; {
	case from == "":
	case strings.Contains(from, "://"):
		with.Continue = func(ctx context.Context) (manifest.Files, error) { return fetch.History(ctx, from, true) }
	default:
		if _, err := os.Stat(from); err != nil {
			return missing(from, err)
		}
		with.Continue = func(context.Context) (manifest.Files, error) { return verify.ReadDir(from) }
	}
	return nil
}

// work has wb-publish do something.
func (a *terminal) work(r worker.Request, url func(string) error) (*worker.Reply, error) {
	path, err := worker.Find(a.ctx, a.note)
	if err != nil {
		return nil, err
	}
	return worker.Run(a.ctx, path, r, worker.Listener{Note: func(text string) { a.note("%s", text) }, URL: url}, a.std.Err)
}

type publishServeCmd struct {
	Dir  string `arg:"" optional:"" default:"." help:"The directory of the site."`
	Port int    `help:"The port on this machine; 0 is any that is free." default:"4380"`
}

func (c *publishServeCmd) Help() string {
	return `Examples:
  wb publish serve docs
  wb publish serve --port 0

The preview answers on this machine alone. Pages that are open reload when they
change, and mistakes are shown on them. It is not signed, and nothing of it is
written.`
}

func (c *publishServeCmd) Run(a *terminal) error {
	if _, err := os.Stat(c.Dir); err != nil {
		return missing(c.Dir, err)
	}
	_, err := a.work(worker.Request{Do: worker.Serve, Dir: c.Dir, Port: c.Port}, func(url string) error {
		return a.answer("publish", map[string]string{"url": url}, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, url)
			return err
		})
	})
	return err
}

type publishStatusCmd struct {
	Dir string `arg:"" optional:"" default:"." help:"The directory of the site."`
}

func (c *publishStatusCmd) Help() string {
	return "Examples:\n  wb publish status docs\n  wb publish status docs --json\n\nReads what the target shows its readers and verifies it. Exits with 5 when that is not what was signed."
}

func (c *publishStatusCmd) Run(a *terminal) error {
	return a.withTarget(c.Dir, func(t target.Target) error {
		status, err := t.Status(a.ctx)
		if err != nil {
			return err
		}
		if err := a.answer("publish", status, func(w io.Writer) error { return deploy.WriteStatus(w, status) }); err != nil {
			return err
		}
		if status.Verdict != nil && status.Verdict.Err() != nil {
			return diag.Told(diag.ExitVerify)
		}
		return nil
	})
}

// withTarget opens the target of a site.
func (a *terminal) withTarget(dir string, do func(target.Target) error) error {
	config, err := configOf(a, dir)
	if err != nil {
		return err
	}
	key, err := issuer()
	if err != nil {
		return err
	}
	t, err := deploy.Target(dir, *config, deploy.Options{Issuer: &sign.Issuer{Signer: key.Key, Keys: key.Log}})
	if err != nil {
		return err
	}
	if t == nil {
		t = deploy.Here(config.OutputDir(dir))
	}
	return do(t)
}

type publishRollbackCmd struct {
	Release string `arg:"" optional:"" help:"Its id, the beginning of that, or its number; by default the one before the current one."`
	Dir     string `help:"The directory of the site." default:"." placeholder:"DIR"`
	DryRun  bool   `help:"Say which release readers would see."`
}

func (c *publishRollbackCmd) Help() string {
	return "Examples:\n  wb publish rollback --dir docs\n  wb publish rollback 7 --dir docs\n\nwb publish status lists the releases that are kept."
}

func (c *publishRollbackCmd) Run(a *terminal) error {
	return a.withTarget(c.Dir, func(t target.Target) error {
		release, err := deploy.Rollback(a.ctx, t, c.Release, c.DryRun)
		if err != nil {
			return err
		}
		return a.answer("publish", map[string]any{"target": t.Name(), "release": release, "dry_run": c.DryRun}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: release %d (%s)\n", t.Name(), release.Sequence, release.ID)
			return err
		})
	})
}
