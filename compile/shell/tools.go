package shell

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"

	"maps"
	"slices"
	"sync"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolbox"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// Names of the toolchains and of the file in each.
const (
	toolboxName = "toolbox"
	toolboxFile = "toolbox.wasm"
	guestName   = "shell"
	guestFile   = "shell.wasm"
)

// The guest is a module of its own when it is built: these are its files.
//
//go:embed guest/*.go interp/*.go
var guestSource embed.FS

//go:embed guest.mod.txt
var guestMod string

//go:embed guest.sum.txt
var guestSum string

// guestRecipe builds the shell and jq with the local Go toolchain.
func guestRecipe(engine *sandbox.Engine) toolchain.Recipe {
	return toolchain.Recipe{
		Name: guestName, Version: "1", Summary: "the shell and jq, built for WASI from wb's own sources (mvdan/sh 3.14, gojq 0.12)",
		Origin: toolchain.GoBuild{Package: "./guest", Mod: guestMod, Sum: guestSum, Source: guestSource, Output: guestFile,
			Flags: []string{"-buildmode=c-shared"}},
		Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
			guest, err := load(ctx, engine, t, guestFile)
			if err != nil {
				return err
			}
			frozen, err := freeze(ctx, engine, guest)
			if err != nil {
				return err
			}
			return frozen.Close()
		},
	}
}

// toolboxRecipe compiles the tools with our C lane, inside the sandbox.
func toolboxRecipe(engine *sandbox.Engine, c *clang.Compiler) toolchain.Recipe {
	sources := toolbox.Sources()
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(sources[name]))
	}
	return toolchain.Recipe{
		Name: toolboxName, Version: "1", Summary: "cat, sort, cut, date and other small tools, compiled from wb's own sources",
		Needs: []string{"clang"},
		Origin: toolchain.Built{
			Of: hex.EncodeToString(h.Sum(nil)),
			Build: func(ctx context.Context, job *toolchain.Job) (err error) {
				step := job.Step("compiling "+toolboxFile, 0)
				defer func() { step.Done(err) }()
				wasm, err := c.CompileC(ctx, sources, clang.Options{Flags: []string{"-O2", "-D_GNU_SOURCE"}})
				if err != nil {
					return err
				}
				return job.Write(toolboxFile, wasm)
			},
		},
		Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
			module, err := load(ctx, engine, t, toolboxFile)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			k := &kernel{limits: sandbox.DefaultLimits}
			p := &process{k: k}
			exit, err := engine.Run(ctx, sandbox.Command{Module: module, Args: []string{"expr", "6", "*", "7"}, Stdout: &out,
				Host: []sandbox.HostModule{p.hostModule()}})
			if err == nil && (exit.Code != 0 || out.String() != "42\n") {
				err = fmt.Errorf("expr exited with %d and printed %q, want 0 and \"42\\n\"", exit.Code, out.String())
			}
			return err
		},
	}
}

// set is what shells run on: the loaded programs.
type set struct {
	engine  *sandbox.Engine
	toolbox *sandbox.Module
	frozen  *sandbox.Snapshot // the guest, started
	// original loads the program of a command that is not part of the toolbox, nil for others.
	original func(ctx context.Context, command string) (*sandbox.Module, error)
	tools    map[string]bool
}

func (s *set) names() []string {
	return slices.Sorted(maps.Keys(s.tools))
}

// loader installs and loads the set when it is first needed.
type loader struct {
	env *compile.Env

	mu    sync.Mutex
	ready *set

	originalsMu    sync.Mutex
	originalsReady map[original]*sandbox.Module
}

func (l *loader) load(ctx context.Context) (*set, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready != nil {
		return l.ready, nil
	}
	s := &set{engine: l.env.Engine, tools: map[string]bool{"jq": true, "sh": true, "bash": true}}
	for _, name := range toolbox.Names() {
		s.tools[name] = true
	}
	for command := range originals() {
		s.tools[command] = true
	}
	box, err := l.module(ctx, toolboxName, toolboxFile)
	if err != nil {
		return nil, err
	}
	guest, err := l.module(ctx, guestName, guestFile)
	if err != nil {
		return nil, err
	}
	s.original = l.original
	s.toolbox = box
	if s.frozen, err = freeze(ctx, l.env.Engine, guest); err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", guestName, err)
	}
	l.ready = s
	return s, nil
}

// module loads one program of a toolchain.
func (l *loader) module(ctx context.Context, name, file string) (*sandbox.Module, error) {
	t, err := l.env.Tools.Ensure(ctx, name, l.env.Progress)
	if err != nil {
		return nil, err
	}
	return load(ctx, l.env.Engine, t, file)
}

// load compiles a program of an installed toolchain.
func load(ctx context.Context, engine *sandbox.Engine, t toolchain.Toolchain, file string) (*sandbox.Module, error) {
	wasm, err := read(t, file)
	if err != nil {
		return nil, err
	}
	return engine.Compile(ctx, t.Name, wasm)
}

// read is a program of an installed toolchain as it is run.
func read(t toolchain.Toolchain, file string) ([]byte, error) {
	wasm, err := t.ReadFile(file)
	if err == nil {
		wasm, err = mergeSegments(wasm)
	}
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", t.Name, err)
	}
	return wasm, nil
}

// freeze starts the guest, lets it touch what every run needs, and keeps that
// state: reviving it takes a fraction of starting it.
func freeze(ctx context.Context, engine *sandbox.Engine, guest *sandbox.Module) (*sandbox.Snapshot, error) {
	k := &kernel{set: &set{}, tree: sandbox.NewMemFS(), limits: sandbox.DefaultLimits}
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	defer k.cancel(nil)
	p := &process{k: k, argv: []string{"\x00warm"}, dir: "/"}
	in, err := engine.Start(ctx, sandbox.Command{Module: guest, Args: []string{"shell"}, Files: k.tree, Host: []sandbox.HostModule{p.hostModule()}})
	if err != nil {
		return nil, err
	}
	defer in.Close(ctx)
	if _, err := in.Call(ctx, "run"); err != nil {
		return nil, err
	}
	return in.Snapshot()
}
