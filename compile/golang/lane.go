package golang

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// lane is Go as the rest of wb sees it.
type lane struct{ *Compiler }

// New is the lane of Go blocks. It registers its toolchain in env; nothing is
// installed or loaded yet.
func New(env *compile.Env) compile.Lane { return lane{newCompiler(env)} }

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "go", Compiles: true, Aliases: []string{"golang"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel},
		Toolchains: []string{toolName}, Summary: "Go " + goVersion() + ", the real compiler, with most of the standard library"}
}

// SourceEndings are those of files in :dir that belong to a program.
func (lane) SourceEndings(*compile.Source) []string { return []string{".go", "go.mod"} }

// Build compiles and links a block.
func (l lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "go is compiled: it has no sessions")
	}
	t, err := l.tool(ctx)
	if err != nil {
		return nil, err
	}
	switch src.Shape {
	case compile.ShapeComponent:
		return l.buildComponent(ctx, t, src)
	case compile.ShapeKernel:
		return l.buildKernel(ctx, t, src)
	}
	return l.buildProgram(ctx, t, src)
}

// Names of the entries of Artifact.Meta.
const (
	metaArgs = "args" // words of :args, NUL between them
)

// buildProgram builds a program with main.
func (l lane) buildProgram(ctx context.Context, t *tool, src *compile.Source) (*compile.Artifact, error) {
	b, err := newBlock(src, t.std, true)
	if err != nil {
		return nil, err
	}
	if b.pkg != "main" {
		return nil, diag.Errorf(src.At(1, 1), "package %s is not a program", b.pkg).WithHint("a program is package main; without a package clause wb adds it")
	}
	wasm, err := l.make(ctx, t, b, nil, modeProgram)
	if err != nil {
		return nil, err
	}
	art := l.artifact(src, wasm)
	art.SetResults(src.Results)
	art.SetWords(metaArgs, append(src.ArgWords("args"), src.ArgWords("cmdline")...))
	return art, nil
}

func (l lane) artifact(src *compile.Source, wasm []byte) *compile.Artifact {
	return &compile.Artifact{Lane: toolName, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Wasm: wasm, Meta: make(map[string]string)}
}

// make compiles a block with the files of :dir and glue, and links the whole.
func (l lane) make(ctx context.Context, t *tool, b *block, glue []file, m mode) ([]byte, error) {
	s := newSources(b.src, t.std, b.shift)
	if err := l.addModules(ctx, s, b.src); err != nil {
		return nil, err
	}
	root := unit{path: "main", files: append(append(b.files(), s.beside(b.pkg)...), glue...)}
	if b.pkg != "main" {
		root.path = b.pkg
	}
	if err := s.add(root); err != nil {
		return nil, err
	}
	start := file{startFile, []byte(startUp)}
	if last := &s.units[len(s.units)-1]; b.pkg == "main" {
		last.files = append(last.files, start)
	} else {
		main := file{glueFile, []byte(fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", b.pkg))}
		s.units = append(s.units, unit{path: "main", files: []file{main, start}})
	}
	made := &build{compiler: l.Compiler, tool: t}
	for _, u := range s.units {
		object, messages, err := made.compile(ctx, u)
		if err != nil {
			return nil, b.src.Misbuilt(err)
		}
		if object == nil {
			return nil, b.buildError(messages)
		}
	}
	wasm, messages, err := made.link(ctx, m)
	if err != nil {
		return nil, b.src.Misbuilt(err)
	}
	if wasm == nil {
		return nil, b.linkError(messages)
	}
	return wasm, nil
}

// Run executes a built block.
func (l lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	switch art.Shape {
	case compile.ShapeComponent:
		return l.runComponent(ctx, art, job)
	case compile.ShapeKernel:
		return l.runKernel(ctx, art, job)
	}
	return l.runProgram(ctx, art, job)
}

// command is how a program is started.
func (l lane) command(ctx context.Context, art *compile.Artifact, job *compile.Job, args []string, stdout, stderr io.Writer) (sandbox.Command, error) {
	module, err := l.env.Engine.Compile(ctx, "go block", art.Wasm, sandbox.FromCompiler(), sandbox.MayBeBrief())
	if err != nil {
		return sandbox.Command{}, err
	}
	command := job.Command(module, append([]string{"block"}, args...), stdout, stderr)
	command.Env, command.Files = environment(job), job.Docked(ctx)
	return command, nil
}

// environment tunes the collector to the memory that the job may use: it
// starts late and works hard only near the limit.
func environment(job *compile.Job) []string {
	env := []string{"GOTRACEBACK=single"}
	if limit := cmp.Or(job.Limits.Memory, sandbox.DefaultLimits.Memory); limit > 0 {
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", limit*3/4))
	}
	return env
}

// crashExit is the exit code of a Go program that panics.
const crashExit = 2

// runProgram starts main and reads what it prints.
func (l lane) runProgram(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var stdout bytes.Buffer
	stderr := newStderr(job)
	command, err := l.command(ctx, art, job, append(art.Words(metaArgs), job.Args...), compile.Tee(&stdout, job.Stdout), stderr)
	if err != nil {
		return nil, err
	}
	running, cancel := stderr.stoppable(ctx)
	defer cancel()
	exit, err := l.env.Engine.Run(running, command)
	switch crashed := stderr.finish(); {
	case crashed == nil:
	case err == nil && crashed.outOfMemory:
		err = crashed.limit(job)
	case crashed.overflow && ctx.Err() == nil:
		exit.Code, err = crashExit, nil
	}
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.kept.Bytes(), Exit: exit.Code, Usage: exit.Usage}
	if art.Shape == compile.ShapeBabel {
		out.Value = readOutput(art.Results(), stdout.String())
	} else {
		out.Value = value.OfString(stdout.String())
	}
	return out, err
}

// readOutput makes a value of what a program printed, as ob-go does: a table
// where one is asked for, else a number or text without the blanks around it.
func readOutput(results compile.Results, stdout string) value.Value {
	switch {
	case results.Has("discard"):
		return value.Nil()
	case results.AsText():
		return value.OfString(stdout)
	case results.Has("table") || results.Has("vector") || results.Has("list"):
		return compile.ImportTable(stdout)
	}
	text := strings.TrimSpace(stdout)
	if v := compile.ReadCell(text); v.Kind() != value.String {
		return v
	}
	return value.OfString(text)
}
