package textfilter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/shell"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/tangle/babel"
)

// version changes when the lanes do other things with the same source.
const version = "filter lane 1"

// language describes one filter language.
type language interface {
	info() compile.Info
	// check is a command line that parses the program without running it.
	check(p *program) []string
	// command is the command line of a job.
	command(p *program, job *compile.Job) ([]string, error)
	// place finds where a message of the program points to, and the message
	// without that place. Line is 0 when it points nowhere.
	place(p *program, message string) (line, col int, rest string)
	// read turns output into the value of the block.
	read(p *program, stdout string) (value.Value, error)
}

// Lanes makes the lanes of all filter languages, which run on sh.
func Lanes(sh *shell.Lane) []compile.Lane {
	return []compile.Lane{&lane{awk{}, sh}, &lane{sed{}, sh}, &lane{jq{}, sh}}
}

type lane struct {
	language
	sh *shell.Lane
}

// program is the content of an artifact's script, as JSON.
type program struct {
	Text    string          `json:"text"`
	Before  int             `json:"before,omitempty"` // lines of Text ahead of the block's
	Options []string        `json:"options,omitempty"`
	Files   []string        `json:"files,omitempty"`
	Vars    []binding       `json:"vars,omitempty"`
	Params  []string        `json:"params,omitempty"` // names of inputs, for jq
	Shape   compile.Shape   `json:"shape"`
	Results compile.Results `json:"results,omitempty"`
}

// binding is a variable; Text is how awk sees it, JSON how jq does.
type binding struct{ Name, Text, JSON string }

// Info describes the lane.
func (l *lane) Info() compile.Info {
	info := l.info()
	info.Toolchains = l.sh.Info().Toolchains
	if info.Name != "jq" { // a toolchain of its own
		info.Toolchains = append(slices.Clone(info.Toolchains), info.Name)
	}
	return info
}

// Fingerprint identifies the lane and the programs it runs.
func (l *lane) Fingerprint() string { return version + " " + l.sh.Fingerprint() }

// Build lays the program out and checks its syntax inside the sandbox.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "%s has no packages", src.Lang)
	}
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "%s blocks have no sessions: each is a program of its own", src.Lang)
	}
	if !slices.Contains(l.info().Shapes, src.Shape) {
		return nil, diag.Errorf(src.At(1, 1), "%s blocks do not run as %q", src.Lang, src.Shape)
	}
	p := newProgram(src)
	if err := l.parse(ctx, src, p); err != nil {
		return nil, err
	}
	script, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return &compile.Artifact{Lane: l.info().Name, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Script: string(script)}, nil
}

// newProgram adds the prologue and epilogue to a block and reads its header
// arguments.
func newProgram(src *compile.Source) *program {
	p := &program{Text: src.Body, Shape: src.Shape, Results: src.Results}
	if text, ok := argument(src, "prologue"); ok {
		p.Before = 1 + strings.Count(text, "\n")
		p.Text = text + "\n" + p.Text
	}
	if text, ok := argument(src, "epilogue"); ok {
		p.Text = strings.TrimSuffix(p.Text, "\n") + "\n" + text + "\n"
	}
	if line, ok := argument(src, "cmd-line"); ok {
		p.Options = compile.Words(line)
	}
	if files, ok := argument(src, "in-file"); ok {
		p.Files = compile.Words(files)
	}
	for _, v := range src.Vars {
		p.Vars = append(p.Vars, binding{v.Name, babel.Text(babel.Of(v.Value)), v.Value.String()})
	}
	p.Params = src.Params
	return p
}

// argument is a header argument without the quotes of an elisp string.
func argument(src *compile.Source, name string) (string, bool) {
	text, ok := src.Arg(name)
	if !ok || strings.TrimSpace(text) == "" {
		return "", false
	}
	return compile.Unquoted(text), true
}

// checkLimits bound the parser.
var checkLimits = sandbox.Limits{Fuel: 2e9, Memory: 64 << 20, Timeout: 10 * time.Second}

