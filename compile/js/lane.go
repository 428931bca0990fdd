package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"wb/compile"
	"wb/sandbox"
	"wb/value"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "1"

// mainFile is what stack traces call the block.
const mainFile = "block.js"

// Names of the entries of Artifact.Meta.
const (
	metaFunc    = "func"    // function to call, "" for the only one
	metaOuts    = "outs"    // output names, blanks between them
	metaResults = "results" // words of :results
	metaSkip    = "skip"    // lines before the body's first
	metaFiles   = "files"   // importable files as a JSON object
	metaFile    = "file"    // position of the body in the org file
	metaLine    = "line"
	metaCol     = "col"
)

type lane struct {
	env *compile.Env

	mu    sync.Mutex
	image *image
}

// New makes the lane and registers its toolchain.
func New(env *compile.Env) compile.Lane {
	l := &lane{env: env}
	env.Tools.Register(l.recipe())
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "js", Aliases: []string{"javascript", "node", "ecmascript", "mjs"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Summary: "JavaScript (ES2023 on QuickJS-ng), modules, promises, console",
	}
}

// Fingerprint names lane and engine.
func (l *lane) Fingerprint() string { return "js/" + version + "/" + l.env.Tools.Fingerprint(toolName) }

// Build checks the block's syntax and lays out the program.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if session, ok := src.Arg("session"); ok && session != "" && session != "none" {
		return nil, compile.Errorf(src.At(1, 1), "JavaScript blocks keep no session %q here", session).WithHint("pass values on with :var, or remove :session")
	}
	if len(src.Deps) > 0 {
		return nil, compile.Errorf(src.At(1, 1), "packages (:deps %s) cannot be fetched for JavaScript yet", strings.Join(src.Deps, " ")).
			WithHint("put the package's files in a directory and name it with :dir")
	}
	if src.Shape == compile.ShapeKernel {
		return nil, compile.Errorf(src.At(1, 1), "JavaScript has no kernel shape").WithHint("kernels are written in C")
	}
	files, err := json.Marshal(stringFiles(src.Files))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Pos, err)
	}
	art := &compile.Artifact{Lane: "js", Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Script: src.Body, Meta: map[string]string{
		metaFunc: src.Func, metaOuts: strings.Join(src.Outs, " "), metaResults: strings.Join(src.Results, " "), metaSkip: "0",
		metaFiles: string(files), metaFile: src.Pos.File, metaLine: strconv.Itoa(src.Pos.Line), metaCol: strconv.Itoa(src.Pos.Col),
	}}
	if src.Shape == compile.ShapeBabel {
		script, skip, err := babelScript(src)
		if err != nil {
			return nil, err
		}
		art.Script, art.Meta[metaSkip] = script, strconv.Itoa(skip)
	}
	return art, l.syntax(ctx, art)
}

func stringFiles(files map[string][]byte) map[string]string {
	out := map[string]string{}
	for name, data := range files {
		out[name] = string(data)
	}
	return out
}

// syntax compiles the program without running it.
func (l *lane) syntax(ctx context.Context, art *compile.Artifact) error {
	img, err := l.boot(ctx)
	if err != nil {
		return err
	}
	var files map[string]string
	if err := json.Unmarshal([]byte(art.Meta[metaFiles]), &files); err != nil {
		return err
	}
	m, err := l.restore(ctx, img, machineOptions{modules: files})
	if err != nil {
		return err
	}
	defer m.close(ctx)
	const compileOnly = 1 << 5
	flags := uint64(evalModule)
	if art.Shape == compile.ShapeBabel {
		flags = evalScript
	}
	_, err = m.eval(ctx, art.Script, mainFile, flags|compileOnly)
	var t *thrown
	if errors.As(err, &t) {
		return &compile.BuildError{Diagnostics: []compile.Diagnostic{{Pos: place(art, t), Severity: compile.Error, Code: t.Name, Message: t.Message}}}
	}
	return err
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	img, err := l.boot(ctx)
	if err != nil {
		return nil, err
	}
	var files map[string]string
	if err := json.Unmarshal([]byte(art.Meta[metaFiles]), &files); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", art.Digest, err)
	}
	var stdout, stderr bytes.Buffer
	budget := outputBudget{left: outputLimit(job.Limits), limit: outputLimit(job.Limits)}
	m, err := l.restore(ctx, img, machineOptions{
		limits: job.Limits, caps: job.Caps, stdin: job.Stdin, modules: files,
		stdout: budget.writer(&stdout, job.Stdout), stderr: budget.writer(&stderr, job.Stderr),
	})
	if err != nil {
		return nil, err
	}
	defer m.close(ctx)
	state, err := l.drive(ctx, m, art, job)
	if m.failed != nil {
		err = m.failed
	}
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Usage: m.in.Usage()}
	var t *thrown
	switch {
	case errors.As(err, &t):
	case err != nil:
		return out, err
	case state.Error != nil:
		t = state.Error
	}
	if t != nil && t.Name == "InternalError" && t.Message == "out of memory" {
		return out, &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: memoryLimit(job.Limits)}
	}
	if t != nil && t.Exit == nil {
		fail(out, art, t)
		return out, nil
	}
	if t != nil {
		out.Exit = *t.Exit
	}
	return out, finish(out, art, state)
}

