package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/vm"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "2"

// lane is Python as the rest of wb sees it.
type lane struct {
	*vm.Interpreter
	env *compile.Env

	mu    sync.Mutex
	lib   *vm.Archive
	shelf *compile.Library // lib as recipes have it
	// The files of packs by digest, and interpreters that have imported packs.
	shelves map[string]*vm.Archive
	ready   map[string]*vm.Interpreter
	// The interpreters of sessions, and the one with all packs, nil until asked for.
	speakers map[string]*vm.Interpreter
	rich     *vm.Interpreter
}

// New makes the lane and registers its toolchains, which c builds.
func New(env *compile.Env, c *clang.Compiler) compile.Lane {
	l := &lane{env: env}
	l.Interpreter = l.interpreter()
	env.Tools.Register(zlibRecipe(), sqliteRecipe(), l.objectsRecipe(c), l.recipe(c))
	env.Tools.Register(l.cythonRecipe(), freetypeRecipe(), pillowRecipe())
	for _, p := range packs {
		switch p.name {
		case numpyName:
			env.Tools.Register(l.numpyRecipe(p, c))
		case matplotlibName:
			env.Tools.Register(l.matplotlibRecipe(p, c))
		default:
			env.Tools.Register(p.recipe(l))
		}
	}
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "python", Aliases: []string{"python3", "py"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Summary: "Python (CPython 3.11) with most of its standard library",
		Args: []string{"output-dir"},
	}
}

// Fingerprint names lane and interpreter.
func (l *lane) Fingerprint() string { return "python/" + version + "/" + l.Interpreter.Fingerprint() }

// library is the standard library of the installed toolchain.
func (l *lane) library(ctx context.Context) (*vm.Archive, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lib == nil {
		t, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress)
		if err != nil {
			return nil, err
		}
		l.lib = newLibrary(t)
	}
	return l.lib, nil
}

// acquire gives a machine for a job, whose files have the library behind them.
func (l *lane) acquire(ctx context.Context, p *program, job *compile.Job) (*vm.Machine, func(alive bool), error) {
	lib, err := l.library(ctx)
	if err != nil {
		return nil, nil, err
	}
	archives, err := l.visible(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	mine := *job
	if mine.Files, err = newTree(job.Files, lib, p.Sources, archives); err != nil {
		return nil, nil, err
	}
	names := l.present(p.Packs)
	if p.Session {
		return l.converse(ctx, names, &mine)
	}
	mine.Session = ""
	if len(names) > 0 {
		return l.importing(names, archives).Acquire(ctx, &mine)
	}
	return l.Acquire(ctx, &mine)
}

// checkLimits bound compiling a block: ten times what a large one needs.
var checkLimits = sandbox.Limits{Timeout: time.Minute}

// Build checks the block's syntax and finds the function to call.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if err := refuse(src); err != nil {
		return nil, err
	}
	p, err := newProgram(src)
	if err != nil {
		return nil, err
	}
	if err := l.addWheels(src, p); err != nil {
		return nil, fmt.Errorf("%s: %w", src.At(1, 1), err)
	}
	p.Packs = packsOf(src, p)
	if err := l.canDraw(src, p); err != nil {
		return nil, err
	}
	if _, err := l.archives(ctx, l.present(p.Packs)...); err != nil {
		return nil, fmt.Errorf("%s: %w", src.At(1, 1), err)
	}
	a, err := l.check(ctx, src, p)
	if err != nil {
		return nil, err
	}
	if p.Kind == kindModule {
		if err := p.choose(src, a); err != nil {
			return nil, err
		}
	}
	art := &compile.Artifact{Lane: "python", Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Script: p.Text, Warnings: p.warnings(src, a)}
	return art, p.pack(art)
}

// canDraw refuses :results graphics where there is no matplotlib.
func (l *lane) canDraw(src *compile.Source, p *program) error {
	if p.Graphics == "" || len(l.present([]string{matplotlibName})) > 0 {
		return nil
	}
	return diag.Errorf(src.At(1, 1), ":results graphics needs matplotlib").
		WithHint("wb toolchain install matplotlib; or draw with a plot block that takes this block's table")
}

// refuse says what Python blocks cannot do here.
func refuse(src *compile.Source) error {
	if src.Shape == compile.ShapeKernel {
		return diag.Errorf(src.At(1, 1), "Python has no kernel shape").WithHint("kernels are written in C or WAT; for many calls of a Python function use component shape")
	}
	if src.Results.Has("graphics") && len(src.Args["file"]) == 0 {
		return diag.Errorf(src.At(1, 1), ":results graphics needs :file").WithHint("name a file that ends in .png or .svg")
	}
	for _, dep := range src.Deps {
		if name := moduleName(dep); packOf(dep) == nil && !vendored(src.Files, name) && !pinned(src, dep) {
			wheel := dep
			if !strings.Contains(dep, "==") {
				wheel = name + "==VERSION"
			}
			return diag.Errorf(src.At(1, 1), "package %s (:deps) is not pinned in wb.lock", name).
				WithHint("a shell block with :uses net pins a wheel of pure Python: pip-fetch " + wheel + "; or put " + name + " into a directory and name that with :dir")
		}
	}
	return nil
}

// moduleName is what a package is imported as, as far as its name tells.
func moduleName(dep string) string {
	name, _, _ := strings.Cut(dep, "@")
	name = strings.FieldsFunc(name+" ", func(r rune) bool { return strings.ContainsRune("=<>~! [", r) })[0]
	return strings.ReplaceAll(name, "-", "_")
}

