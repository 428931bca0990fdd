package target

import (
	"bytes"
	"context"
	"path/filepath"

	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/verify"
)

// local deploys to a directory of this machine.
type local struct{ dir *releasedir.Dir }

func newLocal(config Config) (*local, error) {
	if config.Dir == "" {
		return nil, &ConfigError{"the local target needs a directory", "#+PUBLISH_URL: /srv/www/site"}
	}
	path, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	return &local{releasedir.New(path, config.Keep)}, nil
}

func (l *local) Name() string { return Local + " " + l.dir.Path() }

func (l *local) newest(context.Context) (manifest.Files, error) {
	all, err := l.dir.List()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return verify.ReadDir(l.dir.ReleasePath(all[0].ID))
}

func (l *local) current(context.Context) (manifest.Files, error) {
	id, err := l.dir.Current()
	if err != nil || id == "" {
		return nil, err
	}
	return verify.ReadDir(l.dir.ReleasePath(id))
}

func (l *local) deploy(ctx context.Context, s *site) (Release, error) {
	unlock, err := l.dir.Lock()
	if err != nil {
		return Release{}, err
	}
	defer unlock()
	if err := l.put(ctx, s); err != nil {
		return Release{}, err
	}
	if err := l.dir.Switch(s.release.ID); err != nil {
		return Release{}, err
	}
	if err := l.dir.Prune(); err != nil {
		return Release{}, err
	}
	info, err := l.dir.Info(s.release.ID)
	info.Current = true
	return info, err
}

// put makes a release of the site, without showing it to anybody. The caller
// holds the lock.
func (l *local) put(ctx context.Context, s *site) error {
	current, err := l.dir.Current()
	if err != nil {
		return err
	}
	if err := l.dir.Clean(""); err != nil { // what a killed deployment left
		return err
	}
	stage, err := l.dir.Stage(s.release.ID)
	if err != nil {
		return err
	}
	defer stage.Close()
	files := manifest.Files(s.files).List()
	if current != "" {
		if files, err = stage.Reuse(current, files); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := stage.Add(f, bytes.NewReader(s.files[f.Path])); err != nil {
			return err
		}
	}
	return stage.Commit(s.release.ID)
}

func (l *local) List(context.Context) ([]Release, error) { return l.dir.List() }

func (l *local) rollback(_ context.Context, to Release) error {
	unlock, err := l.dir.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return l.dir.Switch(to.ID)
}
