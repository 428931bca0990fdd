package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/fetch"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/leak"
	"wb/publish/site"
	"wb/publish/site/deploy"
	"wb/publish/site/worker"
	"wb/publish/target"
)

// MistakesError is an error that carries what a person should mend, and what is
// known besides.
type MistakesError struct {
	Found []diag.Finding
	About map[string]any
}

func (e *MistakesError) Error() string { return site.Summary(e.Found) }

// ExitCode is that of what has failed.
func (e *MistakesError) ExitCode() int { return diag.ExitFailed }

// Hint says how many warnings there are beside the errors.
func (e *MistakesError) Hint() string {
	if said := site.CountWarnings(e.Found); said != "" {
		return said + " do not stop a release"
	}
	return ""
}

// Data returns what was done and the mistakes found, for programs.
func (e *MistakesError) Data() any {
	e.About["found"] = e.Found
	return e.About
}

// sound is an error when there are errors among findings.
func sound(found []diag.Finding, about map[string]any) error {
	if diag.HasErrors(found) {
		return &MistakesError{found, about}
	}
	return nil
}

// fewWarnings is up to how many warnings a release prints one by one.
const fewWarnings = 10

// mind tells the warnings of a release: each of a few, the first of each kind of
// many.
func (h *Home) mind(found []diag.Finding, all string) {
	kinds, total := site.Warnings(found), 0
	for _, k := range kinds {
		total += k.Count
	}
	if total <= fewWarnings {
		h.advise(found)
		return
	}
	for _, k := range kinds {
		h.notef("%d × %s, first %s", k.Count, k.Code, k.First)
	}
	h.notef("%s; %s shows them all", site.CountWarnings(found), all)
}

// SiteDir is the directory of a site.
type SiteDir struct {
	Dir string `arg:"" optional:"" default:"." help:"The directory of the site."`
}

// open opens a site; instead is the hint given when the directory is a file.
func (in SiteDir) open(ask site.Ask, instead string) (*site.Project, error) {
	if err := needDir(in.Dir, instead); err != nil {
		return nil, err
	}
	p, err := site.Open(in.Dir, ask)
	if err != nil {
		return nil, missing(in.Dir, err)
	}
	return p, nil
}

// config is the configuration of a site, which must have no mistakes.
func (in SiteDir) config() (*site.Config, error) {
	p, err := in.open(site.Ask{}, "apply "+in.Dir+", which publishes one workbook")
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return &p.Config, sound(p.Found, map[string]any{"directory": in.Dir})
}

// EarlyFlags take documents into a site that are not for readers now.
type EarlyFlags struct {
	Drafts  bool `help:"Also documents with #+DRAFT: t."`
	Future  bool `help:"Also documents whose #+PUBLISHDATE:, or else #+DATE:, is yet to come."`
	Expired bool `help:"Also documents whose #+EXPIRYDATE: is past."`
}

// Ask says which documents become pages now.
func (in EarlyFlags) Ask() site.Ask {
	return site.Ask{Now: time.Now(), Drafts: in.Drafts, Future: in.Future, Expired: in.Expired}
}

// needDir refuses a file where the directory of a site is meant, and says what to
// do instead.
func needDir(name, instead string) error {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return diag.Usagef("wb publish "+instead, "%s is not a directory", name)
	}
	return nil
}

// PublishInitIn holds the arguments of wb publish init.
type PublishInitIn struct {
	Dir    string `arg:"" optional:"" default:"." help:"The directory."`
	DryRun bool   `help:"Print what would be written, and write nothing."`
}

// PublishInitOut is the files that were written, or would be.
type PublishInitOut struct {
	DryRun  bool     `json:"dry_run"`
	Written []string `json:"written"`
}

var publishInit = Verb[PublishInitIn, *PublishInitOut]{
	Name: "publish init", Help: "Write publish.org and site.org for a directory.", Changes: true,
	About: "Examples:\n  wb publish init notes\n  wb publish init --dry-run\n\nExisting files stay as they are. site.org lists the documents it finds.",
	Do: func(_ context.Context, h *Home, in *PublishInitIn) (*PublishInitOut, error) {
		if err := needDir(in.Dir, "init "+filepath.Dir(in.Dir)); err != nil {
			return nil, err
		}
		written, err := site.Init(in.Dir, in.DryRun)
		switch {
		case diag.Forbidden(err):
			return nil, &diag.CodedError{Err: errors.New("cannot write to " + in.Dir + ": " + err.Error()), Help: "make it writable, or copy its documents to a directory that you may write: wb publish init DIR", Code: diag.ExitForbidden}
		case err != nil:
			return nil, err
		case len(written) == 0:
			h.notef("everything already exists")
		}
		return &PublishInitOut{in.DryRun, slices.Concat([]string{}, written)}, nil
	},
	Text: func(p *Page, out *PublishInitOut) error {
		for _, name := range out.Written {
			p.Printf("%s\n", name)
		}
		return nil
	},
}

