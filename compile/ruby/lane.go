package ruby

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/vm"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/tangle/babel"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "4"

// boot runs in the interpreter before it is frozen.
//
//go:embed guest/boot.rb
var boot string

// lane is Ruby as the rest of wb sees it.
type lane struct {
	*vm.Interpreter
}

// New makes the lane and registers its toolchain.
func New(env *compile.Env) compile.Lane {
	l := &lane{}
	l.Interpreter = vm.New(env, vm.Config{
		Tool: toolName, File: wasmFile, Key: boot + dock.RubyModule(), Args: []string{"ruby"}, Host: host(),
		Limits: sandbox.Limits{Memory: 256 << 20, Timeout: -1, Fuel: -1}, Boot: start,
	})
	env.Tools.Register(l.recipe())
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "ruby", Aliases: []string{"rb"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Summary: "Ruby 3.4 (CRuby) with its standard library",
	}
}

// Fingerprint names lane and interpreter.
func (l *lane) Fingerprint() string { return "ruby/" + version + "/" + l.Interpreter.Fingerprint() }

// unit is the result of building a block. Ruby is told to call line Skip+1 line 1.
type unit struct {
	vm.Unit
	Session bool `json:"session,omitempty"`
	// Large are variables that the code finds by WB.large.
	Large map[string]json.RawMessage `json:"large,omitempty"`
}

// newUnit lays a block out.
func newUnit(src *compile.Source) (*unit, error) {
	if src.Shape != compile.ShapeBabel {
		return &unit{Unit: vm.NewUnit(src, "", "")}, nil
	}
	u := &unit{Session: src.InSession(), Large: map[string]json.RawMessage{}}
	params := src.Babel()
	params.Keep = func(name, text string) string {
		u.Large[name] = json.RawMessage(text)
		return "WB.large(" + quote(name) + ")"
	}
	before, after, err := babel.Surround("ruby", params)
	u.Unit = vm.NewUnit(src, before, after)
	return u, src.BabelError(err)
}

// unpack is the unit of an artifact.
func unpack(art *compile.Artifact) (*unit, error) {
	u := &unit{}
	u.Code = art.Script
	return u, art.Unit(u)
}

// Build checks the block's syntax.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "gems (:deps %s) cannot be fetched", strings.Join(src.Deps, " ")).
			WithHint("put gems written in Ruby into a directory, name it with :dir and use require_relative")
	}
	if src.Shape == compile.ShapeKernel {
		return nil, diag.Errorf(src.At(1, 1), "Ruby has no kernel shape").WithHint("kernels are written in C or WAT")
	}
	u, err := newUnit(src)
	if err != nil {
		return nil, err
	}
	if err := l.check(ctx, src, u); err != nil {
		return nil, err
	}
	return compile.NewScript(l, src, u.Code, u)
}

// check parses the block without running it.
func (l *lane) check(ctx context.Context, src *compile.Source, u *unit) error {
	m, release, err := l.Acquire(ctx, &compile.Job{})
	if err != nil {
		return err
	}
	defer release(false)
	a, err := ask(ctx, m, request{Kind: "check", Code: u.Code})
	if err != nil {
		return err
	}
	e := &diag.FindingsError{}
	for _, s := range a.Syntax {
		if u.tolerates(s.Message) {
			continue
		}
		line := s.Line - u.Skip
		pos := src.At(1, 1)
		if line >= 1 {
			pos = src.At(min(line, u.Lines), s.Col)
		}
		e.Findings = append(e.Findings, diag.Finding{Pos: pos, Severity: diag.Error, Message: s.Message})
	}
	if len(e.Findings) > 0 {
		return e
	}
	return nil
}

// tolerates reports whether a message of the parser is about something that is
// right where the code will stand.
func (u *unit) tolerates(message string) bool {
	return strings.Contains(strings.ToLower(message), "invalid return")
}

