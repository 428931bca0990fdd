package shell

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"wb/compile"
	"wb/compile/clang"
	"wb/value"
)

// laneVersion is part of every cache key: raise it when the same source may
// give another result.
const laneVersion = "1"

// Names of the entries of Artifact.Meta.
const (
	metaShell   = "shell"   // "sh" or "bash"
	metaResults = "results" // words of :results
	metaSkip    = "skip"    // lines before the body's first
	metaCmdline = "cmdline" // words of :cmdline, NUL between them
	metaFile    = "file"    // position of the body in the org file
	metaLine    = "line"
	metaCol     = "col"
)

// Lane is the shell as source blocks use it.
type Lane struct {
	*Runner
	name string
}

// New makes the lane in env and registers what it needs.
func New(env *compile.Env) *Lane {
	env.Tools.Register(toolboxRecipe(clang.New(env)), guestRecipe())
	return &Lane{newRunner(env), "sh"}
}

// Info describes the lane.
func (l *Lane) Info() compile.Info {
	return compile.Info{
		Name: "sh", Aliases: []string{"bash", "shell", "dash", "ash", "ksh", "zsh"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeCommand},
		Toolchains: []string{guestName, toolboxName},
		Summary:    "shell scripts (bash) over coreutils, grep, sed, awk, find, diff, jq",
	}
}

// Fingerprint names lane, interpreter and tools.
func (l *Lane) Fingerprint() string {
	tools := l.loader.env.Tools
	return "sh/" + laneVersion + "/" + tools.Fingerprint(guestName) + "/" + tools.Fingerprint(toolboxName)
}

// Build checks the script's grammar and lays it out as ob-shell does.
func (l *Lane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if session, ok := src.Arg("session"); ok && session != "" && session != "none" {
		return nil, compile.Errorf(src.At(1, 1), "shell blocks keep no session %q here", session).WithHint("pass values on with :var, or write files")
	}
	if len(src.Deps) > 0 {
		return nil, compile.Errorf(src.At(1, 1), "the shell has no packages (:deps %s)", strings.Join(src.Deps, " "))
	}
	if src.Shape == compile.ShapeComponent || src.Shape == compile.ShapeKernel {
		return nil, compile.Errorf(src.At(1, 1), "a shell script is a program: it has no functions to call").WithHint("write :exec command; it reads standard input and prints")
	}
	if err := checkGrammar(src); err != nil {
		return nil, err
	}
	art := &compile.Artifact{Lane: l.name, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Script: src.Body, Meta: map[string]string{
		metaShell: dialect(src.Lang), metaResults: strings.Join(src.Results, " "), metaSkip: "0",
		metaFile: src.Pos.File, metaLine: strconv.Itoa(src.Pos.Line), metaCol: strconv.Itoa(src.Pos.Col),
	}}
	if text, ok := src.Arg("cmdline"); ok {
		art.Meta[metaCmdline] = strings.Join(compile.Words(unquote(text)), "\x00")
	}
	if src.Shape == compile.ShapeBabel {
		script, skip := expand(src)
		art.Script, art.Meta[metaSkip] = script, strconv.Itoa(skip)
	}
	return art, nil
}

// dialect is the shell a language word asks for: the plain ones echo escapes.
func dialect(lang string) string {
	switch strings.ToLower(lang) {
	case "sh", "dash", "ash":
		return "sh"
	}
	return "bash"
}

// checkGrammar parses the body, so that a mistake is found before anything
// runs and is reported where it stands.
func checkGrammar(src *compile.Source) error {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src.Body), "")
	var line, col uint
	message := ""
	switch e := err.(type) {
	case nil:
		return nil
	case syntax.ParseError:
		line, col, message = e.Pos.Line(), e.Pos.Col(), e.Text
	case syntax.LangError:
		line, col, message = e.Pos.Line(), e.Pos.Col(), e.Feature+" is not supported"
	default:
		line, col, message = 1, 1, err.Error()
	}
	return compile.Errorf(src.At(int(max(line, 1)), int(max(col, 1))), "%s", message)
}

// Run executes a built script.
func (l *Lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var args []string
	if words := art.Meta[metaCmdline]; words != "" {
		args = strings.Split(words, "\x00")
	}
	result, err := l.Runner.Run(ctx, Script{
		Text: art.Script, Shell: art.Meta[metaShell], Args: append(args, job.Args...), Stdin: bytes.NewReader(job.Stdin),
		Stdout: job.Stdout, Stderr: job.Stderr, Files: job.Files, Dir: job.Dir, Limits: job.Limits, Caps: job.Caps,
	})
	out := &compile.Outcome{Stdout: result.Stdout, Stderr: orgLines(art, result.Stderr), Exit: result.Exit, Usage: result.Usage}
	out.Value = value.OfString(string(result.Stdout))
	if art.Shape == compile.ShapeBabel {
		out.Value = readResult(art, string(result.Stdout))
	}
	return out, err
}

// readResult reads the output as ob-shell does: with an explicit :results
// value it is the exit status, which the last line holds; else text or a table.
func readResult(art *compile.Artifact, stdout string) value.Value {
	source := &compile.Source{Results: strings.Fields(art.Meta[metaResults])}
	if source.Result("value") {
		lines := strings.Split(strings.TrimRight(stdout, "\n"), "\n")
		stdout = lines[len(lines)-1]
	}
	return compile.ReadOutput(source, stdout)
}

// lineMessage is how the interpreter places a message: "bash: line 3: …".
var lineMessage = regexp.MustCompile(`(?m)^(?:ba)?sh: line (\d+): `)

// orgLines turns the line numbers of messages into places in the org file.
func orgLines(art *compile.Artifact, stderr []byte) []byte {
	first, _ := strconv.Atoi(art.Meta[metaLine])
	skip, _ := strconv.Atoi(art.Meta[metaSkip])
	col, _ := strconv.Atoi(art.Meta[metaCol])
	return lineMessage.ReplaceAllFunc(stderr, func(m []byte) []byte {
		n, _ := strconv.Atoi(string(lineMessage.FindSubmatch(m)[1]))
		pos := compile.Position{File: art.Meta[metaFile], Line: first + max(n-skip, 1) - 1, Col: max(col, 1)}
		return fmt.Appendf(nil, "%s: ", pos)
	})
}
