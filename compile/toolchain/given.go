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
	// Why says why it is not fetched, as the end of "not fetched, because …".
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
	if job.From == "" {
		return g.unavailable(job, fmt.Errorf("not fetched, because %s; give it", g.Why))
	}
	if err := g.check(ctx, job); err != nil {
		return err
	}
	root, err := os.OpenRoot(job.From)
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	defer root.Close()
	err = g.Build(ctx, job, root.FS())
	if missing, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return g.unavailable(job, fmt.Errorf("%s has no %s", job.From, missing.Path))
	}
	if err != nil {
		return fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	return nil
}

func (g Given) check(_ context.Context, job *Job) error {
	if info, err := os.Stat(job.From); err != nil || !info.IsDir() {
		return g.unavailable(job, fmt.Errorf("%s is not a directory", job.From))
	}
	return nil
}

func (g Given) unavailable(job *Job, err error) error {
	return &UnavailableError{Tool: job.Tool, Command: "wb toolchain install " + job.Tool + " --from DIR", Fix: "DIR is " + g.Holds, Err: err}
}
