package releasedir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/verify"
)

// Stage is a release that is being written, which no reader sees. It is a
// directory with a name, so that an upload in many requests finds it again.
type Stage struct {
	dir  *Dir
	path string
	root *os.Root
}

// Stage opens the stage of that name, a plain file name; it is made when it is
// not there. Close it.
func (d *Dir) Stage(name string) (*Stage, error) {
	if name == "" || name != filepath.Base(name) {
		return nil, fmt.Errorf("%q is not a name of a stage", name)
	}
	path := filepath.Join(d.path, releasesName, newPrefix+name)
	d.step("stage")
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Stage{dir: d, path: path, root: root}, nil
}

// HasStage reports whether there is a stage of that name.
func (d *Dir) HasStage(name string) bool {
	info, err := os.Lstat(filepath.Join(d.path, releasesName, newPrefix+name))
	return err == nil && info.IsDir() && name == filepath.Base(name)
}

// Close lets go of the stage; what was written stays until it is committed,
// discarded, or pruned.
func (s *Stage) Close() error { return s.root.Close() }

// Read reads all files of the stage.
func (s *Stage) Read() (manifest.Files, error) { return verify.ReadDir(s.path) }

// Discard removes the stage.
func (s *Stage) Discard() error {
	return errors.Join(s.root.Close(), os.RemoveAll(s.path))
}

// Add writes one file. Its bytes must be those that want lists: a size or digest
// that differs is a [fault.Error], and leaves nothing.
func (s *Stage) Add(want manifest.File, data io.Reader) error {
	if !manifest.SafePath(want.Path) {
		return &fault.Error{Code: fault.PathUnsafe, Path: want.Path, Text: "a path that a file must not have"}
	}
	name := filepath.FromSlash(want.Path)
	if err := s.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	s.dir.step("write " + want.Path)
	f, err := os.CreateTemp(filepath.Dir(s.path), partPrefix) // not on the stage: half a file is not a file of it
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(data, int64(want.Size)+1))
	if err = errors.Join(err, check(want, size, sum)); err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.dir.step("name " + want.Path)
	return os.Rename(f.Name(), filepath.Join(s.path, name)) // MkdirAll found no link on the way
}

// check compares what was written with what was listed.
func check(want manifest.File, size int64, sum hash.Hash) error {
	switch {
	case size != int64(want.Size):
		return &fault.Error{Code: fault.FileSize, Path: want.Path, Text: "has another length than in the manifest"}
	case hex.EncodeToString(sum.Sum(nil)) != want.SHA256:
		return &fault.Error{Code: fault.FileChanged, Path: want.Path, Text: "has other bytes than in the manifest"}
	}
	return nil
}

// Has reports whether a file is on the stage with the bytes listed.
func (s *Stage) Has(want manifest.File) bool { return matches(s.root, want) }

// matches reports whether a regular file below root has the bytes listed.
func matches(root *os.Root, want manifest.File) bool {
	name := filepath.FromSlash(want.Path)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() != int64(want.Size) {
		return false
	}
	f, err := root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	return err == nil && check(want, size, sum) == nil
}

// Reuse takes files over from the release named id, by their paths there, and
// gives those that it does not have. The bytes are read and compared: a release
// that somebody edited gives nothing wrong away. Files are linked, where the
// system can, rather than copied.
func (s *Stage) Reuse(id string, want []manifest.File) (missing []manifest.File, err error) {
	info, err := s.dir.Info(id)
	if err != nil {
		return want, nil
	}
	old, err := os.OpenRoot(s.dir.ReleasePath(info.ID))
	if err != nil {
		return want, nil
	}
	defer old.Close()
	text, err := old.ReadFile(filepath.FromSlash(manifest.SitePath))
	if err != nil {
		return want, nil
	}
	site, err := manifest.ReadSite(text)
	if err != nil {
		return want, nil
	}
	at := map[string]string{} // by digest: where the release has it
	for _, f := range site.Files {
		at[f.SHA256] = f.Path
	}
	for _, f := range want {
		from, ok := at[f.SHA256]
		if s.Has(f) {
			continue
		}
		if !ok || !matches(old, manifest.File{Path: from, Size: f.Size, SHA256: f.SHA256}) {
			missing = append(missing, f)
			continue
		}
		if err := s.link(old, from, id, f); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// link makes a file of a release a file of the stage too.
func (s *Stage) link(old *os.Root, from, id string, f manifest.File) error {
	name := filepath.FromSlash(f.Path)
	if err := s.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	s.dir.step("reuse " + f.Path)
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Both paths were checked by the roots: no part of either is a link.
	err := os.Link(filepath.Join(s.dir.ReleasePath(id), filepath.FromSlash(from)), filepath.Join(s.path, name))
	if err == nil {
		return nil
	}
	source, err := old.Open(filepath.FromSlash(from))
	if err != nil {
		return err
	}
	defer source.Close()
	return s.Add(f, source)
}

// Commit gives the stage its name as a release, which must have a manifest. A
// release of that name that already exists stays, since a name stands for its
// bytes. The caller holds the lock.
func (s *Stage) Commit(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%q is not a name of a release", id)
	}
	if _, err := os.Lstat(s.dir.ReleasePath(id)); err == nil {
		return s.Discard()
	}
	var dirs []string
	err := filepath.WalkDir(s.path, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.dir.step("sync")
	for _, path := range slices.Backward(dirs) {
		if err := syncDir(path); err != nil {
			return err
		}
	}
	if err := s.root.Close(); err != nil {
		return err
	}
	s.dir.step("commit")
	if err := os.Rename(s.path, s.dir.ReleasePath(id)); err != nil {
		return err
	}
	s.dir.step("sync")
	return syncDir(filepath.Dir(s.path))
}

// ReadFile reads one file of the stage.
func (s *Stage) ReadFile(path string) ([]byte, error) {
	return s.root.ReadFile(filepath.FromSlash(path))
}
