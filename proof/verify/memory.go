package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/whole"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// Memory records what a user's verifications have seen: of each identity its key
// log, and of each of its sites the last release. So a site that goes back in
// time, or forgets that a key was revoked, is noticed. An identity's sites are
// told apart by the first entry of their logs of releases.
type Memory struct{ dir string }

// NewMemory keeps what was seen in a directory, made when needed.
func NewMemory(dir string) *Memory { return &Memory{dir: dir} }

// path is the file of an identity, or of one of its sites; its name is a
// digest, since a did comes from whoever wrote the site.
func (m *Memory) path(names ...string) string {
	return filepath.Join(m.dir, manifest.SHA256([]byte(strings.Join(names, "\n")))[:32]+".json")
}

// Recall gives what was seen of an identity, of which only the key log says
// something about all its sites; nil for nothing.
func (m *Memory) Recall(identity string) (*Known, error) { return m.read(m.path(identity)) }

// recallSite gives what was seen of a site, nil for nothing.
func (m *Memory) recallSite(s *manifest.Site, files manifest.Files) (*Known, error) {
	releases, err := releasesOf(s, files)
	if err != nil || releases.Len() == 0 {
		return nil, nil // verification says what is wrong with the log
	}
	return m.read(m.path(s.IdentityDID, releases.RootAt(1)))
}

// Logs are the key logs that were seen.
func (m *Memory) Logs() ([]*keys.Log, error) {
	paths, err := filepath.Glob(filepath.Join(m.dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []*keys.Log
	for _, path := range paths {
		k, err := m.read(path)
		if err != nil {
			return nil, err
		}
		if k == nil {
			continue
		}
		log, err := keys.ParseLog([]byte(k.Keys))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, log)
	}
	return out, nil
}

func (m *Memory) read(path string) (*Known, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k Known
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &k, nil
}

// Remember keeps what a valid report saw. Of an identity, the longest key log
// that was seen anywhere stays.
func (m *Memory) Remember(r *Report) error {
	if r.Remember == nil {
		return nil
	}
	if err := m.write(m.path(r.IdentityDID, r.Remember.First), r.Remember); err != nil {
		return err
	}
	heard, err := m.Recall(r.IdentityDID)
	if err != nil || heard != nil && len(heard.Keys) >= len(r.Remember.Keys) {
		return err
	}
	return m.write(m.path(r.IdentityDID), r.Remember)
}

func (m *Memory) write(path string, k *Known) error {
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	return whole.File{Dirs: 0o700}.Write(path, append(text, '\n'))
}

// Contradicts reports why somebody who has seen what the memory has would not
// believe a site that is about to be released, nil when they would.
func (m *Memory) Contradicts(files manifest.Files) error {
	s, err := manifest.ReadSite(files[manifest.SitePath])
	if err != nil {
		return err
	}
	known, err := m.recallSite(s, files)
	if err != nil || known == nil {
		return err
	}
	releases, err := releasesOf(s, files)
	if err != nil {
		return err
	}
	return known.allows(s, files[manifest.SitePath], releases)
}

// SiteSeen verifies a site against what was seen of it and of its identity
// before, and remembers it when it is valid.
func (m *Memory) SiteSeen(files manifest.Files, opts Options) (*Report, error) {
	if s, err := manifest.ReadSite(files[manifest.SitePath]); err == nil && opts.Known == nil {
		if opts.Known, err = m.recallSite(s, files); err != nil {
			return nil, err
		}
		heard, err := m.Recall(s.IdentityDID)
		if err != nil {
			return nil, err
		}
		if heard != nil && len(heard.Keys) > len(opts.Heard) {
			opts.Heard = []byte(heard.Keys)
		}
	}
	r := Site(files, opts)
	return r, m.Remember(r)
}
