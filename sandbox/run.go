package sandbox

import (
	"context"
	"errors"
	"io"
	"time"
)

// Command is one run of a module: everything the guest will see.
type Command struct {
	Module *Module
	Args   []string // argv, program name first
	Env    []string // KEY=value
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Files is the guest's "/"; nil is an empty tree it may write to.
	Files FS
	// Dir is the working directory, "/" if empty. WASI has none: it reaches
	// the guest as PWD, which Go programs and wb's own C start-up code follow.
	Dir string
	// Preopens are the directories the guest is given open, in order, by the
	// names it is told: absolute ones, or "." for Dir. Nil is "/" alone, which
	// is all that C and Go programs want.
	Preopens []string
	Limits   Limits
	Caps     Caps
	// Now is where virtual time begins; the zero time is the first second of the
	// year 2000. It is not looked at where Caps.Clock is granted.
	Now time.Time
	// Seed seeds the guest's random numbers unless Caps.Random is granted.
	Seed uint64
	// Host are the functions the guest may import beyond WASI.
	Host []HostModule
	// HTTP makes the requests of components; nil allows none.
	HTTP HTTP

	brief bool // see runBriefly
}

// Exit is how a program ended. Code is not 0 when there was an error.
type Exit struct {
	Code  int
	Usage Usage
}

// Run runs a program's _start function to its end. A program that exits with
// any code, even not 0, is not an error. Usage is filled in either way.
func (e *Engine) Run(ctx context.Context, c Command) (Exit, error) {
	if exit, ok := e.runBriefly(ctx, c); ok {
		return exit, nil
	}
	in, err := e.instantiate(ctx, c, 0)
	if exit := (*ExitError)(nil); errors.As(err, &exit) { // the module's start function exited
		return Exit{Code: exit.Code}, nil
	}
	if err != nil {
		return Exit{Code: 1}, err
	}
	defer in.Close(ctx)
	err = in.run(ctx, "_start")
	exit := Exit{Code: in.exitCode, Usage: in.Usage()}
	if err != nil && exit.Code == 0 {
		exit.Code = 1
	}
	return exit, err
}

// Start makes an instance whose functions are called one by one, and runs its
// _initialize function if it has one. Close the instance when done.
func (e *Engine) Start(ctx context.Context, c Command) (*Instance, error) {
	in, err := e.instantiate(ctx, c, 0)
	if err != nil {
		return nil, err
	}
	if in.HasFunc("_initialize") {
		if err := in.run(ctx, "_initialize"); err != nil {
			in.Close(ctx)
			return nil, err
		}
	}
	return in, nil
}