// parse reports a syntax error where it stands in the org file.
func (l *lane) parse(ctx context.Context, src *compile.Source, p *program) error {
	r, err := l.sh.Tool(ctx, shell.Script{Limits: checkLimits}, l.check(p))
	var limit *sandbox.LimitError
	switch {
	case errors.As(err, &limit):
		return fmt.Errorf("%s: parsing: %w", src.At(1, 1), err)
	case err != nil:
		return err
	case r.Exit == 0:
		return nil
	}
	message, _, _ := strings.Cut(joinCarets(string(r.Stderr)), "\n")
	line, col, rest := l.place(p, message)
	if line <= p.Before {
		return diag.Errorf(src.At(1, 1), "%s", strings.TrimPrefix(rest, l.info().Name+": "))
	}
	return diag.Errorf(src.At(line-p.Before, col), "%s", rest)
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var p program
	if err := json.Unmarshal([]byte(art.Script), &p); err != nil {
		return nil, fmt.Errorf("%s artifact: %w", art.Lane, err)
	}
	argv, err := l.command(&p, job)
	if err != nil {
		return nil, err
	}
	r, err := l.sh.Tool(ctx, shell.Script{
		Stdin: input(art.Shape, job), Stdout: job.Stdout, Files: job.Files, Dir: job.Dir, Limits: job.Limits, Caps: job.Caps,
	}, argv)
	out := &compile.Outcome{Stdout: r.Stdout, Stderr: l.placed(&p, job.Source, r.Stderr), Exit: r.Exit, Usage: r.Usage}
	if job.Stderr != nil {
		_, _ = job.Stderr.Write(out.Stderr) // who listens may be gone
	}
	if err == nil && outOfMemory(r) {
		err = &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: cmp.Or(job.Limits.Memory, sandbox.DefaultLimits.Memory)}
	}
	if err != nil || r.Exit != 0 {
		out.Value = value.OfString(string(r.Stdout))
		return out, err
	}
	out.Value, err = l.read(&p, string(r.Stdout))
	return out, err
}

// outOfMemory is whether a tool written in Go asked for a slice that no memory
// of the sandbox could hold, which Go's runtime does not count as being out of
// memory.
func outOfMemory(r shell.Result) bool {
	return r.Exit == goPanics && bytes.Contains(r.Stderr, []byte("makeslice: len out of range"))
}

// goPanics is the exit code of a Go tool that panicked: 128 + SIGABRT.
const goPanics = 134

// input is the text the program filters: standard input or else its inputs as
// JSON. A command gets a single string raw.
func input(shape compile.Shape, job *compile.Job) io.Reader {
	switch {
	case job.Stdin != nil || len(job.Inputs) == 0:
		return strings.NewReader(string(job.Stdin))
	case len(job.Inputs) == 1 && shape == compile.ShapeCommand && job.Inputs[0].Value.Kind() == value.String:
		return strings.NewReader(job.Inputs[0].Value.Text())
	case len(job.Inputs) == 1:
		return strings.NewReader(job.Inputs[0].Value.String())
	}
	return strings.NewReader(value.OfObject(job.Inputs...).String())
}

// placed puts the place in the org file before each message that points into
// the program.
func (l *lane) placed(p *program, src *compile.Source, stderr []byte) []byte {
	if src == nil {
		return stderr
	}
	var b strings.Builder
	for _, message := range strings.SplitAfter(joinCarets(string(stderr)), "\n") {
		text := strings.TrimSuffix(message, "\n")
		if line, col, rest := l.place(p, text); line > p.Before {
			fmt.Fprintf(&b, "%s: %s", src.At(line-p.Before, col), rest)
			text = ""
		}
		b.WriteString(text)
		b.WriteString(message[len(strings.TrimSuffix(message, "\n")):])
	}
	return []byte(b.String())
}

// lineCol is the place of a byte in text; both count from 1.
func lineCol(text string, offset int) (line, col int) {
	head := text[:max(0, min(offset, len(text)))]
	return 1 + strings.Count(head, "\n"), len(head) - strings.LastIndexByte(head, '\n')
}
