package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wb/publish/manifest"
)

// Memory is what a user's verifications have seen, one file an identity, so
// that a site which goes back in time, or forgets that a key was revoked, is
// noticed.
type Memory struct{ dir string }

// NewMemory keeps what was seen in a directory, made when needed.
func NewMemory(dir string) *Memory { return &Memory{dir: dir} }

// path is the file of an identity; its name is a digest, since a did comes from
// whoever wrote the site.
func (m *Memory) path(identity string) string {
	return filepath.Join(m.dir, manifest.SHA256([]byte(identity))[:32]+".json")
}

// Recall gives what was seen of an identity's site, nil for nothing.
func (m *Memory) Recall(identity string) (*Known, error) {
	text, err := os.ReadFile(m.path(identity))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k Known
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path(identity), err)
	}
	return &k, nil
}

// Remember keeps what a valid report saw.
func (m *Memory) Remember(r *Report) error {
	if r.Remember == nil {
		return nil
	}
	text, err := json.MarshalIndent(r.Remember, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(m.dir, ".seen-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(text, '\n'))
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), m.path(r.IdentityDID))
}

// SiteSeen verifies a site against what was seen of it before, and remembers
// it when it is valid.
func (m *Memory) SiteSeen(files manifest.Files, opts Options) (*Report, error) {
	if s, err := manifest.ReadSite(files[manifest.SitePath]); err == nil && opts.Known == nil {
		if opts.Known, err = m.Recall(s.IdentityDID); err != nil {
			return nil, err
		}
	}
	r := Site(files, opts)
	return r, m.Remember(r)
}
