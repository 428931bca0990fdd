package deploy

import (
	"context"
	"fmt"
	"io"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/target"
)

// Here is the target of a site without one: its output directory, which
// somebody serves as it is.
func Here(dir string) target.Target { return here{dir} }

type here struct{ dir string }

func (h here) Name() string { return target.Local + " " + h.dir }

// Deploy implements [target.Target].
func (h here) Deploy(ctx context.Context, _ string) (target.Release, error) {
	all, err := h.List(ctx)
	if err != nil || len(all) == 0 {
		return target.Release{}, err
	}
	return all[0], nil
}

// List implements [target.Target].
func (h here) List(context.Context) ([]target.Release, error) {
	out, err := OpenOutput(h.dir)
	if err != nil {
		return nil, err
	}
	text, ok := out.old[manifest.SitePath]
	if !ok {
		return nil, nil
	}
	info, _, err := releasedir.Describe(text)
	info.Current = true
	return []target.Release{info}, err
}

// History implements [target.Target].
func (h here) History(context.Context) (manifest.Files, error) {
	out, err := OpenOutput(h.dir)
	if err != nil {
		return nil, err
	}
	return sign.History(out.old), nil
}

// errNoReleases says what a site without a target cannot do.
type errNoReleases struct{ dir string }

func (e *errNoReleases) Error() string { return e.dir + " keeps only one release" }
func (e *errNoReleases) Hint() string {
	return "#+PUBLISH_DIR: /srv/www/site keeps the last ones there"
}
func (e *errNoReleases) ExitCode() int { return diag.ExitNotFound }

// Rollback implements [target.Target].
func (h here) Rollback(context.Context, string) (target.Release, error) {
	return target.Release{}, &errNoReleases{h.dir}
}

// Status implements [target.Target].
func (h here) Status(ctx context.Context) (*target.Status, error) {
	all, err := h.List(ctx)
	if err != nil {
		return nil, err
	}
	s := &target.Status{Target: h.Name(), Releases: all}
	if len(all) > 0 {
		files, err := verify.ReadDir(h.dir)
		if err != nil {
			return nil, err
		}
		s.Current, s.Verdict = &all[0], verify.Site(files, verify.Options{})
	}
	return s, nil
}

// Rollback makes an earlier release what readers see; with dry it only says
// which that would be.
func Rollback(ctx context.Context, t target.Target, id string, dry bool) (target.Release, error) {
	if !dry {
		return t.Rollback(ctx, id)
	}
	all, err := t.List(ctx)
	if err != nil {
		return target.Release{}, err
	}
	if _, none := t.(here); none {
		return t.Rollback(ctx, id)
	}
	return target.Choose(all, id)
}

// WriteStatus says what readers see to a person.
func WriteStatus(w io.Writer, s *target.Status) error {
	var out strings.Builder
	switch {
	case s.Current == nil && len(s.Releases) == 0:
		fmt.Fprintf(&out, "%s: nothing is published\n", s.Target)
	case s.Verdict == nil:
		fmt.Fprintf(&out, "%s\n", s.Target)
	case s.Verdict.Err() != nil:
		fmt.Fprintf(&out, "%s: not what was signed: %v\n", s.Target, s.Verdict.Err())
	default:
		fmt.Fprintf(&out, "%s: authentic, signed by %s\n", s.Target, s.Verdict.IssuerDID)
	}
	for _, r := range s.Releases {
		mark := " "
		if r.Current {
			mark = "*"
		}
		fmt.Fprintf(&out, "%s %d\t%s\t%s\t%d files\t%s\n", mark, r.Sequence, r.ID, r.IssuedAt, r.Files, bytesOf(r.Bytes))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
