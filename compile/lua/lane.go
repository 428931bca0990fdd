package lua

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/vm"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "3"

// lane is Lua as the rest of wb sees it.
type lane struct {
	*vm.Interpreter
}

// New makes the lane and registers its toolchain, which c builds.
func New(env *compile.Env, c *clang.Compiler) compile.Lane {
	l := &lane{}
	boot := bytes.Replace(boot, []byte("--@wb\n"), []byte(dock.LuaModule()), 1)
	l.Interpreter = vm.New(env, vm.Config{
		Tool: toolName, File: wasmFile, Key: string(boot), Args: []string{"lua"}, Host: host,
		Limits: sandbox.Limits{Memory: 16 << 20},
		Boot: func(ctx context.Context, in *sandbox.Instance) error {
			if _, err := vm.Give(ctx, in, "wb_room", boot); err != nil {
				return err
			}
			status, err := in.Call(ctx, "wb_boot", uint64(len(boot)))
			if err == nil && status[0] != 0 {
				err = fmt.Errorf("boot.lua: status %d", status[0])
			}
			return err
		},
	})
	env.Tools.Register(l.recipe(c))
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "lua", Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Summary: "Lua 5.4 (PUC-Rio) with its standard library",
	}
}

// Fingerprint names lane and interpreter.
func (l *lane) Fingerprint() string { return "lua/" + version + "/" + l.Interpreter.Fingerprint() }

// unit is the result of building a block.
type unit struct{ vm.Unit }

// unpack is the unit of an artifact.
func unpack(art *compile.Artifact) (*unit, error) {
	u := &unit{}
	u.Code = art.Script
	return u, art.Unit(u)
}

// Build checks the block's syntax.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "packages (:deps %s) cannot be fetched for Lua", strings.Join(src.Deps, " ")).
			WithHint("put modules written in Lua into a directory and name it with :dir")
	}
	if src.Shape == compile.ShapeKernel {
		return nil, diag.Errorf(src.At(1, 1), "Lua has no kernel shape").WithHint("kernels are written in C or WAT")
	}
	before, after, err := surroundings(src)
	if err != nil {
		return nil, err
	}
	u := &unit{vm.NewUnit(src, before, after)}
	if err := l.check(ctx, src, u); err != nil {
		return nil, err
	}
	return compile.NewScript(l, src, u.Code, u)
}

// check compiles the block without running it.
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
	if a.Failure != nil {
		pos, message := u.place(src, a.Failure.Message)
		return diag.Errorf(pos, "%s", message)
	}
	return nil
}

// request is a request to boot.lua.
type request struct {
	Kind string        `json:"kind"` // check, program, value or component
	Code string        `json:"code"`
	Dir  string        `json:"dir,omitempty"`
	Args []value.Value `json:"-"` // of the program or the function
	N    int           `json:"n"` // of arguments
	Func string        `json:"func"`
	Outs []string      `json:"outs"`
	PP   bool          `json:"pp"`            // show tables as :results pp does
	Raw  *string       `json:"raw,omitempty"` // the run's input, for a function without inputs
	Seed *int64        `json:"seed,omitempty"`
}

