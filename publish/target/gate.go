package target

import (
	"context"
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/leak"
)

// site is what the gate let through.
type site struct {
	files    manifest.Files
	text     []byte // its manifest
	manifest *manifest.Site
	release  Release
}

// place is a target behind the gate.
type place interface {
	Name() string
	// newest is the newest release that is kept, nil when there is none.
	newest(ctx context.Context) (manifest.Files, error)
	// current is the release that readers see, nil when there is none.
	current(ctx context.Context) (manifest.Files, error)
	deploy(ctx context.Context, s *site) (Release, error)
	List(ctx context.Context) ([]Release, error)
	rollback(ctx context.Context, to Release) error
}

// gated is a place behind the gate. Each call looks at the place afresh, since
// others deploy to it as well.
type gated struct{ config Config }

// Name implements [Target].
func (g *gated) Name() string {
	p, err := newPlace(g.config)
	if err != nil {
		return g.config.Kind // New would have failed
	}
	return p.Name()
}

// List implements [Target].
func (g *gated) List(ctx context.Context) ([]Release, error) {
	p, err := newPlace(g.config)
	if err != nil {
		return nil, err
	}
	return p.List(ctx)
}

// Deploy implements [Target].
func (g *gated) Deploy(ctx context.Context, dir string) (Release, error) {
	files, err := verify.ReadDir(dir)
	if err != nil {
		return Release{}, err
	}
	if err := leak.Check(files, leak.Rules{Secrets: g.config.Secrets, Allow: g.config.AllowLeak}); err != nil {
		return Release{}, err
	}
	p, err := newPlace(g.config)
	if err != nil {
		return Release{}, err
	}
	newest, err := p.newest(ctx)
	if err != nil {
		return Release{}, fmt.Errorf("%s: %w", p.Name(), err)
	}
	s, err := admit(files, newest, g.config.AllowRollback)
	if err != nil {
		return Release{}, err
	}
	return p.deploy(ctx, s)
}

// History implements [Target].
func (g *gated) History(ctx context.Context) (manifest.Files, error) {
	p, err := newPlace(g.config)
	if err != nil {
		return nil, err
	}
	ask := p.newest
	if h, ok := p.(historian); ok {
		ask = h.published
	}
	files, err := ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name(), err)
	}
	return sign.History(files), nil
}

// historian is a place that gives no whole releases, but what they go on from.
type historian interface {
	published(ctx context.Context) (manifest.Files, error)
}

// admit verifies a site as the next release after newest.
func admit(files, newest manifest.Files, older bool) (*site, error) {
	if err := verify.Next(files, newest, older).Err(); err != nil {
		return nil, err
	}
	text := files[manifest.SitePath]
	info, m, err := releasedir.Describe(text)
	return &site{files: files, text: text, manifest: m, release: info}, err
}

// Rollback implements [Target].
func (g *gated) Rollback(ctx context.Context, id string) (Release, error) {
	p, err := newPlace(g.config)
	if err != nil {
		return Release{}, err
	}
	all, err := p.List(ctx)
	if err != nil {
		return Release{}, err
	}
	to, err := Choose(all, id)
	if err != nil {
		return Release{}, err
	}
	if to.Current {
		return to, nil
	}
	to.Current = true
	return to, p.rollback(ctx, to)
}

// Choose finds a release by its id, the beginning of it, or its number; "" is
// the newest one before the current one.
func Choose(all []Release, id string) (Release, error) {
	var known []string
	var found []Release
	current := -1
	for i, r := range all {
		known = append(known, r.ID)
		if r.Current {
			current = i
		}
		switch {
		case id == r.ID || id == fmt.Sprint(r.Sequence):
			return r, nil
		case id != "" && len(id) < len(r.ID) && r.ID[:len(id)] == id:
			found = append(found, r)
		}
	}
	switch {
	case id == "" && current >= 0 && current+1 < len(all):
		return all[current+1], nil
	case id == "" && current >= 0:
		return Release{}, diag.NotFoundf("releases are "+strings.Join(known, ", "), "no release before %s was kept", all[current].ID)
	case id == "":
		return Release{}, diag.NotFoundf("name the release: wb publish status lists them", "no release is published now")
	case len(found) == 1:
		return found[0], nil
	}
	return Release{}, releasedir.NotFound(id, known...)
}

// Status implements [Target].
func (g *gated) Status(ctx context.Context) (*Status, error) {
	p, err := newPlace(g.config)
	if err != nil {
		return nil, err
	}
	all, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &Status{Target: p.Name(), Releases: all}
	for i := range all {
		if all[i].Current {
			out.Current = &all[i]
		}
	}
	if out.Current == nil {
		return out, nil
	}
	files, err := p.current(ctx)
	if err != nil {
		return nil, err
	}
	out.Verdict = verify.Site(files, verify.Options{})
	return out, nil
}
