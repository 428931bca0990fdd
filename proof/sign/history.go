package sign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/manifest"
)

// History are the files of a site that its next release goes on from: the
// manifest, the key log and the log of releases. nil for a site without any.
func History(files manifest.Files) manifest.Files {
	if files[manifest.SitePath] == nil {
		return nil
	}
	out := manifest.Files{}
	for path, data := range files {
		if ofHistory(path) {
			out[path] = data
		}
	}
	return out
}

func ofHistory(path string) bool {
	return path == manifest.SitePath || path == manifest.KeysPath || strings.HasPrefix(path, manifest.LogPrefix)
}

// Onto are files with a history in the place of their own.
func Onto(history, files manifest.Files) manifest.Files {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(path string, _ []byte) bool { return ofHistory(path) })
	maps.Copy(out, history)
	return out
}

// Latest finds the history to go on from, so that release numbers never start
// again when a copy of the site is lost, or taken from a backup. Own are copies
// of the issuer's, nil where there is none; shown is what readers see, which
// counts when both went different ways: readers may never have seen the others. The
// longest that continues it is it. nil says that this is the first release.
func Latest(by Issuer, shown manifest.Files, own ...manifest.Files) (manifest.Files, error) {
	last, _ := readPast(shown, by) // who deploys finds out what is wrong with it
	public := last != nil
	for _, files := range own {
		p, err := readPast(files, by)
		switch {
		case err != nil:
			return nil, err
		case p == nil:
		case last == nil:
			last = p
		case p.releases.Len() <= last.releases.Len():
		case !public || p.releases.RootAt(last.releases.Len()) == last.releases.RootAt(last.releases.Len()):
			last = p
		}
	}
	if last == nil {
		return nil, nil
	}
	return last.files, nil
}

// ForeignError is a site that belongs to another identity than the key that is to
// sign it.
type ForeignError struct{ Site, Key string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the site belongs to %s, but the key to %s", e.Site, e.Key)
}

// Hint says how to take a site over.
func (e *ForeignError) Hint() string { return "remove .well-known/wb-* to start your own log" }

// ExitCode is that of a conflict.
func (e *ForeignError) ExitCode() int { return diag.ExitConflict }

// past is a history that holds together.
type past struct {
	files    manifest.Files
	site     *manifest.Site
	releases *manifest.Releases
}

// readPast reads the history among files, nil when there is none; an identity
// does not go on with another's.
func readPast(files manifest.Files, by Issuer) (*past, error) {
	history := History(files)
	if history == nil {
		return nil, nil
	}
	last, err := manifest.ReadSite(history[manifest.SitePath])
	if err != nil {
		return nil, fault.In(manifest.SitePath, err)
	}
	if err := last.CheckSignature(); err != nil {
		return nil, fault.In(manifest.SitePath, err)
	}
	if last.IdentityDID != by.Keys.Identity() {
		return nil, &ForeignError{last.IdentityDID, by.Keys.Identity()}
	}
	log := manifest.Files{}
	for path, data := range history {
		if name, ok := strings.CutPrefix(path, manifest.LogPrefix); ok {
			log[name] = data
		}
	}
	releases, err := manifest.ReadReleases(log, last.IdentityDID, last.IssuerDID)
	if err != nil {
		return nil, err
	}
	return &past{history, last, releases}, nil
}

// Record keeps the histories of the sites that a user signs, apart from the
// sites: who loses a site, or wipes it to build it anew, goes on with the next
// release.
type Record struct{ dir string }

// NewRecord keeps them in a directory, made when needed.
func NewRecord(dir string) *Record { return &Record{dir} }

// path is the file of a site: of an identity, in a directory.
func (r *Record) path(by Issuer, site string) (string, error) {
	site, err := filepath.Abs(site)
	if err != nil {
		return "", err
	}
	return filepath.Join(r.dir, manifest.SHA256([]byte(by.Keys.Identity() + "\n" + site))[:32]+".json"), nil
}

// Recall gives the history of the site in a directory, nil when none is kept.
func (r *Record) Recall(by Issuer, site string) (manifest.Files, error) {
	path, err := r.path(by, site)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files manifest.Files
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, fmt.Errorf("%s: %w; hint: remove it; the site or its target may know the releases", path, err)
	}
	return files, nil
}

// Keep remembers the history of the site that was signed in a directory.
func (r *Record) Keep(by Issuer, site string, files manifest.Files) error {
	path, err := r.path(by, site)
	if err != nil {
		return err
	}
	text, err := json.Marshal(History(files))
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(path); err == nil && string(was) == string(text) {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	return Replace(path, text, 0o600)
}
