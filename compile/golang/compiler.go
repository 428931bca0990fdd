package golang

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// version changes when the lane gives other programs for the same source.
const version = "go lane 2"

// workDir is where the compiler sees the sources, stdDir the packages of the
// standard library.
const (
	workDir = "/w"
	stdDir  = "/std"
)

// limits bound one run of the compiler or linker: ten times what the largest
// sensible block needs, and there for those that try to make the compiler
// itself run away.
var limits = sandbox.Limits{Fuel: 60e9, Memory: 1 << 30, Timeout: 2 * time.Minute, Output: 4 << 20, Files: 512 << 20}

// Compiler runs Go's compiler and linker in the sandbox. It is safe for
// concurrent use.
type Compiler struct {
	env *compile.Env

	ready compile.Loaded[*tool]
}

// tool is an installed compiler, ready to run. The engine drops the machine
// code of both programs when others need the memory and brings it back.
type tool struct {
	digest  string
	version string // "go1.26.8"
	compile *sandbox.Module
	link    func() (*sandbox.Module, error) // loaded while the compiler runs
	std     *stdFS
}

// newCompiler makes a compiler in env and registers its toolchain there.
// Nothing is installed or loaded yet.
func newCompiler(env *compile.Env) *Compiler {
	c := &Compiler{env: env}
	env.Tools.Register(c.recipe())
	return c
}

// Fingerprint identifies this package and the compiler it runs.
func (c *Compiler) Fingerprint() string { return version + " " + c.env.Tools.Fingerprint(toolName) }

// tool installs and loads the compiler when that has not happened yet.
func (c *Compiler) tool(ctx context.Context) (*tool, error) {
	return c.ready.Get(ctx, c.env, toolName, c.load)
}

// load makes the two programs and the standard library ready.
func (c *Compiler) load(ctx context.Context, t toolchain.Toolchain) (*tool, error) {
	std, err := openStd(t)
	if err != nil {
		return nil, err
	}
	loaded := &tool{digest: t.Digest, version: t.BuiltWith, std: std}
	module := func(ctx context.Context, name string) (*sandbox.Module, error) {
		return c.env.Engine.Load(ctx, "go "+strings.TrimSuffix(name, ".wasm"), t.SHA256(name), func() ([]byte, error) { return t.ReadFile(name) })
	}
	// Loading takes half a second, so the linker is got ready by another
	// goroutine. That may outlive ctx: whoever comes next needs it too.
	loaded.link = sync.OnceValues(func() (*sandbox.Module, error) { return module(context.WithoutCancel(ctx), toolchain.GoLinker) })
	go loaded.link()
	if loaded.compile, err = module(ctx, toolchain.GoCompiler); err != nil {
		return nil, err
	}
	return loaded, nil
}

// outcome is one run of the compiler or the linker.
type outcome struct {
	exit   int
	output []byte // the file it wrote, nil when it failed
	text   string // what it printed
}

// run starts one of the programs on files below workDir and reads back output.
// Both collect garbage only when they near their memory limit: they live for a
// fraction of a second.
func (c *Compiler) run(ctx context.Context, t *tool, module *sandbox.Module, files map[string][]byte, output string, args ...string) (outcome, error) {
	tree := sandbox.NewMemFS()
	for name, data := range files {
		if err := tree.WriteFile(workDir[1:]+"/"+name, data); err != nil {
			return outcome{}, fmt.Errorf("go: %w", err)
		}
	}
	mounted, err := sandbox.Mounts(tree, map[string]sandbox.FS{stdDir[1:]: t.std})
	if err != nil {
		return outcome{}, fmt.Errorf("go: %w", err)
	}
	var text strings.Builder
	exit, err := c.env.Engine.Run(ctx, sandbox.Command{
		Module: module, Args: append([]string{"go"}, args...), Stdout: &text, Stderr: &text,
		Env:   []string{"GOOS=wasip1", "GOARCH=wasm", "GOGC=off", "GOMEMLIMIT=700MiB"},
		Files: mounted, Dir: workDir, Limits: limits,
	})
	if err != nil {
		return outcome{}, fmt.Errorf("go: %w", err)
	}
	o := outcome{exit: exit.Code, text: text.String()}
	if exit.Code == 0 {
		if o.output, err = tree.ReadFile(workDir[1:] + "/" + output); err != nil {
			return outcome{}, fmt.Errorf("go: %w", err)
		}
	}
	return o, nil
}
