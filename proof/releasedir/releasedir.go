// Package releasedir keeps the releases of a site in a directory, of which one
// is the current one.
//
//	DIR/releases/000007-3fa9c1d2/   one release, never changed once it has its name
//	DIR/current -> releases/000007-3fa9c1d2
//	DIR/publish.lock                held while something is changed
//
// A web server serves DIR/current. A release is written aside, made durable,
// and renamed into place; then a new link is renamed over current. Each of these
// steps happens as a whole or not at all, so whatever stops a deployment, and
// wherever, readers see the old site or the new one. What an interrupted
// deployment left is removed by the next.
package releasedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/manifest"
)

// DefaultKeep is how many releases are kept by default.
const DefaultKeep = 5

// Names in the directory.
const (
	releasesName = "releases"
	currentName  = "current"

	newPrefix  = ".new-"  // a release that is being written
	gonePrefix = ".gone-" // a release that is being removed
	partPrefix = ".part-" // a file that is being written
)

// Dir is a directory of releases.
type Dir struct {
	path string
	keep int
	step func(string) // hears of each change before it is made; tests die here
}

// New is the directory of releases at path, which is made when it is written to.
// It keeps the last keep releases, 0 for [DefaultKeep].
func New(path string, keep int) *Dir {
	if keep <= 0 {
		keep = DefaultKeep
	}
	return &Dir{path: path, keep: keep, step: func(string) {}}
}

// Info describes one release, by its manifest.
type Info struct {
	ID          string    `json:"id"`
	Sequence    int       `json:"sequence"`
	IdentityDID string    `json:"identity_did"`
	IssuerDID   string    `json:"issuer_did"`
	IssuedAt    string    `json:"issued_at"`
	Deployed    time.Time `json:"deployed,omitzero"`
	Files       int       `json:"files"`
	Bytes       int64     `json:"bytes"`
	Current     bool      `json:"current"`
}

// Describe is the Info of a manifest's text.
func Describe(text []byte) (Info, *manifest.Site, error) {
	s, err := manifest.ReadSite(text)
	if err != nil {
		return Info{}, nil, err
	}
	info := Info{ID: ID(s.Sequence, text), Sequence: s.Sequence, IdentityDID: s.IdentityDID, IssuerDID: s.IssuerDID,
		IssuedAt: s.IssuedAt, Files: len(s.Files)}
	for _, f := range s.Files {
		info.Bytes += int64(f.Size)
	}
	return info, s, nil
}

// ID names a release: its number, and the beginning of its manifest's digest.
func ID(sequence int, text []byte) string {
	return fmt.Sprintf("%06d-%s", sequence, manifest.SHA256(text)[:8])
}

// ValidID reports whether a text can be the name of a release, and of nothing
// else in the directory.
func ValidID(id string) bool {
	number, digest, ok := strings.Cut(id, "-")
	return ok && len(number) >= 6 && len(digest) == 8 && strings.Trim(number, "0123456789") == "" && strings.Trim(digest, "0123456789abcdef") == ""
}

// NotFound is the error about a release that does not exist; known are those that
// do, newest first.
func NotFound(id string, known ...string) error {
	hint := "nothing is published there yet"
	if len(known) > 0 {
		hint = "releases are " + strings.Join(known, ", ")
	}
	return diag.NotFoundf(hint, "there is no release %q", id)
}

// Path is where the releases are kept.
func (d *Dir) Path() string { return d.path }

// ReleasePath is the directory of a release.
func (d *Dir) ReleasePath(id string) string { return filepath.Join(d.path, releasesName, id) }

// Lock keeps other processes from changing the directory until release is
// called.
func (d *Dir) Lock() (release func(), err error) {
	if err := os.MkdirAll(filepath.Join(d.path, releasesName), 0o755); err != nil {
		return nil, err
	}
	release, ok, err := trace.NewState(d.path).Lock("publish")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, diag.Busyf("wait until it ends, then try again", "another deployment to %s is running", d.path)
	}
	return release, nil
}

