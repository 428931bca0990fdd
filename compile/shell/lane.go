package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// version changes when the lane does other things with the same source.
const version = "shell lane 2"

// Lane is the lane of sh and bash blocks. Its ScriptRunner runs scripts without one.
type Lane struct {
	*ScriptRunner
	env      *compile.Env
	sessions sessions
}

// New makes the lane in env and registers the toolchains it needs. Nothing is
// installed or loaded yet.
func New(env *compile.Env) *Lane {
	c := clang.New(env)
	env.Tools.Register(toolboxRecipe(env.Engine, c), guestRecipe(env.Engine))
	env.Tools.Register(upstreamRecipes(env.Engine, c)...)
	return &Lane{ScriptRunner: newScriptRunner(env), env: env}
}

// Info describes the lane.
func (l *Lane) Info() compile.Info {
	return compile.Info{
		Name: "sh", Aliases: []string{"bash", "shell", "dash", "ash", "ksh", "mksh", "posh"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Toolchains: []string{toolboxName, guestName}, Args: []string{"hlines"},
		Summary: "POSIX shell and bash with coreutils, grep, sed, awk, find, diff and jq; nothing native runs",
	}
}

// Fingerprint identifies the lane and the programs it runs.
func (l *Lane) Fingerprint() string {
	parts := []string{version}
	for _, name := range append([]string{toolboxName, guestName}, originalToolchains()...) {
		parts = append(parts, l.env.Tools.Fingerprint(name))
	}
	return strings.Join(parts, " ")
}

// Names of the entries of Artifact.Meta.
const (
	metaShell   = "shell"   // "sh" or "bash"
	metaCmdline = "cmdline" // words of :cmdline, NUL between them
	metaBefore  = "before"  // lines of Script ahead of the body
)

// Build lays the block out and checks its syntax, inside the sandbox.
func (l *Lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "%s has no packages", src.Lang)
	}
	shell, err := dialect(src)
	if err != nil {
		return nil, err
	}
	script, before := src.Body, 0
	switch src.Shape {
	case compile.ShapeBabel:
		if script, before, err = expand(src); err != nil {
			return nil, err
		}
	case compile.ShapeCommand:
	default:
		return nil, diag.Errorf(src.At(1, 1), "%s blocks run as a command or as org-babel does, not as %q", src.Lang, src.Shape)
	}
	if err := l.check(ctx, src, shell, script, before); err != nil {
		return nil, err
	}
	art := &compile.Artifact{Lane: l.Info().Name, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Script: script, Meta: map[string]string{
		metaShell: shell, metaBefore: strconv.Itoa(before)}}
	art.SetResults(src.Results)
	if line, ok := src.Arg("cmdline"); ok {
		art.SetWords(metaCmdline, compile.Words(compile.Unquoted(line)))
	}
	return art, nil
}

// checkLimits bound the parser.
var checkLimits = sandbox.Limits{Fuel: 2e9, Memory: 256 << 20, Timeout: 20 * time.Second}

// check parses the script in the sandbox and places a syntax error in the org
// file.
func (l *Lane) check(ctx context.Context, src *compile.Source, shell, script string, before int) error {
	r, err := l.run(ctx, Script{Limits: checkLimits}, []string{checkProgram, shell, script})
	if err != nil {
		if _, ok := errors.AsType[*sandbox.LimitError](err); ok {
			return fmt.Errorf("%s: parsing: %w", src.At(1, 1), err)
		}
		return err
	}
	if r.Exit == 0 {
		return nil
	}
	var line, col int
	place, message, ok := strings.Cut(strings.TrimSpace(string(r.Stdout)), " ")
	if _, err := fmt.Sscanf(place, "%d:%d", &line, &col); err != nil || !ok {
		return diag.Errorf(src.At(1, 1), "the shell's parser failed: %s%s", r.Stdout, r.Stderr)
	}
	if line <= before { // in :prologue or a variable
		return diag.Errorf(src.At(1, 1), "before the body: %s", message)
	}
	return diag.Errorf(src.At(line-before, col), "%s", message)
}

// Run executes a built block.
func (l *Lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	script, err := scriptOf(art, job)
	if err != nil {
		return nil, err
	}
	if job.Session != "" {
		if script.Files, err = l.sessions.enter(job.Session, job.Files); err != nil {
			return nil, err
		}
	}
	r, err := l.ScriptRunner.Run(ctx, script)
	out := &compile.Outcome{Stdout: r.Stdout, Stderr: r.Stderr, Exit: r.Exit, Usage: r.Usage}
	if art.Shape == compile.ShapeBabel {
		out.Value = result(art.Results(), string(r.Stdout))
		if out.Exit != 0 && out.Value.IsNull() {
			out.Value = value.OfString("") // as in Emacs, which makes the result empty
		}
	} else {
		out.Value = value.OfString(string(r.Stdout))
	}
	return out, err
}

// scriptOf is a job as its ScriptRunner wants it.
func scriptOf(art *compile.Artifact, job *compile.Job) (Script, error) {
	stdin, err := standardInput(job)
	script, before := art.Script, art.Meta[metaBefore]
	if job.Session != "" {
		lines, _ := strconv.Atoi(before)
		script, before = inSession(script), strconv.Itoa(lines+1)
	}
	return Script{
		Text: script, Shell: art.Meta[metaShell], Args: append(art.Words(metaCmdline), job.Args...), Options: []string{"--before=" + before}, Stdin: stdin,
		Stdout: job.Stdout, Stderr: job.Stderr, Files: job.Files, Dir: job.Dir, Limits: job.Limits, Caps: job.Caps, Dock: job.Dock,
	}, err
}

// standardInput is the job's, or, in command shape, its inputs: a single string
// raw, anything else as JSON.
func standardInput(job *compile.Job) (io.Reader, error) {
	if job.Stdin != nil || len(job.Inputs) == 0 {
		return bytes.NewReader(job.Stdin), nil
	}
	if len(job.Inputs) == 1 {
		v := job.Inputs[0].Value
		if v.Kind() == value.String {
			return strings.NewReader(v.Text()), nil
		}
		text, err := json.Marshal(v)
		return bytes.NewReader(text), err
	}
	text, err := json.Marshal(value.OfObject(job.Inputs...))
	return bytes.NewReader(text), err
}
