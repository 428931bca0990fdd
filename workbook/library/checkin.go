package library

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/slug"
	"wb/org"
	"wb/org/orgfile"
)

// ConflictError says that files changed both in the library and outside.
type ConflictError struct {
	Member string
	Files  []string
	Dir    string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: changed here and in the library: %s", e.Member, strings.Join(e.Files, ", "))
}

// ExitCode is that of a conflict.
func (e *ConflictError) ExitCode() int { return diag.ExitConflict }

// Hint says what has been done and what to do.
func (e *ConflictError) Hint() string {
	return "nothing was changed; the library's versions are beside yours as NAME" + theirsExt + ": merge them, then wb library checkin --merged " + e.Dir
}

// theirsExt is the suffix of the library's version of a file beside the other.
const theirsExt = ".library"

// ScopeError says that a member may only be read.
type ScopeError struct{ Member string }

func (e *ScopeError) Error() string { return e.Member + " is read-only" }

// ExitCode is that of something not permitted.
func (e *ScopeError) ExitCode() int { return diag.ExitForbidden }

// Hint says who decides.
func (e *ScopeError) Hint() string { return ":SCOPE: write in the member's drawer" }

// CheckedIn lists the files that a check-in changed.
type CheckedIn struct {
	Member                  string
	Added, Changed, Removed []string // in the library
	Updated                 []string // here, from the library
	Provenance              Provenance
}

// Nothing reports whether neither side had anything new.
func (c *CheckedIn) Nothing() bool {
	return len(c.Added)+len(c.Changed)+len(c.Removed)+len(c.Updated) == 0
}

// merge decides how to merge the files of two sides that had a common base.
type merge struct {
	toLibrary, toHere     []string // contents to take over
	fromLibrary, fromHere []string // files to remove
	conflicts             []string
	result                Files
}

// compare decides file by file. A file that is not there has the digest "".
func compare(base, library, here Files) *merge {
	m := &merge{result: Files{}}
	names := maps.Clone(base)
	maps.Copy(names, library)
	maps.Copy(names, here)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		b, l, h := base[name], library[name], here[name]
		final := h
		switch {
		case l == h: // the same on both sides
		case h == b: // only the library has changed it
			final = l
			if l == "" {
				m.fromHere = append(m.fromHere, name)
			} else {
				m.toHere = append(m.toHere, name)
			}
		case l == b:
			if h == "" {
				m.fromLibrary = append(m.fromLibrary, name)
			} else {
				m.toLibrary = append(m.toLibrary, name)
			}
		default:
			m.conflicts = append(m.conflicts, name)
		}
		if final != "" {
			m.result[name] = final
		}
	}
	return m
}

// CheckIn brings back what changed in a directory since it was checked out, and
// takes over what changed in the library meanwhile. merged says that the author
// has merged what an earlier call found in conflict.
func (l *Library) CheckIn(dir string, merged bool) (*CheckedIn, error) {
	out, err := ReadCheckout(dir)
	if err != nil {
		return nil, err
	}
	m, err := l.Member(out.Member)
	if err != nil {
		return nil, err
	}
	if mustAbs(m.Workspace.File) != out.Manifest {
		return nil, fmt.Errorf("%s was checked out of %s, not of %s", dir, out.Manifest, m.Workspace.File)
	}
	if m.Scope != ScopeWrite {
		return nil, &ScopeError{m.ID()}
	}
	library, err := m.Files()
	if errors.Is(err, fs.ErrNotExist) {
		library, err = Files{}, nil
	}
	if err != nil {
		return nil, err
	}
	here, err := readHere(dir)
	if err != nil {
		return nil, err
	}
	merge := compare(out.Base, library, here)
	if len(merge.conflicts) > 0 && merged {
		// Only what the author has seen is merged: the library must still be as
		// it was when its versions were laid out.
		seen := maps.Clone(out.Base)
		for _, name := range merge.conflicts {
			theirs, err := digestFile(filepath.Join(dir, filepath.FromSlash(name)+theirsExt))
			if err == nil && theirs == library[name] || errors.Is(err, fs.ErrNotExist) && library[name] == "" {
				seen[name] = library[name]
			}
		}
		merge = compare(seen, library, here)
	}
	if len(merge.conflicts) > 0 {
		return nil, errors.Join(&ConflictError{Member: m.ID(), Files: merge.conflicts, Dir: dir}, layOut(m, dir, merge.conflicts, library))
	}
	done := &CheckedIn{Member: m.ID(), Updated: append(slices.Clone(merge.toHere), merge.fromHere...), Removed: merge.fromLibrary}
	for _, name := range merge.toLibrary {
		if library[name] == "" {
			done.Added = append(done.Added, name)
		} else {
			done.Changed = append(done.Changed, name)
		}
	}
	if err := l.store(m, dir, merge, library, done); err != nil {
		return nil, err
	}
	// The library is right; now this side follows it.
	for _, name := range merge.toHere {
		if err := take(m, dir, name, here[name], merge.result[name]); err != nil {
			return done, err
		}
	}
	for _, name := range merge.fromHere {
		if err := removeIf(filepath.Join(dir, filepath.FromSlash(name)), here[name]); err != nil {
			return done, err
		}
	}
	out.Base, out.Time = merge.result, time.Now().UTC()
	return done, writeCheckout(dir, *out)
}

