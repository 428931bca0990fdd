package wat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/sandbox"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "1"

// lane is WAT as the rest of wb sees it.
type lane struct {
	env *compile.Env

	assembler compile.Loaded[*sandbox.Module]
}

// New makes the lane and registers its toolchain, which c builds.
func New(env *compile.Env, c *clang.Compiler) compile.Lane {
	l := &lane{env: env}
	env.Tools.Register(l.recipe(c))
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "wat", Aliases: []string{"wast", "webassembly"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel},
		Toolchains: []string{toolName}, Summary: "WebAssembly text format (wabt)",
	}
}

// Fingerprint names lane and assembler.
func (l *lane) Fingerprint() string {
	return "wat/" + version + "/" + l.env.Tools.Fingerprint(toolName)
}

// limits bound one run of the assembler on a block.
var limits = sandbox.Limits{Fuel: 2e9, Memory: 512 << 20, Timeout: time.Minute, Output: 4 << 20, Files: 64 << 20}

// load is the assembler, installed and compiled when it is first needed.
func (l *lane) load(ctx context.Context) (*sandbox.Module, error) {
	return l.assembler.Get(ctx, l.env, toolName, l.loadFrom)
}

func (l *lane) loadFrom(ctx context.Context, t toolchain.Toolchain) (*sandbox.Module, error) {
	return l.env.Program(ctx, t, toolName, wasmFile)
}

// selfTest assembles and runs a module.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	m, err := l.loadFrom(ctx, t)
	if err != nil {
		return err
	}
	wasm, messages, err := l.assemble(ctx, m, `(module (func (export "f") (param i32) (result i32) (i32.mul (local.get 0) (i32.const 7))))`, nil)
	if err != nil || messages != "" {
		return errors.Join(err, errors.New(messages))
	}
	module, err := l.env.Engine.Compile(ctx, "self-test", wasm)
	if err != nil {
		return err
	}
	in, err := l.env.Engine.Start(ctx, sandbox.Command{Module: module})
	if err != nil {
		return err
	}
	defer in.Close(ctx)
	if got, err := in.Call(ctx, "f", 6); err != nil || got[0] != 42 {
		return fmt.Errorf("6*7 is %v (%v)", got, err)
	}
	return nil
}

const blockFile = "block.wat"

// assemble turns text into a binary module; messages is the assembler's output
// when it cannot.
func (l *lane) assemble(ctx context.Context, assembler *sandbox.Module, text string, flags []string) (wasm []byte, messages string, err error) {
	tree := sandbox.NewMemFS()
	if err := tree.WriteFile(blockFile, []byte(text)); err != nil {
		return nil, "", err
	}
	var out strings.Builder
	exit, err := l.env.Engine.Run(ctx, sandbox.Command{Module: assembler, Args: append(append([]string{"wat2wasm"}, flags...), "/"+blockFile, "-o", "/out.wasm"),
		Stdout: &out, Stderr: &out, Files: tree, Limits: limits})
	if err != nil {
		return nil, "", err
	}
	if exit.Code != 0 {
		return nil, out.String() + fmt.Sprintf("wat2wasm exited with code %d", exit.Code), nil
	}
	wasm, err = tree.ReadFile("out.wasm")
	return wasm, "", err
}

// Names of the entries of Artifact.Meta.
const (
	metaFunc = "func" // the function to call, "" for _start
	metaSig  = "sig"  // its signature
	metaVars = "vars" // variables of babel shape, as an object
)

// Build assembles a block and settles which function is called.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if err := refuse(src); err != nil {
		return nil, err
	}
	flags, err := readFlags(src)
	if err != nil {
		return nil, err
	}
	assembler, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	wasm, messages, err := l.assemble(ctx, assembler, src.Body, flags)
	if err != nil {
		return nil, at(src, err)
	}
	if messages != "" {
		return nil, diagnose(src, messages)
	}
	art := &compile.Artifact{Lane: "wat", Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Wasm: wasm, Meta: map[string]string{}}
	art.SetResults(src.Results)
	return art, prepare(src, art)
}

// refuse names what the lane does not have.
func refuse(src *compile.Source) error {
	if src.InSession() {
		return diag.Errorf(src.At(1, 1), "a WebAssembly module has no sessions")
	}
	if len(src.Deps) > 0 {
		return diag.Errorf(src.At(1, 1), "WebAssembly text has no packages (:deps %s)", strings.Join(src.Deps, " "))
	}
	for _, name := range []string{"prologue", "epilogue", "includes", "defines", "libs", "main"} {
		if _, ok := src.Arg(name); ok && src.Shape == compile.ShapeBabel {
			return diag.Errorf(src.At(1, 1), ":%s has no effect on a WebAssembly module, which is one expression", name)
		}
	}
	return nil
}

// at places an error that is not about a line.
func at(src *compile.Source, err error) error {
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok {
		return diag.Errorf(src.At(1, 1), "assembling this block takes too much: %v", limit)
	}
	return fmt.Errorf("%s: %w", src.At(1, 1), err)
}

// readFlags are the words of :flags, of which only those that choose features
// make sense.
func readFlags(src *compile.Source) ([]string, error) {
	var flags []string
	for _, text := range src.Args["flags"] {
		for _, word := range compile.Words(text) {
			if !strings.HasPrefix(word, "--enable-") && !strings.HasPrefix(word, "--disable-") {
				return nil, diag.Errorf(src.At(1, 1), ":flags %s is not a feature of wat2wasm", word).WithHint("--enable-NAME or --disable-NAME")
			}
			flags = append(flags, word)
		}
	}
	return flags, nil
}

