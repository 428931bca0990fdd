package clang

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// version changes when the compiler gives other programs for the same source. It is
// part of every toolchain that is built from C; see blocksVersion.
const version = "clang lane 2"

// workDir is where the compiler sees the sources.
const workDir = "/work"

// blockLimits bound one run of the compiler or linker on a block: ten times
// what the largest sensible program needs, and there for those that try to make
// the compiler itself run away. One unit of fuel is some 10 ns of compiling.
var blockLimits = sandbox.Limits{Fuel: 4e9, Memory: 1 << 30, Timeout: 2 * time.Minute, Output: 4 << 20, Files: 512 << 20}

// toolLimits are for sources that come with wb. Fuel bounds the work; the clock
// only runs out on machines that do something else.
var toolLimits = sandbox.Limits{Fuel: 100e9, Memory: 2 << 30, Timeout: time.Hour, Output: 4 << 20, Files: 512 << 20}

// Compiler runs clang and wasm-ld in the sandbox. It is safe for concurrent
// use.
type Compiler struct {
	env *compile.Env

	ready compile.Loaded[*tool]

	made made
}

// tool is a loaded compiler.
type tool struct {
	digest string
	module *sandbox.Module
	usr    sandbox.FS
	limits sandbox.Limits // of one run
}

// within is the same compiler with other limits.
func (t *tool) within(limits sandbox.Limits) *tool {
	c := *t
	c.limits = limits
	return &c
}

// New makes a compiler in env and registers its toolchain there. Nothing is
// installed or loaded yet.
func New(env *compile.Env) *Compiler {
	c := &Compiler{env: env}
	env.Tools.Register(c.recipe())
	return c
}

// Fingerprint identifies this package and the compiler it runs.
func (c *Compiler) Fingerprint() string { return version + " " + c.env.Tools.Fingerprint(toolName) }

// tool installs and loads the compiler when that has not happened yet.
func (c *Compiler) tool(ctx context.Context) (*tool, error) {
	return c.ready.Get(ctx, c.env, toolName, func(ctx context.Context, t toolchain.Toolchain) (*tool, error) {
		// Installing has paid for this; only an emptied cache makes it slow again.
		finish := c.announce("turning it into machine code (about 30s, once for this machine)")
		loaded, err := c.load(ctx, t)
		finish(err)
		return loaded, err
	})
}

// load compiles the compiler, from the engine's cache where possible.
func (c *Compiler) load(ctx context.Context, t toolchain.Toolchain) (*tool, error) {
	archive, err := t.ReadFile(resourcesFile)
	if err != nil {
		return nil, err
	}
	usr, err := readResources(archive)
	if err != nil {
		return nil, err
	}
	module, err := c.env.Program(ctx, t, "clang", programFile)
	if err != nil {
		return nil, err
	}
	return &tool{digest: t.Digest, module: module, usr: usr, limits: blockLimits}, nil
}

// patience is how long work may take before people are told about it.
const patience = 2500 * time.Millisecond

// announce tells the user what is being done if it is not finished soon, as
// when the engine's cache has been emptied. Call the result at the end.
func (c *Compiler) announce(text string) (finish func(error)) {
	if c.env.Progress == nil {
		return func(error) {}
	}
	var mu sync.Mutex
	var step toolchain.Step
	finished := false
	timer := time.AfterFunc(patience, func() {
		mu.Lock()
		defer mu.Unlock()
		if !finished {
			step = c.env.Progress.Begin(toolName, text, 0)
		}
	})
	return func(err error) {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		finished = true
		if step != nil {
			step.Done(err)
		}
	}
}

// outcome is one run of a compiler program.
type outcome struct {
	exit   int
	stderr string
	output []byte // the file asked for, nil when there is none
}

