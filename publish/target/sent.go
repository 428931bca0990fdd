package target

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"wb/internal/trace"
	"wb/proof/manifest"
)

// sent is a place that holds one release at a time and is sent it: releases are kept on
// this machine, in the state directory, so that rolling back is sending again.
type sent struct {
	*local
	name string
	// send makes the release in a directory what readers see. What a program of the
	// user's says goes to said.
	send func(ctx context.Context, dir string, said *bytes.Buffer) error
}

func newSent(config Config, name string, send func(context.Context, string, *bytes.Buffer) error) (*sent, error) {
	if config.Dir == "" {
		state, err := trace.StateDir(config.getenv())
		if err != nil {
			return nil, err
		}
		// a digest: what a place is called is not a name of a file
		config.Dir = filepath.Join(state, "published", config.Kind+"-"+manifest.SHA256([]byte(name))[:16])
	}
	kept, err := newLocal(config)
	return &sent{kept, config.Kind + " " + name, send}, err
}

func (s *sent) Name() string { return s.name }

func (s *sent) deploy(ctx context.Context, site *site) (Release, error) {
	unlock, err := s.dir.Lock()
	if err != nil {
		return Release{}, err
	}
	defer unlock()
	if err := s.put(ctx, site); err != nil {
		return Release{}, err
	}
	if err := s.show(ctx, site.release.ID); err != nil {
		return Release{}, err
	}
	if err := s.dir.Prune(); err != nil {
		return Release{}, err
	}
	info, err := s.dir.Info(site.release.ID)
	info.Current = true
	return info, err
}

// show sends a release that is kept, and remembers that it is the one that readers see.
func (s *sent) show(ctx context.Context, id string) error {
	var said bytes.Buffer
	if err := s.send(ctx, s.dir.ReleasePath(id), &said); err != nil {
		if said.Len() > 0 {
			return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said.Bytes()))
		}
		return err
	}
	return s.dir.Switch(id)
}

func (s *sent) rollback(ctx context.Context, to Release) error {
	unlock, err := s.dir.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return s.show(ctx, to.ID)
}