// PublishValidateIn holds the arguments of wb publish validate.
type PublishValidateIn struct {
	SiteDir
	EarlyFlags
	Strict bool `help:"Also fail for warnings."`
}

// PublishValidateOut is a site without errors.
type PublishValidateOut struct {
	Directory string         `json:"directory"`
	Found     []diag.Finding `json:"found"`
	Left      []string       `json:"left"`
	Pages     int            `json:"pages"`
	Warnings  []site.Kind    `json:"warnings"`
}

var publishValidate = Verb[PublishValidateIn, *PublishValidateOut]{
	Name: "publish validate", Help: "Find broken links, missing pictures, secrets and mistakes of the configuration.",
	About: `Examples:
  wb publish validate
  wb publish validate docs --strict
  wb publish validate docs --json

Each finding has its file, line and column. Exits with 1 for errors, which stop a
release: secrets, and a configuration or names that would mislead. What readers
can live with, such as a broken link, is a warning: the page marks it. Nothing
runs and no address is contacted.`,
	Do: func(ctx context.Context, h *Home, in *PublishValidateIn) (*PublishValidateOut, error) {
		p, err := in.open(in.Ask(), "validate "+filepath.Dir(in.Dir))
		if err != nil {
			return nil, err
		}
		defer p.Close()
		secrets, err := secretsOf(ctx)
		if err != nil {
			return nil, err
		}
		found, err := p.Check(ctx, secrets)
		if err != nil {
			return nil, err
		}
		if in.Strict {
			found = site.Strict(found)
		}
		out := &PublishValidateOut{in.Dir, slices.Concat([]diag.Finding{}, found), p.Left, len(p.Documents), site.Warnings(found)}
		err = sound(found, map[string]any{"directory": in.Dir, "pages": out.Pages, "left": out.Left, "warnings": out.Warnings})
		if err == nil {
			h.advise(found)
		}
		return out, err
	},
	Text: func(p *Page, out *PublishValidateOut) error {
		said := site.CountWarnings(out.Found)
		if said == "" {
			said = "no mistakes"
		}
		p.Printf("%s: %s, %s\n", out.Directory, site.Pages(out.Pages), said)
		return nil
	},
}

// secretsOf are the user's values that must not leave.
func secretsOf(ctx context.Context) ([]leak.Secret, error) {
	host, err := Capabilities()
	if err != nil {
		return nil, err
	}
	defer host.Close()
	return deploy.Secrets(ctx, host.Variables())
}

// ReleaseFlags are those of verbs that release something.
type ReleaseFlags struct {
	DryRun    bool     `help:"Build and check, then print what would be released; write and send nothing."`
	Strict    bool     `help:"Release nothing if there are warnings."`
	NoSign    bool     `help:"Build without signing, and do not deploy."`
	AllowLeak []string `help:"A file of the site that may hold what looks like a secret." placeholder:"FILE"`

	ContinueFrom string `help:"A copy of the site, a directory or an address, whose releases the next one continues; by default what the target shows." placeholder:"SITE"`
}

// PublishSiteIn holds the arguments of wb publish site.
type PublishSiteIn struct {
	SiteDir
	EarlyFlags
	ReleaseFlags
}

var publishSite = Verb[PublishSiteIn, *deploy.Done]{
	Name: "publish site", Help: "Build, sign and deploy the site of a directory.", Changes: true,
	About: `Examples:
  wb publish site docs
  wb publish site --dry-run

The site is built in the directory that #+PUBLISH_OUTPUT names (.publish_out),
signed with your key as the next release, and deployed to #+PUBLISH_TARGET.
Nothing is released that holds a secret or would mislead readers. Lesser mistakes,
such as a broken link, are marked on the page and counted; --strict stops for any.
Drafts, documents that are due later and those that expired are left out, which the
report says; --drafts, --future and --expired take them.
What has not changed makes no new release. Numbers of releases go on when the directory is lost: your state
directory and the target know them, or a copy of the site with --continue-from.`,
	Do: func(ctx context.Context, h *Home, in *PublishSiteIn) (*deploy.Done, error) {
		config, err := in.config()
		if err != nil {
			return nil, err
		}
		return in.release(ctx, h, worker.Request{Do: worker.Site, Dir: in.Dir, Ask: in.Ask()}, in.Dir, *config, "wb publish validate "+in.Dir)
	},
	Text: func(p *Page, done *deploy.Done) error { return done.Write(p) },
}

// PublishApplyIn holds the arguments of wb publish apply.
type PublishApplyIn struct {
	File string `arg:"" help:"A workbook, with #+PUBLISH_ keywords of its own."`
	ReleaseFlags
}