// run starts one of the programs in the toolchain on the files given and reads
// back the file named output.
func (c *Compiler) run(ctx context.Context, t *tool, files map[string][]byte, output string, args ...string) (outcome, error) {
	tree := sandbox.NewMemFS()
	for name, data := range files {
		if err := tree.WriteFile(path.Join(workDir[1:], name), data); err != nil {
			return outcome{}, fmt.Errorf("compiler: %w", err)
		}
	}
	mounted, err := sandbox.Mounts(tree, map[string]sandbox.FS{"usr": t.usr})
	if err != nil {
		return outcome{}, fmt.Errorf("compiler: %w", err)
	}
	var stderr strings.Builder
	exit, err := c.env.Engine.Run(ctx, sandbox.Command{
		Module: t.module, Args: append([]string{"yowasp-llvm"}, args...),
		Stdout: &stderr, Stderr: &stderr, Limits: t.limits, Files: mounted,
	})
	if err != nil {
		return outcome{}, fmt.Errorf("compiler: %w", err)
	}
	o := outcome{exit: exit.Code, stderr: stderr.String()}
	if exit.Code == 0 {
		if o.output, err = tree.ReadFile(path.Join(workDir[1:], output)); err != nil {
			return outcome{}, fmt.Errorf("compiler: %w", err)
		}
	}
	return o, nil
}

// language holds the differences between C and C++ for compiler and linker.
type language struct {
	ext      string
	compile  []string
	link     []string
	optimise string // when :flags has no -O
}

// The levels are those at which compiling and running small programs together
// take least: inlining templates costs more than it gives them.
var (
	langC   = language{ext: ".c", compile: []string{"-x", "c"}, optimise: "-O2"}
	langCPP = language{ext: ".cpp", compile: []string{"-x", "c++", "-fno-exceptions"}, link: []string{"-lc++", "-lc++abi"}, optimise: "-O1"}
)

// compileFlags are given to every compilation. Loops may use the fixed SIMD
// instructions, which give the same bits on every machine. The emulations are
// libraries that programs only carry when they use them.
var compileFlags = []string{"clang", "--target=wasm32-wasip1", "-working-directory=" + workDir, "-c", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=20", "-msimd128",
	"-Wno-error=implicit-function-declaration",
	"-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_MMAN", "-D_WASI_EMULATED_GETPID"}

// object compiles one file of files, whose functions are left as l says.
func (c *Compiler) object(ctx context.Context, t *tool, lang language, l leaving, files map[string][]byte, name string, flags []string) (outcome, error) {
	args := slices.Concat(compileFlags, lang.compile, []string{lang.optimise}, l.compileFlags(), flags)
	if needed, ok := usesPrecompiled(string(files[name]), flags); ok && lang.ext == langCPP.ext && !l.jumps {
		data, err := c.precompiled(ctx, t, append(l.compileFlags(), needed...))
		if err != nil {
			return outcome{}, err
		}
		files = maps.Clone(files)
		files[headersFile], files[precompiledFile] = []byte(headersText()), data
		args = append(args, "-include-pch", workDir+"/"+precompiledFile)
	}
	return c.run(ctx, t, files, "out.o", append(args, "-o", workDir+"/out.o", workDir+"/"+name)...)
}

// program is how objects are linked.
type program struct {
	start   string   // start-up object: crt1-command.o, crt1-reactor.o or ""
	exports []string // functions the host calls
	// lowStack puts the stack behind the data, for programs that use fixed
	// addresses at the start of memory. Others have it before their data,
	// where running over its end is caught.
	lowStack bool
	lines    bool     // the objects' source lines are kept
	flags    []string // further linker flags
}

// stackSize is the size of a program's C stack, in bytes.
const stackSize = "1048576"

const libDir = "/usr/lib/wasm32-wasip1"

// link makes a program of objects.
func (c *Compiler) link(ctx context.Context, t *tool, lang language, objects [][]byte, p program) (outcome, error) {
	files := make(map[string][]byte, len(objects))
	args := []string{"wasm-ld", "-m", "wasm32", "-L" + libDir, "-z", "stack-size=" + stackSize}
	if !p.lines {
		args = append(args, "--strip-debug")
	}
	if !p.lowStack {
		args = append(args, "--stack-first")
	}
	if p.start != "" {
		args = append(args, libDir+"/"+p.start)
	}
	for i, object := range objects {
		name := fmt.Sprintf("%d.o", i)
		files[name] = object
		args = append(args, workDir+"/"+name)
	}
	for _, name := range p.exports {
		args = append(args, "--export="+name)
	}
	args = slices.Concat(args, p.flags, lang.link, []string{
		"-lwasi-emulated-signal", "-lwasi-emulated-process-clocks", "-lwasi-emulated-mman", "-lwasi-emulated-getpid",
		"-lc-printscan-long-double", "-lc", "/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a", "-o", workDir + "/out.wasm"})
	return c.run(ctx, t, files, "out.wasm", args...)
}
