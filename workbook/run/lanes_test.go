package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/tangle/elisp"
)

// fakeLane is a language for tests: run does all the work.
type fakeLane struct {
	info   compile.Info
	print  string // fingerprint
	run    func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error)
	builds atomic.Int64
	runs   atomic.Int64
}

func (l *fakeLane) Info() compile.Info  { return l.info }
func (l *fakeLane) Fingerprint() string { return l.info.Name + "/" + l.print }

// builtSources carries what Build saw to Run, by digest.
var builtSources sync.Map

func (l *fakeLane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	l.builds.Add(1)
	if line, col, bad := findText(src.Body, "SYNTAX ERROR"); bad {
		return nil, diag.Errorf(src.At(line, col), "syntax error")
	}
	key := src.Key(l.Fingerprint())
	builtSources.Store(key, src)
	return &compile.Artifact{Lane: l.info.Name, Shape: src.Shape, Digest: key}, nil
}

func (l *fakeLane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	l.runs.Add(1)
	src, _ := builtSources.Load(art.Digest)
	return l.run(ctx, src.(*compile.Source), job)
}

func findText(body, text string) (line, col int, ok bool) {
	i := strings.Index(body, text)
	if i < 0 {
		return 0, 0, false
	}
	line, col = strings.Count(body[:i], "\n")+1, i-strings.LastIndex(body[:i], "\n")
	return line, col, true
}

// allShapes are the shapes the fake lanes claim.
var allShapes = []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand}

// lispLane evaluates blocks as Emacs Lisp, with the little evaluator that
// header arguments have.
func lispLane() *fakeLane {
	return &fakeLane{info: compile.Info{Name: "emacs-lisp", Aliases: []string{"elisp"}, Shapes: allShapes},
		run: func(_ context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
			env := &elisp.Env{Vars: map[elisp.Symbol]elisp.Value{}}
			for _, v := range src.Vars {
				env.Vars[elisp.Symbol(v.Name)] = elisp.FromValue(v.Value)
			}
			for _, in := range job.Inputs {
				env.Vars[elisp.Symbol(in.Name)] = elisp.FromValue(in.Value)
			}
			if len(job.Stdin) > 0 {
				env.Vars["stdin"] = elisp.String(job.Stdin)
			}
			v, err := elisp.Eval("(progn "+src.Body+"\n)", env)
			if err != nil {
				return &compile.Outcome{Exit: 1, Stderr: []byte(err.Error())}, nil
			}
			if src.Shape == compile.ShapeCommand {
				return &compile.Outcome{Stdout: []byte(elisp.Princ(v))}, nil
			}
			if src.Shape == compile.ShapeBabel && src.Results.AsText() && !src.Results.Has("raw") || src.Results.Has("raw") || src.Results.Has("org") {
				if s, isString := v.(elisp.String); isString {
					return &compile.Outcome{Value: value.OfString(string(s))}, nil
				}
				return &compile.Outcome{Value: value.OfString(lispText(src, v))}, nil
			}
			return &compile.Outcome{Value: lispValue(v)}, nil
		}}
}

// lispText prints a value as ob-emacs-lisp does for results wanted as text.
func lispText(src *compile.Source, v elisp.Value) string {
	if src.Results.Has("pp") {
		return "(a\n (b c)\n \"d\")\n" // what pp makes of the one value the fixtures print
	}
	return elisp.Print(v)
}

// lispValue keeps nil apart from the empty list, and pairs as text.
func lispValue(v elisp.Value) value.Value {
	if elisp.IsNil(v) {
		return value.Nil()
	}
	if s, ok := v.(elisp.Symbol); ok {
		return value.OfString(string(s))
	}
	converted, err := elisp.ToValue(v)
	if err != nil {
		return value.OfString(elisp.Print(v))
	}
	return lispNils(converted)
}

// lispNils spells out null inside tables, as Emacs does.
func lispNils(v value.Value) value.Value {
	if v.Kind() != value.List {
		return v
	}
	items := make([]value.Value, len(v.Items()))
	for i, item := range v.Items() {
		switch {
		case item.IsNull():
			items[i] = value.OfString("nil")
		case item.Kind() == value.Bool:
			items[i] = value.OfString("t")
		default:
			items[i] = lispNils(item)
		}
	}
	return value.OfList(items...)
}

// shLane runs blocks with the machine's own shell; only tests may.
func shLane() *fakeLane {
	return &fakeLane{info: compile.Info{Name: "sh", Aliases: []string{"bash", "shell"}, Shapes: allShapes}, run: runShell}
}

func runShell(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	var script strings.Builder
	if pro, ok := src.Arg("prologue"); ok {
		script.WriteString(strings.Trim(pro, `"`) + "\n")
	}
	for _, v := range src.Vars {
		fmt.Fprintf(&script, "%s='%s'\n", v.Name, strings.ReplaceAll(shellText(v.Value, "\t", "hline"), "'", `'"'"'`))
	}
	script.WriteString(src.Body + "\n")
	if epi, ok := src.Arg("epilogue"); ok {
		script.WriteString(strings.Trim(epi, `"`) + "\n")
	}
	if src.Shape == compile.ShapeBabel && src.Results.Has("value") {
		script.WriteString("echo $?\n")
	}
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Args = append([]string{"sh", "-c", script.String(), "sh"}, job.Args...)
	cmd.Dir = job.Dir
	cmd.Stdin = bytes.NewReader(job.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.Exit = exit.ExitCode()
	} else if err != nil {
		return nil, err
	}
	text := stdout.String()
	if src.Shape != compile.ShapeBabel {
		return out, nil
	}
	if src.Results.Has("value") {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		text = lines[len(lines)-1] + "\n"
	}
	out.Value = src.Results.Read(text)
	return out, nil
}

