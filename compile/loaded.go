package compile

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// Loaded is a toolchain in memory: installed and made ready to run when it is
// first needed, and shared by everybody in the process from then on. T is what
// running it takes. The zero value has nothing loaded.
type Loaded[T any] struct {
	mu     sync.Mutex
	digest string // of the toolchain that is ready, "" when none is
	ready  T
}

// Get is what load made of the toolchain of that name, which is installed if
// need be. Installing may test the toolchain, which loads it with From.
func (l *Loaded[T]) Get(ctx context.Context, env *Env, name string, load func(context.Context, toolchain.Toolchain) (T, error)) (T, error) {
	l.mu.Lock()
	digest, ready := l.digest, l.ready
	l.mu.Unlock()
	if digest != "" {
		return ready, nil
	}
	t, err := env.Tools.Ensure(ctx, name, env.Progress)
	if err != nil {
		return ready, err
	}
	return l.From(ctx, t, load)
}

// From is what load makes of t, or what it made of the same toolchain before.
func (l *Loaded[T]) From(ctx context.Context, t toolchain.Toolchain, load func(context.Context, toolchain.Toolchain) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.digest == t.Digest {
		return l.ready, nil
	}
	ready, err := load(ctx, t)
	if err == nil {
		l.digest, l.ready = t.Digest, ready
	}
	return ready, err
}

// Prints runs a program that a compiler has made in its own test, and reports when
// it prints anything but want.
func (e *Env) Prints(ctx context.Context, wasm []byte, want string) error {
	module, err := e.Engine.Compile(ctx, "self-test", wasm)
	if err != nil {
		return err
	}
	var out strings.Builder
	if _, err := e.Engine.Run(ctx, sandbox.Command{Module: module, Args: []string{"self-test"}, Stdout: &out, Stderr: &out}); err != nil {
		return err
	}
	if out.String() != want {
		return fmt.Errorf("the program printed %q, want %q", out.String(), want)
	}
	return nil
}

// Program loads a program of a toolchain, from the engine's cache where
// possible; name is what messages call it.
func (e *Env) Program(ctx context.Context, t toolchain.Toolchain, name, file string, options ...sandbox.CompileOption) (*sandbox.Module, error) {
	return e.Engine.Load(ctx, name, t.SHA256(file), func() ([]byte, error) { return t.ReadFile(file) }, options...)
}