var publishApply = Verb[PublishApplyIn, *deploy.Done]{
	Name: "publish apply", Help: "Build, sign and deploy one workbook as a page.", Changes: true,
	About: `Examples:
  wb publish apply report.org
  wb publish apply report.org --dry-run

The workbook becomes the one page of a site of its own, signed and deployed as
its #+PUBLISH_ keywords say; by default it is built in .publish_NAME beside it.
The page has the source inside that it shows, so that wb verify --rebuild can run
it again; where that is not enough, publishing says so.
Documents that belong together are published by wb publish site.`,
	Do: func(ctx context.Context, h *Home, in *PublishApplyIn) (*deploy.Done, error) {
		config, found, err := site.SingleConfig(in.File)
		if err != nil {
			return nil, missing(in.File, err)
		}
		if err := sound(found, map[string]any{"file": in.File}); err != nil {
			return nil, err
		}
		return in.release(ctx, h, worker.Request{Do: worker.Page, File: in.File}, filepath.Dir(in.File), config, "wb export "+in.File+" --to html")
	},
	Text: publishSite.Text,
}

// collectFrom is the memory from which garbage is collected as soon as there is some
// while a site is signed, in bytes: a thousand pages are there twice, bare and signed.
const collectFrom = 136 << 20

// release has wb-publish lay out a site, and signs and deploys it. all is the
// command that shows all warnings.
func (in *ReleaseFlags) release(ctx context.Context, h *Home, r worker.Request, dir string, config site.Config, all string) (*deploy.Done, error) {
	start := time.Now()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(collectFrom))
	if !in.DryRun {
		release, err := oneRelease(config.OutputDir(dir))
		if err != nil {
			return nil, err
		}
		defer release()
	}
	r.Strict = in.Strict
	laid, err := h.layOut(ctx, r, dir, config, !in.DryRun && !in.NoSign)
	if err != nil {
		return nil, err
	}
	defer laid.close()
	reply := laid.reply
	for _, left := range reply.Left {
		h.notef("left out: %s", left)
	}
	if err := sound(reply.Found, map[string]any{"directory": dir}); err != nil {
		return nil, err
	}
	h.mind(reply.Found, all)
	if reply.Pages == 0 {
		return nil, diag.NotFoundf("write one, such as "+filepath.Join(dir, "index.org"), "%s: no document to publish", dir)
	}
	with, err := in.options(ctx)
	if err != nil {
		return nil, err
	}
	job := deploy.Job{Stage: laid.dir, Dir: dir, Config: config, Assertions: reply.Assertions, DryRun: in.DryRun, First: h.first,
		Digests: reply.Digests, Before: laid.before}
	if r.File != "" {
		if err := h.carry(ctx, r.File, config, &job); err != nil {
			return nil, err
		}
	}
	done, err := deploy.Run(ctx, job, with)
	var leaks *leak.Error
	var stale *deploy.StaleError
	switch {
	case errors.As(err, &leaks):
		docs, err := documentsOf(r)
		if err != nil {
			return nil, err
		}
		return nil, &LeakError{leaks, site.Leaked(docs, leaks.Findings, leak.Rules{Secrets: with.Secrets})}
	case errors.As(err, &stale):
		return nil, errors.Join(diag.Advise(err, "try again: the saved build is discarded"), laid.forget())
	case err != nil:
		if diag.Forbidden(err) && diag.HintOf(err) == "" {
			err = diag.Advise(err, "#+PUBLISH_OUTPUT: DIR in publish.org builds elsewhere")
		}
		return nil, err
	}
	if in.NoSign {
		h.notef("not signed: readers cannot tell whether you wrote this site, and wb verify refuses it")
	}
	if err := laid.keep(done.Made); err != nil {
		h.notef("the next release makes every page again: %v", err)
	}
	done.Warnings, done.Found = site.Warnings(reply.Found), reply.Found
	done.Left = reply.Left
	done.Pages, done.Millis = reply.Pages, time.Since(start).Milliseconds()
	return done, nil
}

// LeakError names the places in documents where something stands that must not
// leave.
type LeakError struct {
	leaks *leak.Error
	Found []diag.Finding
}

// Hint says what to do.
func (e *LeakError) Hint() string { return e.leaks.Hint() }

// ExitCode is that of things not permitted.
func (e *LeakError) ExitCode() int { return e.leaks.ExitCode() }

func (e *LeakError) Error() string {
	var out []string
	for _, d := range e.Found {
		at := d.Pos.String()
		if d.Pos.Line == 0 {
			at = d.Pos.File
		}
		out = append(out, at+": "+d.Message)
	}
	return strings.Join(out, "\n")
}

// Data is the same for programs.
func (e *LeakError) Data() any { return map[string]any{"found": e.Found} }

