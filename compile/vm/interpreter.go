package vm

import (
	"bytes"
	"context"
	"fmt"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// Config says what an interpreter is.
type Config struct {
	Tool string // the toolchain that has it
	File string // its wasm file there
	// Key changes when Boot leaves another state; it is part of what
	// snapshots are kept under.
	Key string
	// Args is its command line, program name first.
	Args []string
	// Env are KEY=value pairs of its environment.
	Env []string
	// Host are the functions it imports beyond WASI. They must not keep state:
	// all machines share them.
	Host []sandbox.HostModule
	// Limits bound Boot.
	Limits sandbox.Limits
	// Files is the tree that Boot sees, made of what is installed; nil is an
	// empty one. Jobs bring their own.
	Files func(t toolchain.Toolchain) (sandbox.FS, error)
	// Boot prepares a started instance for the snapshot; nil does nothing.
	Boot func(ctx context.Context, in *sandbox.Instance) error
}

// Interpreter makes machines. It is safe for concurrent use.
type Interpreter struct {
	env    *compile.Env
	config Config

	image compile.Loaded[*sandbox.Snapshot]

	sessions compile.Sessions[Machine]
}

// New makes an interpreter; nothing is installed or loaded yet. The toolchain
// is registered by whoever knows its recipe.
func New(env *compile.Env, config Config) *Interpreter {
	return &Interpreter{env: env, config: config}
}

// Fingerprint names the interpreter's content for cache keys.
func (i *Interpreter) Fingerprint() string {
	return i.config.Key + " " + i.env.Tools.Fingerprint(i.config.Tool)
}

// snapshot is the started interpreter, installed and started when need be.
func (i *Interpreter) snapshot(ctx context.Context) (*sandbox.Snapshot, error) {
	return i.image.Get(ctx, i.env, i.config.Tool, i.freeze)
}

// freeze starts the interpreter and takes the snapshot, or finds the one that
// this or another process has kept.
func (i *Interpreter) freeze(ctx context.Context, t toolchain.Toolchain) (*sandbox.Snapshot, error) {
	module, err := i.env.Program(ctx, t, i.config.Tool, i.config.File)
	if err != nil {
		return nil, err
	}
	if s, _, ok := i.env.Engine.LoadSnapshot(i.config.Tool, i.config.Key, module); ok {
		return s, nil
	}
	var stderr bytes.Buffer
	command := sandbox.Command{Stderr: &stderr, Module: module, Args: i.config.Args, Env: i.config.Env, Limits: i.config.Limits, Host: i.config.Host}
	if i.config.Files != nil {
		if command.Files, err = i.config.Files(t); err != nil {
			return nil, err
		}
	}
	in, err := i.env.Engine.Start(ctx, command)
	if err != nil {
		return nil, fmt.Errorf("%s: start: %w", i.config.Tool, err)
	}
	defer in.Close(ctx)
	if i.config.Boot != nil {
		if err := i.config.Boot(ctx, in); err != nil {
			return nil, fmt.Errorf("%s: start: %w %s", i.config.Tool, err, bytes.TrimSpace(stderr.Bytes()))
		}
	}
	s, err := in.Snapshot()
	if err != nil {
		return nil, err
	}
	// A snapshot that cannot be kept costs the next process its start only.
	_ = i.env.Engine.SaveSnapshot(i.config.Tool, i.config.Key, s, nil)
	return s, nil
}

// Acquire gives the machine for a job: a fresh one, or that of its session. It
// must be released, telling whether it can go on.
func (i *Interpreter) Acquire(ctx context.Context, job *compile.Job) (m *Machine, release func(alive bool), err error) {
	image, err := i.snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if job.Session != "" {
		return i.converse(ctx, image, job)
	}
	m, err = i.restore(ctx, image, job)
	if err != nil {
		return nil, nil, err
	}
	return m, func(bool) { m.Close(ctx) }, nil
}

// Test gives check a machine of a toolchain that is being installed.
func (i *Interpreter) Test(ctx context.Context, t toolchain.Toolchain, check func(m *Machine) error) error {
	image, err := i.freeze(ctx, t)
	if err != nil {
		return err
	}
	defer image.Close()
	job := &compile.Job{}
	if i.config.Files != nil {
		if job.Files, err = i.config.Files(t); err != nil {
			return err
		}
	}
	m, err := i.restore(ctx, image, job)
	if err != nil {
		return err
	}
	defer m.Close(ctx)
	return check(m)
}

// restore makes a machine that works for job.
func (i *Interpreter) restore(ctx context.Context, image *sandbox.Snapshot, job *compile.Job) (*Machine, error) {
	m := &Machine{caps: job.Caps}
	m.adopt(ctx, job)
	in, err := i.env.Engine.Restore(ctx, image, sandbox.Command{
		Args: i.config.Args, Env: i.config.Env, Host: i.config.Host,
		Stdin: &m.stdin, Stdout: &m.Stdout, Stderr: &m.Stderr, Files: &m.files, Limits: job.Limits, Caps: job.Caps, Now: job.Now})
	if err != nil {
		return nil, err
	}
	m.Instance = in
	return m, nil
}