// state is what the prelude's poll answers.
type state struct {
	JSON   string  `json:"json"`
	Text   string  `json:"text"`
	List   bool    `json:"list"`
	String bool    `json:"string"`
	Error  *thrown `json:"error"`
}

// drive starts the program in its shape and runs it to its end.
func (l *lane) drive(ctx context.Context, m *machine, art *compile.Artifact, job *compile.Job) (state, error) {
	if err := m.globals(ctx, job); err != nil {
		return state{}, err
	}
	if art.Shape == compile.ShapeBabel {
		return m.driveBabel(ctx, art)
	}
	namespace, err := m.eval(ctx, art.Script, mainFile, evalModule)
	if err != nil {
		return state{}, err
	}
	if art.Shape == compile.ShapeCommand {
		_, err = m.do(ctx, "wait", namespace)
	} else {
		err = m.callComponent(ctx, namespace, art, job)
	}
	if err != nil {
		return state{}, err
	}
	return m.finish(ctx)
}

// globals are scriptArgs and inputRaw, the raw input as text.
func (m *machine) globals(ctx context.Context, job *compile.Job) error {
	args := make([]value.Value, len(job.Args))
	for i, a := range job.Args {
		args[i] = value.OfString(a)
	}
	for name, v := range map[string]value.Value{"scriptArgs": value.OfList(args...), "inputRaw": value.OfString(string(job.Stdin))} {
		n, err := m.newString(ctx, name)
		if err != nil {
			return err
		}
		text, err := m.newString(ctx, v.String())
		if err != nil {
			return err
		}
		if _, err := m.do(ctx, "global", n, text); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) callComponent(ctx context.Context, namespace handle, art *compile.Artifact, job *compile.Job) error {
	args := make([]value.Value, len(job.Inputs))
	for i, in := range job.Inputs {
		args[i] = in.Value
	}
	var outs []value.Value
	for _, name := range strings.Fields(art.Meta[metaOuts]) {
		outs = append(outs, value.OfString(name))
	}
	request, err := m.newString(ctx, value.OfObject(
		value.Field{Name: "func", Value: value.OfString(art.Meta[metaFunc])},
		value.Field{Name: "outs", Value: value.OfList(outs...)},
		value.Field{Name: "args", Value: value.OfList(args...)}).String())
	if err != nil {
		return err
	}
	_, err = m.do(ctx, "call", namespace, request)
	return err
}

// finish runs promise reactions and timers until there is an outcome.
func (m *machine) finish(ctx context.Context) (state, error) {
	for {
		if err := m.jobs(ctx); err != nil {
			return state{}, err
		}
		s, done, err := m.poll(ctx)
		if err != nil {
			return s, err
		}
		ticked, err := m.tick(ctx)
		switch {
		case err != nil:
			return s, err
		case ticked: // a program ends when nothing is left to do
		case done:
			return s, nil
		default:
			return s, &thrown{Name: "Error", Message: "the promise never settles: nothing is left that could settle it"}
		}
	}
}

func (m *machine) poll(ctx context.Context) (state, bool, error) {
	v, err := m.do(ctx, "poll")
	if err != nil {
		return state{}, false, err
	}
	text, err := m.text(ctx, v)
	if err != nil || text == "" {
		return state{}, false, err
	}
	var s state
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, false, fmt.Errorf("quickjs: %w", err)
	}
	return s, true, nil
}

func (m *machine) tick(ctx context.Context) (bool, error) {
	v, err := m.do(ctx, "tick")
	if err != nil {
		return false, err
	}
	text, err := m.text(ctx, v)
	return text != "", err
}

// finish reads the outcome of a program that did not throw.
func finish(out *compile.Outcome, art *compile.Artifact, s state) error {
	switch art.Shape {
	case compile.ShapeBabel:
		return finishBabel(out, art, s)
	case compile.ShapeCommand:
		out.Value = value.OfString(string(out.Stdout))
		return nil
	}
	if s.JSON == "" {
		return nil
	}
	v, err := value.ParseJSON([]byte(s.JSON))
	out.Value = v
	return err
}

// fail records an exception: exit code 1, the message with its place in the
// org file on stderr.
func fail(out *compile.Outcome, art *compile.Artifact, t *thrown) {
	out.Exit = 1
	out.Stderr = append(out.Stderr, fmt.Sprintf("%s: %s\n%s", place(art, t), t.Error(), orgStack(art, t.Stack))...)
}

// outputBudget is the output limit of both streams together.
type outputBudget struct{ left, limit int64 }

func memoryLimit(l sandbox.Limits) int64 {
	if l.Memory == 0 {
		return sandbox.DefaultLimits.Memory
	}
	return l.Memory
}

func outputLimit(l sandbox.Limits) int64 {
	if l.Output == 0 {
		return sandbox.DefaultLimits.Output
	}
	return l.Output
}

func (b *outputBudget) writer(keep *bytes.Buffer, listener io.Writer) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		if b.limit > 0 {
			if b.left -= int64(len(p)); b.left < 0 {
				return 0, &sandbox.LimitError{Kind: sandbox.LimitOutput, Limit: b.limit}
			}
		}
		keep.Write(p)
		if listener != nil {
			return listener.Write(p)
		}
		return len(p), nil
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