// readHere are the files of a checkout, without the library's versions that a
// conflict left there.
func readHere(dir string) (Files, error) {
	files, err := readTree(dir)
	if err != nil {
		return nil, err
	}
	for name := range files {
		if mine := strings.TrimSuffix(name, theirsExt); mine != name {
			delete(files, name)
		}
	}
	return files, nil
}

// layOut puts the library's versions beside those they conflict with.
func layOut(m *Member, dir string, names []string, library Files) error {
	for _, name := range names {
		to := filepath.Join(dir, filepath.FromSlash(name)+theirsExt)
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // an earlier one, which the library still had then
		}
		if library[name] == "" {
			continue // removed there
		}
		from, err := m.place(name)
		if err != nil {
			return err
		}
		if err := copyNew(from, to, library[name]); err != nil {
			return err
		}
	}
	return nil
}

// store writes the files and the drawer into the library. What exists changes
// all at once, or not at all when anything is not as it was.
func (l *Library) store(m *Member, dir string, merge *merge, library Files, done *CheckedIn) error {
	if len(merge.toLibrary)+len(merge.fromLibrary) == 0 && m.Provenance.SHA256 == merge.result.Digest() {
		done.Provenance = m.Provenance
		return nil
	}
	var writes []orgfile.Replacement
	for _, name := range merge.toLibrary {
		place, err := m.place(name)
		if err != nil {
			return err
		}
		mine := filepath.Join(dir, filepath.FromSlash(name))
		if library[name] == "" {
			if err := copyNew(mine, place, merge.result[name]); err != nil {
				return err
			}
			continue
		}
		content, err := os.ReadFile(mine)
		if err != nil {
			return err
		}
		old, err := orgfile.Read(place)
		if err != nil {
			return err
		}
		if now, err := digestFile(place); err != nil || now != library[name] {
			return errors.Join(err, &ConflictError{Member: m.ID(), Files: []string{name}, Dir: dir})
		}
		writes = append(writes, orgfile.Replacement{File: old, New: content})
	}
	manifest, err := orgfile.Read(m.Workspace.File)
	if err != nil {
		return err
	}
	done.Provenance = sign(l.config.Key, m, merge.result.Digest(), time.Now().Format("[2006-01-02 Mon 15:04:05]"))
	text, err := withProvenance(manifest.Doc, m, done.Provenance)
	if err != nil {
		return err
	}
	writes = append(writes, orgfile.Replacement{File: manifest, New: text})
	if err := orgfile.WriteAll(l.config.Journals, writes); err != nil {
		return asConflict(err, m, dir)
	}
	for _, name := range merge.fromLibrary {
		place, err := m.place(name)
		if err != nil {
			return err
		}
		if err := removeIf(place, library[name]); err != nil {
			return err
		}
	}
	m.Provenance = done.Provenance
	return nil
}

// asConflict makes a file that changed while it was to be written a conflict.
func asConflict(err error, m *Member, dir string) error {
	changed := new(orgfile.ConflictError)
	if errors.As(err, &changed) {
		return fmt.Errorf("%w: %w", &ConflictError{Member: m.ID(), Files: []string{filepath.Base(changed.Path)}, Dir: dir}, err)
	}
	return err
}

// withProvenance is the manifest with a member's drawer brought up to date. The
// properties are set one after the other, each in the text that the one before
// has left.
func withProvenance(doc *org.Document, m *Member, p Provenance) ([]byte, error) {
	src := []byte(doc.Source())
	for _, set := range [][2]string{{propSHA256, p.SHA256}, {propSigner, p.Signer}, {propSignature, p.Signature}, {propTime, p.Time}} {
		h, ok := headingOf(doc, m)
		if !ok {
			return nil, &orgfile.ConflictError{Path: m.Workspace.File, Reason: "the member " + m.Title + " is gone"}
		}
		edits, err := org.SetProperty(h, set[0], set[1])
		if err != nil {
			return nil, err
		}
		if src, err = org.Apply(src, edits); err != nil {
			return nil, err
		}
		doc = org.Parse(src)
	}
	return src, nil
}

func headingOf(doc *org.Document, m *Member) (org.Headline, bool) {
	for h := range doc.Headlines() {
		if slices.Contains(h.LocalTags(), memberTag) && slug.Of(h.Title.Text) == m.Name {
			return h, true
		}
	}
	return org.Headline{}, false
}

// take copies a file of the library over the one here, if that is what it was.
func take(m *Member, dir, name, was, want string) error {
	from, err := m.place(name)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.FromSlash(name))
	temp := to + ".new"
	if err := copyNew(from, temp, want); err != nil {
		return err
	}
	if was != "" {
		if now, err := digestFile(to); err != nil || now != was {
			os.Remove(temp) // made here a moment ago
			return errors.Join(err, fmt.Errorf("%s changed meanwhile", to))
		}
	}
	return os.Rename(temp, to)
}

// removeIf removes a file that is still what it was.
func removeIf(file, was string) error {
	now, err := digestFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if now != was {
		return fmt.Errorf("%s changed meanwhile and was kept", file)
	}
	return os.Remove(file)
}