// messageLine is how wabt writes a message; the line itself and carets follow.
var messageLine = lazyregexp.New(`^` + regexp.QuoteMeta("/"+blockFile) + `:(\d+):(\d+): (error|warning): (.*)$`)

// diagnose reads what the assembler wrote.
func diagnose(src *compile.Source, messages string) error {
	e := &diag.FindingsError{}
	for line := range strings.Lines(messages) {
		if m := messageLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			row, _ := strconv.Atoi(m[1])
			col, _ := strconv.Atoi(m[2])
			e.Findings = append(e.Findings, diag.Finding{Pos: src.At(row, col), Severity: diag.Severity(m[3]), Message: strings.TrimSuffix(m[4], ".")})
		}
	}
	if len(e.Findings) == 0 {
		return diag.Errorf(src.At(1, 1), "%s", strings.TrimSpace(messages))
	}
	return e
}

// prepare checks that the module has what its shape needs.
func prepare(src *compile.Source, art *compile.Artifact) error {
	funcs, memory, err := exportedFuncs(art.Wasm)
	if err != nil {
		return fmt.Errorf("%s: assembled module: %w", src.At(1, 1), err)
	}
	start := slices.ContainsFunc(funcs, func(e export) bool { return e.name == "_start" })
	switch src.Shape {
	case compile.ShapeCommand:
		if !start {
			return diag.Errorf(src.At(1, 1), "a program exports _start").WithHint(`(func (export "_start") …)`)
		}
		return nil
	case compile.ShapeKernel:
		return prepareKernel(src, art, funcs, memory)
	case compile.ShapeBabel:
		if start {
			if len(src.Vars) > 0 {
				return diag.Errorf(src.At(1, 1), "_start takes no variables").WithHint("export main with one parameter per :var")
			}
			return nil
		}
	}
	f, err := choose(src, funcs)
	if err != nil {
		return err
	}
	sig, err := signature(src, f)
	if err != nil {
		return err
	}
	art.Meta[metaFunc], art.Meta[metaSig] = f.name, sig.String()
	var vars []value.Field
	for _, v := range src.Vars {
		vars = append(vars, value.Field{Name: v.Name, Value: v.Value})
	}
	art.Meta[metaVars] = string(value.OfObject(vars...).AppendJSON(nil))
	return nil
}

func prepareKernel(src *compile.Source, art *compile.Artifact, funcs []export, memory bool) error {
	i := slices.IndexFunc(funcs, func(e export) bool { return e.name == "process" })
	i32 := []sandbox.ValueType{sandbox.I32}
	if i < 0 || !memory || !slices.Equal(funcs[i].params, i32) || !slices.Equal(funcs[i].results, i32) {
		return diag.Errorf(src.At(1, 1), "a kernel exports memory and process (param i32) (result i32)")
	}
	layout, err := src.KernelLayout()
	if err != nil {
		return err
	}
	art.SetKernelLayout(layout)
	return nil
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	module, err := l.env.Engine.Compile(ctx, "wat", art.Wasm)
	if err != nil {
		return nil, err
	}
	switch {
	case art.Shape == compile.ShapeKernel:
		return l.runKernel(ctx, art, job)
	case art.Meta[metaFunc] != "":
		return l.call(ctx, module, art, job)
	}
	var stdout, stderr bytes.Buffer
	exit, err := l.env.Engine.Run(ctx, job.Command(module, append([]string{"block"}, job.Args...), compile.Tee(&stdout, job.Stdout), compile.Tee(&stderr, job.Stderr)))
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Exit: exit.Code, Usage: exit.Usage}
	out.Value = value.OfString(stdout.String())
	if art.Shape == compile.ShapeBabel {
		out.Value = art.Results().Read(stdout.String())
	}
	return trapped(out, job, &stderr, err)
}

// trapped makes an outcome of a trap, which is the block's own fault.
func trapped(out *compile.Outcome, job *compile.Job, stderr *bytes.Buffer, err error) (*compile.Outcome, error) {
	var trap *sandbox.TrapError
	if !errors.As(err, &trap) {
		return out, err
	}
	pos := diag.Position{File: blockFile, Line: 1, Col: 1}
	if job.Source != nil {
		pos = frame(job.Source, trap)
	}
	where := ""
	if len(trap.Frames) > 0 {
		where = " in " + trap.Frames[0]
	}
	fmt.Fprintf(compile.Tee(stderr, job.Stderr), "%s: %s%s\n", pos, trap.Reason, where)
	out.Stderr, out.Exit = stderr.Bytes(), max(out.Exit, 1)
	return out, nil
}

// frame is where the innermost function of a trap that has a name is defined.
func frame(src *compile.Source, trap *sandbox.TrapError) diag.Position {
	for _, name := range trap.Frames {
		word := regexp.QuoteMeta(name)
		at := regexp.MustCompile(`\(\s*func\b[^()]*(\$` + word + `[\s()]|\(\s*export\s+"` + word + `")`).FindStringIndex(src.Body)
		if at != nil {
			before := src.Body[:at[0]]
			return src.At(1+strings.Count(before, "\n"), at[0]-strings.LastIndexByte(before, '\n'))
		}
	}
	return src.At(1, 1)
}

// OpenKernel implements [compile.KernelOpener].
func (l *lane) OpenKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	return compile.StartKernel(ctx, l.env.Engine, "wat", art, job)
}

// runKernel calls a kernel once, with the job's standard input.
func (l *lane) runKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	k, err := l.OpenKernel(ctx, art, job)
	if err != nil {
		return nil, err
	}
	out, err := k.Once(ctx, job.Stdin)
	return trapped(out, job, &bytes.Buffer{}, err)
}
