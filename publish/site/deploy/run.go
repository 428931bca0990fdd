package deploy

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/site"
	"wb/publish/target"
)

// Job is a site that was laid out and is to be released.
type Job struct {
	Stage      string // the directory it was laid out in
	Dir        string // the directory of its documents
	Config     site.Config
	Assertions map[string][]manifest.Assertion // of pages, by path
	Carry      map[string]manifest.Files       // sources that pages have inside, by the page's path
	// Digests are those of the files in Stage, by path, where they are known. Before says
	// what the last release was made of; nil when unknown.
	Digests map[string]string
	Before  *Made
	DryRun  bool
	// First hears which files besides pages the first release has, before anything
	// is written; nil hears nothing.
	First func(files []manifest.File)
}

// Done is its outcome.
type Done struct {
	Output   string          `json:"output"`
	Pages    int             `json:"pages"`
	Release  *Release        `json:"release"`
	Target   string          `json:"target,omitempty"`
	Deployed *target.Release `json:"deployed,omitempty"` // nil when it was built alone
	Restored bool            `json:"restored"`           // the output directory had lost its history
	DryRun   bool            `json:"dry_run"`
	Left     []string        `json:"left,omitempty"` // documents that are no pages, with the reason
	Warnings []site.Kind     `json:"warnings"`
	Found    []diag.Finding  `json:"found,omitempty"`
	Made     *Made           `json:"-"` // what the release was made of
	Millis   int64           `json:"dur_ms"`
}

// Run releases a site: signs it into its output directory, and deploys it if
// there is a target. Without an issuer it is built alone.
func Run(ctx context.Context, j Job, with Options) (*Done, error) {
	out, err := OpenOutput(j.Config.OutputDir(j.Dir))
	if err != nil {
		return nil, err
	}
	done := &Done{Output: out.Dir, DryRun: j.DryRun}
	var to target.Target
	var history manifest.Files
	if with.Issuer != nil {
		if to, err = Target(j.Dir, j.Config, with); err != nil {
			return nil, err
		}
		if history, err = latest(ctx, out, to, j, with); err != nil {
			return nil, err
		}
		done.Restored = history != nil && out.old[manifest.SitePath] == nil
	}
	files, stay, err := j.read(out, history, with)
	if err != nil {
		return nil, err
	}
	if err := j.leaks(files, stay, with); err != nil {
		return nil, err
	}
	if with.Issuer == nil {
		files, done.Release = out.Unsigned(files)
	} else {
		if files, done.Release, err = out.Sign(files, history, stay, j, *with.Issuer, time.Now()); err != nil {
			return nil, err
		}
		if err := unseen(with.Seen, files); err != nil {
			return nil, err
		}
		done.Made = j.made(with)
	}
	if to != nil {
		done.Target = to.Name()
	}
	if done.Release.Sequence == 1 && done.Release.Changed && j.First != nil {
		j.First(linked(files, &j.Config))
	}
	if j.DryRun {
		return done, nil
	}
	if done.Release.Changed {
		if err := out.Write(files); err != nil {
			return nil, err
		}
	}
	if with.Issuer != nil && with.Record != nil && (done.Release.Changed || stay == nil) {
		if err := with.Record.Keep(*with.Issuer, out.Dir, files); err != nil {
			return nil, err
		}
	}
	if to == nil {
		return done, nil
	}
	deployed, err := to.Deploy(ctx, out.Dir)
	if err != nil {
		return nil, err
	}
	done.Deployed = &deployed
	return done, nil
}

// linked are the files of a site that documents lead to: neither pages nor what wb
// makes.
func linked(files manifest.Files, c *site.Config) []manifest.File {
	return slices.DeleteFunc(files.List(), func(f manifest.File) bool { return manifest.IsPage(f.Path) || c.Generated(f.Path) })
}

// latest is the history that the next release goes on from: the longest of those
// that the output directory, the record and the target have. A dry run asks no
// other machine.
func latest(ctx context.Context, out *Output, to target.Target, j Job, with Options) (manifest.Files, error) {
	by := *with.Issuer
	var shown, recorded manifest.Files
	var err error
	switch {
	case with.Continue != nil:
		if shown, err = with.Continue(ctx); err != nil {
			return nil, err
		}
		if known, err := sign.Latest(by, nil, shown); err != nil || known == nil {
			return nil, &continueError{err}
		}
	case to != nil && (!j.DryRun || slices.Contains([]string{target.Local, target.Cloudflare, target.Rsync}, j.Config.Target)):
		if shown, err = to.History(ctx); err != nil {
			return nil, err
		}
	}
	if with.Record != nil {
		if recorded, err = with.Record.Recall(by, out.Dir); err != nil {
			return nil, err
		}
	}
	return sign.Latest(by, shown, out.old, recorded)
}

// continueError is a site that this issuer cannot go on from.
type continueError struct{ err error }

func (e *continueError) Error() string {
	if e.err == nil {
		return "there is no signed site to continue"
	}
	return "that site cannot be continued: " + e.err.Error()
}

func (e *continueError) Unwrap() error { return e.err }

// Hint says what is expected.
func (e *continueError) Hint() string {
	return "--continue-from takes the directory or the address of a site that your key signed"
}

// ExitCode is that of a conflict.
func (e *continueError) ExitCode() int { return diag.ExitConflict }

// unseen refuses a release that readers would take for one that goes back in
// time, as far as the user has verified later ones.
func unseen(seen *verify.Memory, files manifest.Files) error {
	if seen == nil {
		return nil
	}
	if err := seen.Contradicts(files); err != nil {
		return &behindError{err}
	}
	return nil
}

type behindError struct{ err error }

func (e *behindError) Error() string {
	return "readers would mistake this release for an old one: " + e.err.Error()
}

func (e *behindError) Unwrap() error { return e.err }

// Hint says where the missing releases may be.
func (e *behindError) Hint() string {
	return "--continue-from DIR-OR-URL continues a copy of the site with all its releases"
}

// ExitCode is that of a conflict.
func (e *behindError) ExitCode() int { return diag.ExitConflict }

// Write says it to a person.
func (d *Done) Write(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s, %d files, %s", d.Output, site.Pages(d.Pages), d.Release.Files, bytesOf(d.Release.Bytes))
	switch {
	case d.Release.Sequence == 0:
		out.WriteString(", not signed")
	case d.Release.Changed:
		fmt.Fprintf(&out, ", release %d signed by %s", d.Release.Sequence, d.Release.DID)
	default:
		fmt.Fprintf(&out, ", nothing changed since release %d", d.Release.Sequence)
	}
	if said := site.CountWarnings(d.Found); said != "" {
		out.WriteString(", " + said)
	}
	out.WriteByte('\n')
	if d.Restored && d.Release.Sequence > 0 {
		fmt.Fprintf(&out, "%s had lost its releases: their log continues\n", d.Output)
	}
	switch {
	case d.DryRun:
		out.WriteString("dry run: nothing was written\n")
	case d.Deployed != nil:
		fmt.Fprintf(&out, "%s: release %d (%s)\n", d.Target, d.Deployed.Sequence, d.Deployed.ID)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func bytesOf(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