// vendored reports whether files have a module of that name.
func vendored(files map[string][]byte, name string) bool {
	_, module := files[name+".py"]
	_, pack := files[path.Join(name, "__init__.py")]
	return module || pack
}

// check compiles the program without running it.
func (l *lane) check(ctx context.Context, src *compile.Source, p *program) (*answer, error) {
	m, release, err := l.acquire(ctx, &program{}, &compile.Job{Limits: checkLimits})
	if err != nil {
		return nil, err
	}
	defer release(false)
	a, err := ask(ctx, m, request{Do: "check", Program: p})
	var limit *sandbox.LimitError
	switch {
	case errors.As(err, &limit):
		return nil, diag.Errorf(src.At(1, 1), "compiling this block takes too much: %v", limit)
	case err != nil:
		return nil, err
	case len(a.Error) > 0:
		return nil, &diag.FindingsError{Findings: []diag.Finding{a.failure(p).diagnostic(src)}}
	}
	return a, nil
}

// warnings are what the compiler has to say about a sound program.
func (p *program) warnings(src *compile.Source, a *answer) []diag.Finding {
	var list []diag.Finding
	for _, w := range a.Warnings {
		if pos, ok := p.place(src, w.Line, 1); ok {
			list = append(list, diag.Finding{Pos: pos, Severity: diag.Warning, Code: w.Kind, Message: w.Text})
		}
	}
	slices.SortStableFunc(list, func(a, b diag.Finding) int { return a.Pos.Line - b.Pos.Line })
	return list
}

// request is what guest/bridge.py is asked.
type request struct {
	Do      string        `json:"do"` // check or run
	Program *program      `json:"program"`
	Dir     string        `json:"dir"`
	Args    []string      `json:"args"`
	Random  bool          `json:"random"`
	Session bool          `json:"session"`
	Inputs  []value.Value `json:"inputs"`
}

// text is the request as JSON.
func (r request) text() ([]byte, error) {
	r.Args, r.Session = list(r.Args), r.Program.Session
	bare := *r.Program
	bare.Sources = nil
	if r.Do == "check" {
		bare.Large = nil
	}
	r.Program = &bare
	return json.Marshal(r)
}

// answer is what it says.
type answer struct {
	Exit      int             `json:"exit"`
	Error     []exception     `json:"error"` // what led to the last one, oldest first
	Body      string          `json:"body"`  // the program's file name in frames
	Shown     *string         `json:"shown"` // a value as text
	Value     json.RawMessage `json:"value"` // a component's output
	Functions []function      `json:"functions"`
	Names     []string        `json:"names"`
	Warnings  []struct {
		Line int    `json:"line"`
		Text string `json:"text"`
		Kind string `json:"kind"`
	} `json:"warnings"`
}

// ask sends a request to a machine.
func ask(ctx context.Context, vm *vm.Machine, r request) (*answer, error) {
	text, err := r.text()
	if err != nil {
		return nil, err
	}
	m := &machine{in: vm.Instance, stderr: &vm.Stderr.Buffer}
	at, err := m.put(ctx, text)
	if err != nil {
		return nil, err
	}
	if err := m.do(ctx, "wb_request", at, uint64(len(text))); err != nil {
		return nil, err
	}
	reply, err := m.result(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.free(ctx, at); err != nil {
		return nil, err
	}
	a := &answer{}
	if err := json.Unmarshal(reply, a); err != nil {
		return nil, fmt.Errorf("python: answer: %w", err)
	}
	return a, nil
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	p, err := unpack(art)
	if err != nil {
		return nil, err
	}
	m, release, err := l.acquire(ctx, p, job)
	if err != nil {
		return nil, err
	}
	out := &compile.Outcome{}
	err = l.execute(ctx, m, p, art.Shape, job, out)
	out.Usage = m.Usage()
	out.Stdout, out.Stderr = slices.Clone(m.Stdout.Bytes()), slices.Clone(m.Stderr.Bytes())
	release(err == nil && p.Session)
	return out, err
}

// execute runs the program and reads its result.
func (l *lane) execute(ctx context.Context, m *vm.Machine, p *program, shape compile.Shape, job *compile.Job, out *compile.Outcome) error {
	a, err := ask(ctx, m, p.request(job))
	if err != nil {
		return err
	}
	out.Exit = a.Exit
	if len(a.Error) > 0 {
		f := a.failure(p)
		if strings.HasSuffix(f.last().Type, "MemoryError") && m.MemoryRefused() { // numpy has one of its own
			return m.OutOfMemory()
		}
		fmt.Fprint(&m.Stderr, f.report(job.Source))
	}
	switch {
	case shape == compile.ShapeComponent && a.Exit == 0 && a.Value != nil:
		out.Value, err = value.ParseJSON(a.Value)
	case shape == compile.ShapeCommand:
		out.Value = value.OfString(m.Stdout.String())
	case shape == compile.ShapeBabel && (a.Shown != nil || p.Kind == kindScript):
		out.Value = babelValue(p, a.Shown, m.Stdout.String())
	}
	return err
}

// request is what is asked for a job.
func (p *program) request(job *compile.Job) request {
	r := request{Do: "run", Program: p, Dir: path.Join("/", job.Dir), Args: job.Args, Random: job.Caps.Random, Inputs: make([]value.Value, len(job.Inputs))}
	for i, in := range job.Inputs {
		r.Inputs[i] = withoutRules(in.Value)
	}
	return r
}

// withoutRules puts null where a value has rules between its rows.
func withoutRules(v value.Value) value.Value {
	switch v.Kind() {
	case value.HLine:
		return value.Nil()
	case value.List:
		items := make([]value.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = withoutRules(item)
		}
		return value.OfList(items...)
	}
	return v
}