// Current is the release that readers see, "" when there is none.
func (d *Dir) Current() (string, error) {
	to, err := os.Readlink(filepath.Join(d.path, currentName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%s is not a link made by a deployment: %w", filepath.Join(d.path, currentName), err)
	}
	id := filepath.Base(to)
	if !ValidID(id) || filepath.ToSlash(to) != releasesName+"/"+id {
		return "", fmt.Errorf("%s leads to %s, which is not a release", filepath.Join(d.path, currentName), to)
	}
	return id, nil
}

// List describes the releases, newest first. A release that cannot be read is
// an error: nothing but this package writes here.
func (d *Dir) List() ([]Info, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, releasesName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	current, err := d.Current()
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, e := range slices.Backward(entries) {
		if !e.IsDir() || !ValidID(e.Name()) {
			continue
		}
		info, err := d.Info(e.Name())
		if err != nil {
			return nil, err
		}
		info.Current = info.ID == current
		out = append(out, info)
	}
	slices.SortStableFunc(out, func(a, b Info) int { return b.Sequence - a.Sequence })
	return out, nil
}

// Info describes one release.
func (d *Dir) Info(id string) (Info, error) {
	at := filepath.Join(d.ReleasePath(id), filepath.FromSlash(manifest.SitePath))
	text, err := os.ReadFile(at)
	if err != nil {
		return Info{}, err
	}
	info, _, err := Describe(text)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", at, err)
	}
	info.ID = id
	if dir, err := os.Stat(d.ReleasePath(id)); err == nil {
		info.Deployed = dir.ModTime().UTC()
	}
	return info, nil
}

// Find describes the release named id, which may be shortened to a beginning that only one
// release begins with, or be its number.
func (d *Dir) Find(id string) (Info, error) {
	all, err := d.List()
	if err != nil {
		return Info{}, err
	}
	var known []string
	var found []Info
	for _, info := range all {
		known = append(known, info.ID)
		if id == info.ID || id == fmt.Sprint(info.Sequence) {
			return info, nil
		}
		if id != "" && strings.HasPrefix(info.ID, id) {
			found = append(found, info)
		}
	}
	if len(found) != 1 {
		return Info{}, NotFound(id, known...)
	}
	return found[0], nil
}

// Switch makes a release the current one. The caller holds the lock.
func (d *Dir) Switch(id string) error {
	if info, err := os.Stat(d.ReleasePath(id)); err != nil || !info.IsDir() || !ValidID(id) {
		return NotFound(id)
	}
	link := filepath.Join(d.path, ".current-new")
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.step("link")
	if err := os.Symlink(filepath.Join(releasesName, id), link); err != nil {
		return err
	}
	d.step("switch")
	if err := os.Rename(link, filepath.Join(d.path, currentName)); err != nil {
		return err
	}
	d.step("sync")
	return syncDir(d.path)
}

// Clean removes what interrupted deployments left: stages but the one of that
// name, parts of files, and what remains of releases that were being removed. The
// caller holds the lock.
func (d *Dir) Clean(but string) error {
	base := filepath.Join(d.path, releasesName)
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, newPrefix) && name != newPrefix+but || strings.HasPrefix(name, gonePrefix) || strings.HasPrefix(name, partPrefix) {
			d.step("remove " + name)
			if err := os.RemoveAll(filepath.Join(base, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Prune removes the oldest releases but the last ones and the current one. The
// caller holds the lock.
func (d *Dir) Prune() error {
	current, err := d.Current()
	if err != nil {
		return err
	}
	base := filepath.Join(d.path, releasesName)
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	var ids []string
	for _, e := range entries {
		if ValidID(e.Name()) {
			ids = append(ids, e.Name())
		}
	}
	slices.SortFunc(ids, func(a, b string) int { return number(a) - number(b) })
	for _, id := range ids[:max(0, len(ids)-d.keep)] {
		if id == current {
			continue
		}
		// Renamed first: half a release must never look like one.
		gone := filepath.Join(base, gonePrefix+id)
		d.step("retire " + id)
		if err := os.Rename(d.ReleasePath(id), gone); err != nil {
			return err
		}
		d.step("remove " + id)
		if err := os.RemoveAll(gone); err != nil {
			return err
		}
	}
	return nil
}

// number is the number in the name of a release.
func number(id string) (n int) {
	_, _ = fmt.Sscanf(id, "%d-", &n) // the name was checked
	return n
}

// syncDir makes renames in a directory durable. Systems that cannot do so with
// directories order them by themselves.
func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}
