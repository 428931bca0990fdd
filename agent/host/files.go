package host

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/workdir"
	"wb/internal/diag"
)

// Files lists the changes of a run to its working directory.
type Files struct {
	Dir string
	// Written says that they are in the directory: the run had leave to write.
	Written bool
	Changes []Change
}

// Change is one file, compared with the directory as it is now.
type Change struct {
	agent.FileChange
	// Now is the file's content in the directory; Missing says that it has none.
	Now     []byte    `json:"-"`
	Missing bool      `json:"-"`
	Changed time.Time `json:"-"` // the directory's file, last
}

// Same reports whether the directory has the file as the run left it.
func (c Change) Same() bool {
	return c.Removed && c.Missing || !c.Removed && !c.Missing && bytes.Equal(c.Content, c.Now)
}

// Kind says what applying the change does: "add", "change", "remove" or "same".
func (c Change) Kind() string {
	switch {
	case c.Same():
		return "same"
	case c.Removed:
		return "remove"
	case c.Missing:
		return "add"
	}
	return "change"
}

// ConflictError names files that were changed in the directory after a run began.
type ConflictError struct{ Names []string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("changed since the run began: %s", strings.Join(e.Names, ", "))
}

// Hint says how to go on.
func (e *ConflictError) Hint() string {
	return "--diff shows the differences, --force replaces the files"
}

// ExitCode is that of a conflict.
func (e *ConflictError) ExitCode() int { return diag.ExitConflict }

// Apply writes the changes into the directory, joined with what others have written
// there after since. What cannot be joined is not replaced, nor anything else then.
// The zero time replaces whatever is there.
func (f Files) Apply(since time.Time) error {
	var conflicts []string
	whole := map[string][]byte{}
	for _, c := range f.Changes {
		whole[c.Path] = c.Content
		if c.Same() || c.Missing || since.IsZero() || !c.Changed.After(since) {
			continue
		}
		joined, err := c.Plan(f.Dir)
		if err != nil || c.Origin.Base == nil {
			conflicts = append(conflicts, c.Path)
		}
		whole[c.Path] = joined
	}
	if len(conflicts) > 0 {
		return &ConflictError{conflicts}
	}
	dir := workdir.Dir{Path: f.Dir}
	for _, c := range f.Changes {
		if c.Same() {
			continue
		}
		if err := agent.MayWrite(f.Dir, c.Path); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
		if _, err := dir.Write(workdir.Change{Name: c.Path, Base: c.Now, Fresh: c.Missing, New: whole[c.Path], Removed: c.Removed}); err != nil {
			return err
		}
	}
	return nil
}
