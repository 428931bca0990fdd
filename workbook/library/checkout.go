package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"wb/internal/diag"
	"wb/internal/whole"
)

// Checkout records where the files of a directory came from.
type Checkout struct {
	Manifest string    `json:"manifest"` // absolute
	Member   string    `json:"member"`   // WORKSPACE/NAME
	Time     time.Time `json:"time"`
	// Base are the files as they were in the library then.
	Base Files `json:"base"`
}

// checkoutFile is where it does.
const checkoutFile = ".wb-checkout.json"

// ExistsError says that a directory to check out into holds something.
type ExistsError struct{ Dir string }

func (e *ExistsError) Error() string { return e.Dir + " exists and is not empty" }

// ExitCode is that of a conflict.
func (e *ExistsError) ExitCode() int { return diag.ExitConflict }

// Hint says what to do.
func (e *ExistsError) Hint() string { return "name a new or empty directory" }

// ForgedError says that a member is not what its drawer says it is.
type ForgedError struct {
	Member string
	Signer string
	Status Status
}

func (e *ForgedError) Error() string {
	if e.Status == StatusStranger {
		return fmt.Sprintf("%s was signed by %s, who is not its owner", e.Member, e.Signer)
	}
	return fmt.Sprintf("%s: the signature in its drawer is not by %s", e.Member, e.Signer)
}

// ExitCode is that of a failed verification.
func (e *ForgedError) ExitCode() int { return diag.ExitVerify }

// CheckOut copies a member's files into a directory that is empty or not there. It
// reports how the content and the signature agree: what was changed since may be
// had, and its caller says so.
func (l *Library) CheckOut(m *Member, dir string) (Status, Files, error) {
	status, files, err := l.Status(m)
	switch {
	case err != nil:
		return "", nil, err
	case status == StatusMissing:
		return "", nil, fmt.Errorf("%s: %s is not there", m.ID(), m.File())
	case status == StatusForged || status == StatusStranger:
		return "", nil, &ForgedError{m.ID(), m.Provenance.Signer, status}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if len(entries) > 0 {
		return "", nil, &ExistsError{dir}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		from, err := m.place(name)
		if err != nil {
			return "", nil, err
		}
		if err := copyNew(from, filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return "", nil, err
		}
	}
	return status, files, writeCheckout(dir, Checkout{Manifest: mustAbs(m.Workspace.File), Member: m.ID(), Time: time.Now().UTC(), Base: files})
}

// copyNew copies a file to where none is, and makes sure that it is the one
// that was meant.
func copyNew(from, to, want string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if got, err := digestFile(to); err != nil || got != want {
		os.Remove(to) // it was made here a moment ago
		return errors.Join(err, fmt.Errorf("%s changed while it was copied", from))
	}
	return nil
}

func writeCheckout(dir string, c Checkout) error {
	file := filepath.Join(dir, checkoutFile)
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return whole.File{Mode: 0o644, Dirs: 0o755}.Write(file, append(data, '\n'))
}

// ReadCheckout reads the record in a directory.
func ReadCheckout(dir string) (*Checkout, error) {
	data, err := os.ReadFile(filepath.Join(dir, checkoutFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoCheckoutError{dir}
	}
	if err != nil {
		return nil, err
	}
	c := &Checkout{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, checkoutFile), err)
	}
	for name := range c.Base {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s: %s is not below the directory", filepath.Join(dir, checkoutFile), name)
		}
	}
	return c, nil
}

// NoCheckoutError says that a directory was not checked out.
type NoCheckoutError struct{ Dir string }

func (e *NoCheckoutError) Error() string { return e.Dir + " was not checked out of a library" }

// ExitCode is that of something not found.
func (e *NoCheckoutError) ExitCode() int { return diag.ExitNotFound }

// Hint says how one is.
func (e *NoCheckoutError) Hint() string { return "wb library checkout MEMBER DIR" }