// pythonLane knows the blocks of the fixtures and what Python makes of them.
func pythonLane() *fakeLane {
	s := value.OfString
	list := value.OfList
	known := map[string]value.Value{
		"return 1 + 1":                    value.OfInt(2),
		"return 3":                        value.OfInt(3),
		`return [[1, 2], [3, "x"]]`:       list(list(value.OfInt(1), value.OfInt(2)), list(value.OfInt(3), s("x"))),
		`return {"a": 1}`:                 s("{'a': 1}"),
		"return None":                     s("None"),
		`return "multi\nline"`:            s("multi\nline"),
		"print(\"hello\")\nprint([1, 2])": s("hello\n[1, 2]\n"),
		"return True":                     s("True"),
		`return [("a", 1), ("b", 2)]`:     list(list(s("a"), value.OfInt(1)), list(s("b"), value.OfInt(2))),
		`return [1, 2.5, None, "s"]`:      list(value.OfInt(1), value.OfFloat(2.5), value.Rule(), s("s")),
	}
	return &fakeLane{info: compile.Info{Name: "python", Shapes: allShapes},
		run: func(_ context.Context, src *compile.Source, _ *compile.Job) (*compile.Outcome, error) {
			v, ok := known[src.Body]
			if !ok {
				return nil, fmt.Errorf("the test does not know python block %q", src.Body)
			}
			return &compile.Outcome{Value: v}, nil
		}}
}

// jsonLane is a language whose blocks say what they do:
//
//	return JSON          gives a value
//	input NAME           gives an input or variable
//	sum NAME…            adds numbers up
//	print TEXT           prints
//	fail CODE MESSAGE    ends with an exit code
//	read FILE            gives a file's content
//	write FILE TEXT      makes a file
//	stdin                gives standard input
//	sleep MS             takes its time
//	wait                 runs until it is stopped
func jsonLane() *fakeLane {
	l := &fakeLane{info: compile.Info{Name: "toy", Shapes: allShapes}}
	l.run = func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
		out := &compile.Outcome{Usage: sandbox.Usage{Fuel: int64(len(src.Body))}}
		given := map[string]value.Value{}
		for _, v := range src.Vars {
			given[v.Name] = v.Value
		}
		for _, in := range job.Inputs {
			given[in.Name] = in.Value
		}
		for _, statement := range strings.Split(src.Body, "\n") {
			if err := toyStatement(ctx, statement, given, src, job, out); err != nil || out.Exit != 0 {
				return out, err
			}
		}
		if src.Shape == compile.ShapeCommand && len(out.Stdout) == 0 {
			out.Stdout = streamText(out.Value)
		}
		return out, nil
	}
	return l
}

func toyStatement(ctx context.Context, statement string, given map[string]value.Value, src *compile.Source, job *compile.Job, out *compile.Outcome) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(statement), " ")
	switch word {
	case "return":
		v, err := value.ParseJSON([]byte(rest))
		out.Value = v
		return err
	case "input":
		v, ok := given[rest]
		if !ok {
			out.Exit, out.Stderr = 1, []byte(src.At(1, 1).String()+": no input "+rest)
		}
		out.Value = v
	case "sum":
		var total int64
		for _, name := range strings.Fields(rest) {
			total += given[name].Int()
		}
		out.Value = value.OfInt(total)
	case "print":
		out.Stdout = append(out.Stdout, rest+"\n"...)
		if src.Results.Has("output") {
			out.Value = value.OfString(string(out.Stdout))
		}
	case "fail":
		code, message, _ := strings.Cut(rest, " ")
		fmt.Sscan(code, &out.Exit)
		out.Stderr = []byte(message)
	case "read":
		data, err := sandbox.ReadFile(job.Files, rest)
		if err != nil {
			out.Exit, out.Stderr = 1, []byte(err.Error())
			return nil
		}
		out.Value = value.OfString(string(data))
	case "write":
		name, text, _ := strings.Cut(rest, " ")
		return sandbox.WriteFile(job.Files, name, []byte(text))
	case "stdin":
		out.Value = value.OfString(string(job.Stdin))
	case "sleep":
		var ms int
		fmt.Sscan(rest, &ms)
		time.Sleep(time.Duration(ms) * time.Millisecond)
	case "wait":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// testLanes are all of them.
func testLanes(t testing.TB, more ...compile.Lane) *compile.Registry {
	t.Helper()
	lanes := append([]compile.Lane{lispLane(), shLane(), pythonLane()}, more...)
	if len(more) == 0 {
		lanes = append(lanes, jsonLane())
	}
	registry, err := compile.NewRegistry(lanes...)
	if err != nil {
		t.Fatal(err)
	}
	return registry
}
