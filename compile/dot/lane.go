package dot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/sandbox"
	"wb/tangle/babel"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "1"

// lane is DOT as the rest of wb sees it.
type lane struct {
	env *compile.Env

	module compile.Loaded[*sandbox.Module]
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
		Name: "dot", Aliases: []string{"graphviz"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Draws: true, Summary: "graphs in DOT as SVG (Graphviz 16 with all layouts)",
	}
}

// Fingerprint names lane and Graphviz.
func (l *lane) Fingerprint() string {
	return "dot/" + version + "/" + l.env.Tools.Fingerprint(toolName)
}

// load is Graphviz, installed and compiled when it is first needed.
func (l *lane) load(ctx context.Context) (*sandbox.Module, error) {
	return l.module.Get(ctx, l.env, toolName, l.loadFrom)
}

func (l *lane) loadFrom(ctx context.Context, t toolchain.Toolchain) (*sandbox.Module, error) {
	return l.env.Program(ctx, t, toolName, wasmFile)
}

// unit is the result of building a block. Line Skip+1 of Script is the body's first.
type unit struct {
	Script string   `json:"-"`
	Skip   int      `json:"skip,omitempty"`
	Lines  int      `json:"lines"`
	Words  []string `json:"words,omitempty"` // options of the dot command
	Params []string `json:"params,omitempty"`
}

// Build lays out the text. Graphviz itself finds mistakes when it draws.
func (l *lane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "DOT has no sessions")
	}
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "DOT has no packages (:deps %s)", strings.Join(src.Deps, " "))
	}
	if src.Shape == compile.ShapeKernel {
		return nil, diag.Errorf(src.At(1, 1), "DOT has no kernel shape")
	}
	u, err := layOut(src)
	if err != nil {
		return nil, err
	}
	if o := u.options(); src.Shape != compile.ShapeCommand {
		if err := o.set(u.Words); err != nil {
			return nil, diag.Errorf(src.At(1, 1), "%v", err)
		}
	}
	return compile.NewScript(l, src, u.Script, u)
}

func (u *unit) options() options { return options{layout: "dot", format: "svg"} }

// layOut makes a unit of a block (org-babel-expand-body:dot).
func layOut(src *compile.Source) (*unit, error) {
	u := &unit{Lines: src.LineCount(), Params: src.Params}
	var err error
	if u.Script, err = babel.Expand("dot", src.Body, src.Babel()); err != nil {
		return nil, src.BabelError(err)
	}
	if text, ok := src.Arg("prologue"); ok {
		u.Skip = 1 + strings.Count(compile.Unquoted(text), "\n")
	}
	if cmd, ok := src.Arg("cmd"); ok {
		u.Words = append(u.Words, "-K"+path.Base(strings.TrimSpace(compile.Unquoted(cmd))))
	}
	file, hasFile := src.Arg("file")
	if ext := strings.TrimPrefix(path.Ext(compile.Unquoted(file)), "."); hasFile && ext != "" {
		if ext == "png" || ext == "pdf" || ext == "jpg" || ext == "jpeg" || ext == "gif" {
			return nil, diag.Errorf(src.At(1, 1), "Graphviz draws no %s in the sandbox", ext).WithHint("name a file that ends in .svg")
		}
		u.Words = append(u.Words, "-T"+ext)
	}
	if cmdline, ok := src.Arg("cmdline"); ok {
		u.Words = append(u.Words, compile.Words(compile.Unquoted(cmdline))...)
	}
	return u, nil
}

// plain is a value as ob-dot substitutes it.
func plain(v value.Value) string {
	if v.Kind() == value.String {
		return v.Text()
	}
	return v.String()
}

// Run draws the graph.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	u := &unit{Script: art.Script}
	if err := art.Unit(u); err != nil {
		return nil, err
	}
	module, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	r := &render{engine: l.env.Engine, module: module, options: u.options()}
	words := u.Words
	if art.Shape == compile.ShapeCommand {
		words = append(words, job.Args...)
	}
	out := &compile.Outcome{}
	picture, err := "", r.set(words)
	if err == nil {
		picture, err = r.draw(ctx, u.substitute(job), job)
	} else {
		fmt.Fprintln(&r.said, err)
		err = errNoPicture
	}
	out.Usage = r.usage
	drawn := err == nil && !lineOf.MatchString(r.messages()) // else it is not the whole graph
	text := u.report(job.Source, r.messages(), drawn)
	if limit := cmp.Or(job.Limits.Output, sandbox.DefaultLimits.Output); err == nil && limit >= 0 && int64(len(picture)) > limit {
		return out, &sandbox.LimitError{Kind: sandbox.LimitOutput, Limit: limit}
	}
	switch {
	case errors.Is(err, errNoPicture), err == nil && !drawn:
		if text == "" {
			text = fmt.Sprintf("%s: %v\n", job.Source.At(1, 1), errNoPicture)
		}
		out.Exit, err = 1, nil
	case err != nil:
		return out, err
	default:
		out.Value = value.OfString(picture)
		out.Stdout = []byte(picture)
	}
	out.Stderr = []byte(text)
	if job.Stderr != nil && text != "" {
		_, err = io.WriteString(job.Stderr, text)
	}
	return out, err
}

// substitute puts a component's inputs into the text.
func (u *unit) substitute(job *compile.Job) string {
	text := u.Script
	for i, in := range job.Inputs {
		name := in.Name
		if i < len(u.Params) {
			name = u.Params[i]
		}
		text = strings.ReplaceAll(text, "$"+name, plain(in.Value))
	}
	return text
}

// complaint is how Graphviz writes a message; not all have a line.
var complaint = lazyregexp.New(`^(?:(Error|Warning): )?(?:<stdin>|[^:\s]*): ?(.*)$`)

var (
	lineOf = lazyregexp.New(`\bin line (\d+)`)
	nearTo = lazyregexp.New(`near '([^']*)'`)
)

// report is Graphviz's output, with places in the org file. Where it has drawn
// all the same, they are warnings.
func (u *unit) report(src *compile.Source, messages string, drawn bool) string {
	var b strings.Builder
	for line := range strings.Lines(messages) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		severity := ""
		if m := complaint.FindStringSubmatch(line); m != nil && (m[1] != "" || strings.HasPrefix(line, "<stdin>")) {
			severity, line = m[1], m[2]
		} else if rest, ok := strings.CutPrefix(line, "Warning: "); ok {
			severity, line = "Warning", rest
		} else if rest, ok := strings.CutPrefix(line, "Error: "); ok {
			severity, line = "Error", rest
		}
		prefix := ""
		if drawn || severity == "Warning" {
			prefix = "warning: "
		}
		fmt.Fprintf(&b, "%s: %s%s\n", u.place(src, line), prefix, line)
	}
	return b.String()
}

// place is where a message points to.
func (u *unit) place(src *compile.Source, message string) diag.Position {
	m := lineOf.FindStringSubmatch(message)
	if m == nil {
		return src.At(1, 1)
	}
	line, _ := strconv.Atoi(m[1])
	lines := strings.Split(u.Script, "\n")
	col := 1
	if near := nearTo.FindStringSubmatch(message); near != nil && line >= 1 && line <= len(lines) {
		if found := strings.Index(lines[line-1], near[1]); found >= 0 {
			col = found + 1
		}
	}
	line -= u.Skip
	if line < 1 {
		return src.At(1, 1)
	}
	return src.At(min(line, u.Lines), col)
}