// request is a request to boot.rb.
type request struct {
	Kind    string                     `json:"kind"` // check, program, value or component
	Code    string                     `json:"code"`
	Skip    int                        `json:"skip"`
	Dir     string                     `json:"dir,omitempty"`
	Words   []string                   `json:"words"` // ARGV
	Args    []value.Value              `json:"-"`     // of the method
	Func    string                     `json:"func"`
	Outs    []string                   `json:"outs"`
	PP      bool                       `json:"pp"`
	Session bool                       `json:"session"`
	Seed    *int64                     `json:"seed,omitempty"`
	Large   map[string]json.RawMessage `json:"large,omitempty"`
	Raw     string                     `json:"-"` // standard input
}

// head is the request as JSON, up to its standard input, which is followed by
// its arguments.
func (r request) head() ([]byte, error) {
	if r.Outs == nil {
		r.Outs = []string{}
	}
	if r.Words == nil {
		r.Words = []string{}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(text[:len(text)-1], `,"raw":`...), nil
}

// answer is the answer of boot.rb.
type answer struct {
	Syntax  []syntaxError   `json:"syntax"`
	Failure *failure        `json:"failure"`
	Exit    *int            `json:"exit"`
	Text    string          `json:"text"`   // of a value
	String  bool            `json:"string"` // whether it is a string
	Cells   *value.Value    `json:"-"`
	Raw     json.RawMessage `json:"cells"` // an array
	Value   json.RawMessage `json:"value"` // of a component
}

type syntaxError struct {
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"`
}

// failure is an exception that the block did not rescue.
type failure struct {
	Class   string  `json:"class"`
	Message string  `json:"message"`
	Memory  bool    `json:"memory"`
	Col     int     `json:"col"`
	Stack   []frame `json:"stack"`
}

type frame struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Label string `json:"label"`
}

// ask sends a request to a machine.
func ask(ctx context.Context, m *vm.Machine, r request) (*answer, error) {
	text, err := r.head()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(r.Raw)
	if err != nil {
		return nil, err
	}
	text = append(append(text, raw...), `,"args":`...)
	reply, err := call(ctx, m, append(value.OfList(r.Args...).AppendJSON(text), '}'))
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if err := json.Unmarshal(reply, a); err != nil {
		return nil, fmt.Errorf("ruby: answer: %w", err)
	}
	if f := a.Failure; f != nil && f.Memory && m.MemoryRefused() {
		return nil, m.OutOfMemory()
	}
	return a, nil
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	m, release, err := l.Acquire(ctx, job)
	if err != nil {
		return nil, err
	}
	out := &compile.Outcome{}
	a, err := ask(ctx, m, u.request(art.Shape, job))
	alive := err == nil
	switch {
	case err != nil:
	case a.Exit != nil:
		out.Exit = *a.Exit
	case a.Failure != nil:
		out.Exit = 1
		fmt.Fprint(&m.Stderr, u.report(job.Source, a.Failure))
	case art.Shape == compile.ShapeComponent:
		out.Value, err = value.ParseJSON(a.Value)
	case art.Shape == compile.ShapeBabel && u.WantsValue():
		out.Value, err = u.readValue(a)
	}
	err = m.Conclude(out, err)
	release(alive)
	if out.Value.IsNull() && art.Shape != compile.ShapeComponent {
		out.Value = u.Printed(art.Shape, string(out.Stdout))
	}
	return out, err
}

// request is what the unit asks of boot.rb in a shape.
func (u *unit) request(shape compile.Shape, job *compile.Job) request {
	r := request{Kind: "program", Code: u.Code, Skip: u.Skip, Dir: job.Dir, Func: u.Func, Outs: u.Outs, Words: job.Args, Raw: string(job.Stdin), Session: u.Session, Seed: vm.Seed(job), Large: u.Large}
	switch {
	case shape == compile.ShapeComponent:
		r.Kind = "component"
		for _, in := range job.Inputs {
			r.Args = append(r.Args, in.Value)
		}
	case shape == compile.ShapeBabel && (u.WantsValue() || u.Session):
		r.Kind, r.PP = "value", u.Results.Has("pp")
	}
	return r
}
