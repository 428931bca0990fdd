package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// unsignedMark is a file of a site that was built without being signed, so
// that it cannot be mistaken for a signed one that lost its signature.
const unsignedMark = ".well-known/wb-unsigned"

// unfinishedMark is there while the first release is being written. Who was stopped
// then goes on the next time, where a directory of somebody else's is left alone.
const unfinishedMark = ".well-known/wb-unfinished"

// ErrForeign says that a directory holds something else than a site that wb
// built.
var ErrForeign = errors.New("holds files that wb did not put there")

// Output is the directory that a site is built in.
type Output struct {
	Dir string
	old manifest.Files // nil when there is nothing yet
}

// OpenOutput reads what is in the output directory, which need not exist. One
// that holds something else than a site is refused.
func OpenOutput(dir string) (*Output, error) {
	o := &Output{Dir: dir}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	old, err := verify.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	_, signed := old[manifest.SitePath]
	_, unsigned := old[unsignedMark]
	_, unfinished := old[unfinishedMark]
	if len(old) > 0 && !signed && !unsigned && !unfinished {
		return nil, fmt.Errorf("%s %w", dir, ErrForeign)
	}
	if unfinished {
		delete(old, manifest.SitePath) // no release yet
	}
	o.old = old
	return o, nil
}

// Release describes the site in an output directory.
type Release struct {
	Sequence int    `json:"sequence,omitempty"` // 0 when it is not signed
	DID      string `json:"issuer_did,omitempty"`
	Root     string `json:"root,omitempty"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
	Changed  bool   `json:"changed"` // something is different from what was there
}

// Sign makes the files of a job's site the next release after those of a history
// ([sign.Latest]): signed, listed and logged. Pages get the assertions and the
// sources of the job. Files that are there already, and are what they were, stay
// as they are; those in stay are known to be.
func (o *Output) Sign(files, history manifest.Files, stay map[string]manifest.File, j Job, by sign.Issuer, at time.Time) (manifest.Files, *Release, error) {
	signed, s, err := o.unchanged(files, history, j, by)
	if err == nil && s == nil {
		signed, s, err = o.sign(files, history, stay, j, by, at)
	}
	if err != nil {
		return nil, nil, err
	}
	r := &Release{Sequence: s.Sequence, DID: s.IssuerDID, Root: s.Root, Files: len(s.Files)}
	if bytes.Equal(signed[manifest.SitePath], o.old[manifest.SitePath]) {
		// The release that already exists has these files; its own bytes carry
		// its signatures.
		if err := o.intact(stay); err != nil {
			return nil, nil, fmt.Errorf("%s is not what was signed: %w", o.Dir, err)
		}
		r.Bytes = size(o.old)
		return o.old, r, nil
	}
	r.Changed, r.Bytes = true, size(signed)
	return signed, r, nil
}

// intact verifies the release that is there. Files that stay were compared with its
// list; where that is all of it, there is no need to verify each page again.
func (o *Output) intact(stay map[string]manifest.File) error {
	own := 0
	for path := range o.old {
		if _, stays := stay[path]; !stays {
			own++
		}
	}
	proofs := len(sign.History(o.old))
	for _, path := range []string{manifest.DIDPath, manifest.RevokedPath} {
		if o.old[path] != nil {
			proofs++
		}
	}
	if stay != nil && own == proofs && len(stay)+proofs == len(o.old) {
		return nil
	}
	return verify.Site(o.old, verify.Options{}).Err()
}

// unchanged is the last release of a history, when the files are those. What pages
// have inside is signed with a time, so it is compared as signed then.
func (o *Output) unchanged(files, history manifest.Files, j Job, by sign.Issuer) (manifest.Files, *manifest.Site, error) {
	if len(j.Carry) == 0 || history[manifest.SitePath] == nil {
		return nil, nil, nil
	}
	last, err := manifest.ReadSite(history[manifest.SitePath])
	if err != nil {
		return nil, nil, err
	}
	when, err := time.Parse(time.RFC3339, last.IssuedAt)
	if err != nil {
		return nil, nil, fault.New(fault.ManifestFields, "issued_at: %v", err)
	}
	signed, s, err := o.sign(files, history, nil, j, by, when)
	if err != nil || s.Sequence != last.Sequence {
		return nil, nil, err
	}
	return signed, s, nil
}

func (o *Output) sign(files, history manifest.Files, stay map[string]manifest.File, j Job, by sign.Issuer, at time.Time) (manifest.Files, *manifest.Site, error) {
	next := maps.Clone(files)
	for name, carried := range j.Carry {
		zip, err := sign.Bundle(carried, by, at)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		next[name] = bundle.Embed(next[name], zip)
	}
	for name, said := range j.Assertions {
		if _, stays := stay[name]; stays {
			continue
		}
		signed, err := manifest.SignPage(next[name], by.Signer, at, said...)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		next[name] = signed
	}
	return sign.Next(sign.Onto(history, next), stay, by, j.Config.Domain, at)
}

// Unsigned marks files as not signed.
func (o *Output) Unsigned(files manifest.Files) (manifest.Files, *Release) {
	next := maps.Clone(files)
	next[unsignedMark] = []byte("This site was built with --no-sign. Readers cannot tell whether its author wrote it.\n")
	return next, &Release{Files: len(next), Bytes: size(next), Changed: !maps.EqualFunc(next, o.old, bytes.Equal)}
}

func size(files manifest.Files) (n int64) {
	for _, data := range files {
		n += int64(len(data))
	}
	return n
}

// Write brings the directory to the files given: what is new or different is
// written, what is not among them is removed.
func (o *Output) Write(files manifest.Files) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	if len(o.old) == 0 {
		o.old = manifest.Files{unfinishedMark: []byte("wb is writing this site, or was stopped while it wrote.\n")}
		if err := sign.WriteDir(o.Dir, nil, o.old); err != nil {
			return err
		}
	}
	if err := sign.WriteDir(o.Dir, o.old, files); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	dirs := map[string]bool{}
	for name := range o.old {
		if _, stays := files[name]; stays {
			continue
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		_ = root.Remove(filepath.FromSlash(dir)) // stays when it holds something
	}
	o.old = files
	return nil
}
