package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Given is a toolchain that wb does not fetch: the user has it in a directory
// and names that with wb toolchain install NAME --from DIR.
type Given struct {
	// Holds says what the directory must hold, for people: "a Zig source tree,
	// with stage1/zig1.wasm and lib/".
	Holds string
	// Why says why it is not fetched, as the end of "not fetched, since …".
	Why string
	// Of names what decides the result besides the directory: the recipe's own
	// version, the fingerprint of the compiler it uses.
	Of string
	// Build takes what it needs from the directory, from which no link leads
	// out. An error that wraps fs.ErrNotExist tells the user what Holds says.
	Build func(ctx context.Context, job *Job, dir fs.FS) error
}

// Identity is Of: the directory's content is recorded when it is installed.
func (g Given) Identity() string { return "given " + g.Of }

// Reproducible is false: directories differ.
func (Given) Reproducible() bool { return false }

// Fetch builds from the directory that the user gave.
func (g Given) Fetch(ctx context.Context, job *Job) error {
	command := "wb toolchain install " + job.Tool + " --from DIR"
	if job.From == "" {
		return &UnavailableError{Tool: job.Tool, Command: command, Fix: "DIR is " + g.Holds,
			Err: fmt.Errorf("not fetched, since %s; give it", g.Why)}
	}
	if info, err := os.Stat(job.From); err != nil || !info.IsDir() {
		return &UnavailableError{Tool: job.Tool, Command: command, Fix: "DIR is " + g.Holds, Err: fmt.Errorf("%s is not a directory", job.From)}
	}
	root, err := os.OpenRoot(job.From)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	defer root.Close()
	err = g.Build(ctx, job, root.FS())
	var missing *fs.PathError
	if errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
		return &UnavailableError{Tool: job.Tool, Command: command, Fix: "DIR is " + g.Holds, Err: fmt.Errorf("%s has no %s", job.From, missing.Path)}
	}
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	return nil
}