// head is the request as JSON, up to its arguments.
func (r request) head() ([]byte, error) {
	r.N = len(r.Args)
	if r.Outs == nil {
		r.Outs = []string{}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(text[:len(text)-1], `,"args":`...), nil
}

// arguments ends a request with its arguments. An integer that Lua would round
// is an error; boot.lua is told of floats that JSON has no number for.
func (r request) arguments(head []byte) ([]byte, error) {
	args := value.OfList(r.Args...)
	if big, found := firstBig(args); found {
		return nil, fmt.Errorf("an input holds %s, and Lua's integers end at 2^63-1: pass it as text", big)
	}
	text := args.AppendJSON(head)
	if bytes.Contains(text[len(head):], []byte(`{"$float":`)) {
		text = append(text, `,"floats":true`...)
	}
	return append(text, '}'), nil
}

// firstBig finds an integer above 2^63-1 in a value.
func firstBig(v value.Value) (value.Value, bool) {
	if v.IsBig() {
		return v, true
	}
	for _, item := range v.Items() {
		if big, found := firstBig(item); found {
			return big, true
		}
	}
	for _, field := range v.Fields() {
		if big, found := firstBig(field.Value); found {
			return big, true
		}
	}
	return value.Value{}, false
}

// answer is the answer of boot.lua.
type answer struct {
	Failure *failure `json:"failure"`
	N       int      `json:"n"`    // values returned
	Text    string   `json:"text"` // as ob-lua shows them
	JSON    string   `json:"json"` // a table, or the function's outputs
}

// failure is an error that the block did not catch.
type failure struct {
	Message string   `json:"message"` // "block:3: attempt to …"
	Stack   []string `json:"-"`
	Frames  any      `json:"stack"` // a list, or {} when it is empty
}

// ask sends a request to a machine.
func ask(ctx context.Context, m *vm.Machine, r request) (*answer, error) {
	text, err := r.head()
	if err != nil {
		return nil, err
	}
	if text, err = r.arguments(text); err != nil {
		return nil, err
	}
	if _, err := m.Give(ctx, "wb_room", text); err != nil {
		return nil, err
	}
	status, err := m.Call(ctx, "wb_run", uint64(len(text)))
	if err != nil {
		return nil, err
	}
	reply, err := reply(ctx, m)
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if status[0] != 0 {
		a.Failure = &failure{Message: string(reply)}
	} else if err := json.Unmarshal(reply, a); err != nil {
		return nil, fmt.Errorf("lua: answer: %w", err)
	}
	if f := a.Failure; f != nil {
		if list, ok := f.Frames.([]any); ok {
			for _, line := range list {
				f.Stack = append(f.Stack, fmt.Sprint(line))
			}
		}
		if m.MemoryRefused() && f.Message == "not enough memory" {
			return nil, m.OutOfMemory()
		}
	}
	return a, nil
}

// reply reads the guest's answer.
func reply(ctx context.Context, m *vm.Machine) ([]byte, error) {
	at, err := m.Call(ctx, "wb_answer")
	if err != nil {
		return nil, err
	}
	n, err := m.Call(ctx, "wb_answer_len")
	if err != nil {
		return nil, err
	}
	view, ok := m.Memory().Read(uint32(at[0]), uint32(n[0]))
	if !ok {
		return nil, errors.New("lua: the answer lies outside memory")
	}
	return append([]byte(nil), view...), nil
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
	if err == nil && a.Failure == nil {
		err = u.conclude(out, art.Shape, a, m)
	} else if err == nil {
		out.Exit = 1
		fmt.Fprint(&m.Stderr, u.report(job.Source, a.Failure))
	}
	err = m.Conclude(out, err)
	release(alive)
	if out.Value.IsNull() && art.Shape != compile.ShapeComponent {
		out.Value = u.Printed(art.Shape, string(out.Stdout))
	}
	return out, err
}

// request is what the unit asks of boot.lua in a shape.
func (u *unit) request(shape compile.Shape, job *compile.Job) request {
	r := request{Kind: "program", Code: u.Code, Dir: job.Dir, Func: u.Func, Outs: u.Outs, Seed: vm.Seed(job)}
	switch {
	case shape == compile.ShapeComponent:
		r.Kind = "component"
		for _, in := range job.Inputs {
			r.Args = append(r.Args, in.Value)
		}
		if len(r.Args) == 0 {
			raw := string(job.Stdin)
			r.Raw = &raw
		}
	case shape == compile.ShapeBabel && u.WantsValue():
		r.Kind, r.PP = "value", u.Results.Has("pp")
	default:
		for _, word := range job.Args {
			r.Args = append(r.Args, value.OfString(word))
		}
	}
	return r
}

// conclude reads the result of a run that has ended well.
func (u *unit) conclude(out *compile.Outcome, shape compile.Shape, a *answer, m *vm.Machine) (err error) {
	switch {
	case shape == compile.ShapeComponent:
		out.Value, err = value.ParseJSON([]byte(a.JSON))
	case shape == compile.ShapeBabel && u.WantsValue():
		out.Value, err = u.readValue(a)
	default:
		out.Value = u.Printed(shape, m.Stdout.String())
	}
	return err
}
