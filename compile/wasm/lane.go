// Package wasm is the lane of programs that somebody else compiled: modules for WASI
// preview 1, and components that export wasi:cli/run (WASI 0.2).
//
// A block is a command line: the file, below the workbook's directory, and words for
// the program. It gets :stdin, and each :var as an environment variable; its output is
// the result. The file is data of the run, like any other that a block reads: a changed
// one runs again.
package wasm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// version changes when equal blocks and files give another result.
const version = "wasm lane 1"

type lane struct{ env *compile.Env }

// New makes the lane. It needs no toolchain.
func New(env *compile.Env) compile.Lane { return &lane{env} }

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{Name: "wasm", Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Summary: "compiled programs in files: WASI preview 1 modules and WASI 0.2 components"}
}

// Fingerprint identifies the lane.
func (l *lane) Fingerprint() string { return version }

// program is what an artifact's script holds, as JSON.
type program struct {
	Words   []string `json:"words"` // the file first
	Env     []string `json:"env,omitempty"`
	Results []string `json:"results,omitempty"`
}

// Build reads the command line.
func (l *lane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "a compiled program has no packages")
	}
	if src.Shape != compile.ShapeBabel && src.Shape != compile.ShapeCommand {
		return nil, diag.Errorf(src.At(1, 1), "wasm blocks do not run as %q", src.Shape).WithHint("a program gets words and :stdin; kernels and functions are written in WAT")
	}
	p := program{Words: compile.Words(strings.TrimSpace(src.Body)), Results: src.Results}
	if len(p.Words) == 0 || strings.Contains(strings.TrimSpace(src.Body), "\n") {
		return nil, diag.Errorf(src.At(1, 1), "a wasm block is one line: a file and words for the program in it").WithHint("tools/hello.wasm --name Ada")
	}
	for _, v := range src.Vars {
		p.Env = append(p.Env, v.Name+"="+value.CellText(v.Value))
	}
	script, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return &compile.Artifact{Lane: "wasm", Shape: src.Shape, Digest: src.Key(version), Script: string(script)}, nil
}

// Run reads the file and runs the program in it.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var p program
	if err := json.Unmarshal([]byte(art.Script), &p); err != nil {
		return nil, fmt.Errorf("wasm artifact: %w", err)
	}
	at := job.Source.At(1, 1)
	code, err := l.read(job, p.Words[0])
	if err != nil {
		failed := diag.Errorf(at, "%s: %v", p.Words[0], err)
		if errors.Is(err, fs.ErrNotExist) {
			failed = diag.Errorf(at, "%s: no such file", p.Words[0]).WithHint("files are those in the directory of the workbook, and below")
		}
		return nil, failed
	}
	module, err := l.env.Engine.Compile(ctx, path.Base(p.Words[0]), code)
	var stdout, stderr bytes.Buffer
	var exit sandbox.Exit
	web := &requests{dock: job.Dock}
	if err == nil {
		command := job.Command(module, append(p.Words, job.Args...), compile.Tee(&stdout, job.Stdout), compile.Tee(&stderr, job.Stderr))
		command.Env = append(command.Env, p.Env...)
		command.HTTP = web.do
		exit, err = l.env.Engine.Run(ctx, command)
	}
	if load := (*sandbox.LoadError)(nil); errors.As(err, &load) {
		return nil, diag.Errorf(at, "%v", load).WithHint(cmp.Or(load.Help, "compile it for wasm32-wasip1 or wasm32-wasip2"))
	}
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Exit: exit.Code, Usage: exit.Usage}
	if out.Value = value.OfString(stdout.String()); art.Shape == compile.ShapeBabel {
		out.Value = compile.Results(p.Results).Read(stdout.String())
	}
	if trap := (*sandbox.TrapError)(nil); errors.As(err, &trap) { // the program's own end
		fmt.Fprintln(compile.Tee(&stderr, job.Stderr), trap)
		out.Stderr, out.Exit, err = stderr.Bytes(), max(1, exit.Code), nil
	}
	denied := web.told()
	if err == nil && out.Exit != 0 && len(denied) > 0 {
		return out, diag.Errorf(at, "%s: %v", path.Base(p.Words[0]), denied[0]).WithHint(denied[0].Help)
	}
	for _, e := range denied { // the program went on without the reply
		fmt.Fprintln(compile.Tee(&stderr, job.Stderr), "wb:", e)
		out.Stderr = stderr.Bytes()
	}
	return out, err
}

// read is the program's file, as the block would see it.
func (l *lane) read(job *compile.Job, name string) ([]byte, error) {
	if job.Files == nil {
		return nil, fs.ErrNotExist
	}
	if !path.IsAbs(name) {
		name = path.Join("/", job.Dir, name)
	}
	return sandbox.ReadFile(job.Files, path.Clean(name)[1:])
}