// documentsOf are the documents that a site is made of.
func documentsOf(r worker.Request) ([]site.Named, error) {
	if r.File != "" {
		text, err := os.ReadFile(r.File)
		return []site.Named{{Name: r.File, Source: text}}, err
	}
	p, err := site.Open(r.Dir, r.Ask)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var out []site.Named
	for _, d := range p.Documents {
		out = append(out, site.Named{Name: d.File, Source: d.Source})
	}
	return out, nil
}

// options are who signs, and where the releases before the next one are known from.
func (in *ReleaseFlags) options(ctx context.Context) (with deploy.Options, err error) {
	with.AllowLeak = in.AllowLeak
	if with.Secrets, err = secretsOf(ctx); err != nil || in.NoSign {
		return with, err
	}
	_, by, err := UserKey()
	if err != nil {
		return with, err
	}
	with.Issuer = &by
	if with.Record, err = sitesSigned(); err != nil {
		return with, err
	}
	if with.Seen, err = sitesSeen(); err != nil {
		return with, err
	}
	switch from := in.ContinueFrom; {
	case from == "":
	case strings.Contains(from, "://"):
		with.Continue = func(ctx context.Context) (manifest.Files, error) { return fetch.History(ctx, from, true) }
	default:
		if _, err := os.Stat(from); err != nil {
			return with, missing(from, err)
		}
		with.Continue = func(context.Context) (manifest.Files, error) { return verify.ReadDir(from) }
	}
	return with, nil
}

// Work has wb-publish do something; to hears of it beside the home, which gets the notes.
func (h *Home) Work(ctx context.Context, r worker.Request, to worker.Listener) (*worker.Reply, error) {
	path, err := worker.Find(ctx, h.notef)
	if err != nil {
		return nil, err
	}
	var stderr io.Writer = io.Discard
	if h.Stderr != nil {
		stderr = h.Stderr
	}
	to.Note = func(text string) { h.notef("%s", text) }
	return worker.Run(ctx, path, r, to, stderr)
}

// PublishStatusOut describes the site as readers see it now.
type PublishStatusOut struct{ *target.Status }

// Exit is 5 when readers do not see what was signed.
func (out PublishStatusOut) Exit() int {
	if out.Verdict != nil && out.Verdict.Err() != nil {
		return diag.ExitVerify
	}
	return 0
}

var publishStatus = Verb[SiteDir, PublishStatusOut]{
	Name: "publish status", Help: "Verify what readers see now, and list the releases that are kept.",
	About: "Examples:\n  wb publish status docs\n  wb publish status docs --json\n\nReads what the target shows its readers and verifies it. Exits with 5 when that is not what was signed.",
	Do: func(ctx context.Context, _ *Home, in *SiteDir) (out PublishStatusOut, err error) {
		t, err := in.target()
		if err != nil {
			return out, err
		}
		out.Status, err = t.Status(ctx)
		return out, err
	},
	Text: func(p *Page, out PublishStatusOut) error { return deploy.WriteStatus(p, out.Status) },
}

// target is where the readers of a site are.
func (in SiteDir) target() (target.Target, error) {
	config, err := in.config()
	if err != nil {
		return nil, err
	}
	_, by, err := UserKey()
	if err != nil {
		return nil, err
	}
	t, err := deploy.Target(in.Dir, *config, deploy.Options{Issuer: &by})
	if err == nil && t == nil {
		t = deploy.Here(config.OutputDir(in.Dir))
	}
	return t, err
}

// PublishRollbackIn holds the arguments of wb publish rollback.
type PublishRollbackIn struct {
	Release string `arg:"" optional:"" help:"The release's id, its beginning, or its number; by default the one before the current one."`
	Dir     string `help:"The directory of the site." default:"." placeholder:"DIR"`
	DryRun  bool   `help:"Print which release readers would see, and change nothing."`
}

// PublishRollbackOut is the release that readers see again.
type PublishRollbackOut struct {
	DryRun  bool           `json:"dry_run"`
	Release target.Release `json:"release"`
	Target  string         `json:"target"`
}

var publishRollback = Verb[PublishRollbackIn, *PublishRollbackOut]{
	Name: "publish rollback", Help: "Show readers an earlier release again.", Changes: true,
	About: "Examples:\n  wb publish rollback --dir docs\n  wb publish rollback 7 --dir docs\n\nwb publish status lists the releases that are kept.",
	Do: func(ctx context.Context, _ *Home, in *PublishRollbackIn) (*PublishRollbackOut, error) {
		t, err := SiteDir{in.Dir}.target()
		if err != nil {
			return nil, err
		}
		release, err := deploy.Rollback(ctx, t, in.Release, in.DryRun)
		return &PublishRollbackOut{in.DryRun, release, t.Name()}, err
	},
	Text: func(p *Page, out *PublishRollbackOut) error {
		p.Printf("%s: release %d (%s)\n", out.Target, out.Release.Sequence, out.Release.ID)
		return nil
	},
}
