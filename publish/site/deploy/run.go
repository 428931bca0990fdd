package deploy

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"wb/publish/manifest"
	"wb/publish/site"
	"wb/publish/target"
	"wb/publish/verify"
)

// Job is a site that was laid out and is to be released.
type Job struct {
	Stage      string // the directory it was laid out in
	Dir        string // the directory of its documents
	Config     site.Config
	Assertions map[string][]manifest.Assertion // of pages, by path
	DryRun     bool
}

// Done is what became of it.
type Done struct {
	Output   string          `json:"output"`
	Pages    int             `json:"pages"`
	Release  *Release        `json:"release"`
	Target   string          `json:"target,omitempty"`
	Deployed *target.Release `json:"deployed,omitempty"` // nil when it was built alone
	DryRun   bool            `json:"dry_run"`
	Millis   int64           `json:"dur_ms"`
}

// Run releases a site: signs it into its output directory, and deploys it if
// there is a target. Without an issuer it is built alone.
func Run(ctx context.Context, j Job, with Options) (*Done, error) {
	files, err := verify.ReadDir(j.Stage)
	if err != nil {
		return nil, err
	}
	if err := Leaks(files, with); err != nil {
		return nil, err
	}
	out, err := OpenOutput(j.Config.OutputDir(j.Dir))
	if err != nil {
		return nil, err
	}
	done := &Done{Output: out.Dir, DryRun: j.DryRun}
	var to target.Target
	if with.Issuer == nil {
		files, done.Release = out.Unsigned(files)
	} else {
		if to, err = Target(j.Dir, j.Config, with); err != nil {
			return nil, err
		}
		if files, done.Release, err = out.Sign(files, j.Assertions, *with.Issuer, j.Config.Domain, time.Now()); err != nil {
			return nil, err
		}
	}
	if to != nil {
		done.Target = to.Name()
	}
	if j.DryRun {
		return done, nil
	}
	if done.Release.Changed {
		if err := out.Write(files); err != nil {
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
	out.WriteByte('\n')
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
