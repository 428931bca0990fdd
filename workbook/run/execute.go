package run

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// ExitError says that a program ended with a code other than 0.
type ExitError struct {
	ID     string
	Exit   int
	Stderr string
	Pos    diag.Position
}

// Error leads with the program's own last word: lanes put the place in the org
// file there where they know it.
func (e *ExitError) Error() string {
	said := firstLine(strings.TrimSpace(e.Stderr))
	switch {
	case said == "":
		return fmt.Sprintf("%s: %s ended with exit code %d", e.Pos, e.ID, e.Exit)
	case strings.HasPrefix(said, e.Pos.File+":"):
		return said
	}
	return fmt.Sprintf("%s: %s: %s (exit code %d)", e.Pos, e.ID, said, e.Exit)
}

// Hint is the hint a lane writes to standard error below an error's first line,
// "" when there is none.
func (e *ExitError) Hint() string {
	_, rest, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	hint, _ := strings.CutPrefix(firstLine(rest), "  hint: ")
	if hint == firstLine(rest) {
		return ""
	}
	return hint
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(line, "\r")
}

// execute brings about a program's outcome, from the cache when nothing
// changed, and makes it the task's result. An error means that there is no
// outcome; a program that fails still has an outcome, with done.Err set.
func (r executor) execute(ctx context.Context, p *program, t *task) error {
	t.digests, t.volatile, t.src = p.digests, p.volatile != "", p.src
	t.done.Warnings = p.warnings
	if t.hash = p.resultHash(); t.hash != "" && r.standsFresh(p, t) {
		return nil
	}
	session := r.sessions.of(p)
	kept, why, err := r.known(p, session)
	if err != nil {
		return err
	}
	t.done.Why = why
	if kept != nil {
		t.done.Status = StatusCached
		session.putOff(p.owner.ID, p.digests.Key(), kept, func(ctx context.Context) error { return r.replay(ctx, p, session) })
		return r.settle(ctx, p, t, kept)
	}
	if r.dry {
		return errWouldRun
	}
	release, err := r.acquire(ctx, t)
	if err != nil {
		return err
	}
	start := time.Now()
	outcome, err := r.runProgram(ctx, p, t, session)
	release()
	if p.where != "" && err == nil { // it waited for a worker, too
		t.done.Queued += max(0, time.Since(start)-outcome.Usage.Wall)
	}
	t.done.Where = p.where
	if err != nil {
		t.blank = r.blankFor(p, err)
		return err
	}
	t.made = true
	t.done.Status = StatusOK
	return r.settle(ctx, p, t, outcome)
}

// blankFor reports whether an error leaves an empty result, as in Emacs: the
// block does not compile. A recorded result stays, because what does not compile
// in the sandbox may well have compiled elsewhere; and a link to no file helps nobody.
func (r executor) blankFor(p *program, err error) bool {
	var wrong *diag.FindingsError
	if p.src.Shape != compile.ShapeBabel || !errors.As(err, &wrong) || p.words.Has("file") || p.words.Has("link") {
		return false
	}
	return !hasRecorded(r.plan.Document(), p.owner)
}

// known finds a program's outcome without running it, and why it
// is or is not.
func (r executor) known(p *program, session *session) (*kept, string, error) {
	k, err := session.resumed(p.digests.Key())
	if err != nil {
		return nil, "", diag.Errorf(p.owner.Pos, "%v", err)
	}
	if k != nil {
		return k, "it ran before its session was frozen", nil
	}
	k, why := r.recall(p)
	return k, why, nil
}

// resultHash is the hash a block with :cache yes writes above its result.
func (p *program) resultHash() string {
	if p.args.Value(":cache") != "yes" || p.src.Shape != compile.ShapeBabel {
		return ""
	}
	hash, err := p.emacsHash()
	if err != nil {
		return "" // a variable its language cannot express; the lane will say so
	}
	return hash
}

// standsFresh takes over the result in the document when its hash says that
// nothing has changed since, as org-babel does, and nothing better is kept.
func (r executor) standsFresh(p *program, t *task) bool {
	if r.opts.Force || p.owner.Kind == plan.KindInline || !p.owner.IsElement() || r.opts.Cache.get(p.digests.Key()) != nil {
		return false
	}
	result, ok := r.plan.Document().ResultOf(p.owner.Node())
	if !ok || result.Hash.Text != t.hash {
		return false
	}
	t.done.Status, t.done.Why = StatusCached, "the result in the document has the hash of this block (:cache yes)"
	t.done.Value = r.standingResult(p.owner)
	t.standing = true
	return true
}

// errWouldRun ends a turn of a dry run that could not be answered from the
// cache.
var errWouldRun = errors.New("it would run")

// runProgram builds and runs p. What it made is kept if that is sound.
func (r executor) runProgram(ctx context.Context, p *program, t *task, session *session) (*kept, error) {
	r.emit(trace.Event{Kind: trace.KindComponentStart, Component: t.done.ID, Lang: p.src.Lang, Profile: p.profile})
	session.lock()
	defer session.unlock()
	if err := session.catchUp(ctx); err != nil {
		return nil, err
	}
	files, err := r.guest(p, session)
	if err != nil {
		return nil, err
	}
	out, err := r.buildAndRun(ctx, t.done.ID, p, files, telling(r.runner).listen)
	session.take(files)
	if err != nil {
		if out != nil { // what it had printed when it was stopped
			t.done.Stdout, t.done.Stderr = string(out.Stdout), string(out.Stderr)
		}
		return nil, err
	}
	k := &kept{Value: out.Value, Stdout: string(out.Stdout), Stderr: string(out.Stderr), Exit: out.Exit, Usage: out.Usage, Reads: files.reads()}
	if err := r.collectFiles(p, files, k); err != nil {
		return nil, err
	}
	if p.volatile == "" && k.Exit == 0 {
		r.keep(p, k)
	}
	session.note(p.owner.ID, p.digests.Key(), k)
	return k, nil
}

// buildAndRun lets listen, unless it is nil, hear what the program prints.
func (r executor) buildAndRun(ctx context.Context, id string, p *program, files *guestTree,
	listen func(string, *compile.Job) func()) (*compile.Outcome, error) {
	job := *p.job
	if listen != nil {
		defer listen(id, &job)()
	}
	job.Files = files.fs()
	job.Dock = binding(r.runner).dock(ctx, id, p)
	defer job.Dock.Close()
	return r.opts.Runner.Execute(ctx, &compile.Program{ID: id, Lane: p.lane, Source: p.src, Job: &job,
		Placed: func(where string) { p.where = where },
		Built: func(warnings []diag.Finding, took time.Duration) {
			p.warnings = append(p.warnings, warnings...)
			r.emit(trace.Event{Kind: trace.KindCompile, Component: id, Lang: p.src.Lang, Duration: took, Props: placed(p.where)})
		}})
}

// placed is the property that names the worker a program ran at.
func placed(where string) []trace.Prop {
	if where == "" {
		return nil
	}
	return []trace.Prop{{Name: "WORKER", Value: where}}
}

// replay runs a program of a session again whose outcome was kept, because a
// later one needs the state it leaves.
func (r executor) replay(ctx context.Context, p *program, session *session) error {
	files, err := r.guest(p, session)
	if err != nil {
		return err
	}
	_, err = r.buildAndRun(ctx, p.owner.ID, p, files, nil)
	session.take(files)
	return err
}

func (r *runner) emit(e trace.Event) { _ = r.opts.Trace.Emit(e) } // reported by whoever made the trace

// settle turns what a program did into the component's value.
func (r executor) settle(ctx context.Context, p *program, t *task, k *kept) error {
	t.words = p.words
	t.args = p.args
	t.done.Stdout, t.done.Stderr, t.done.Exit, t.done.Usage = k.Stdout, k.Stderr, k.Exit, k.Usage
	t.done.Warnings = p.warnings
	recording(r.runner).keepRecorded(p, t, k)
	if k.Exit != 0 {
		t.fail(&ExitError{ID: p.owner.ID, Exit: k.Exit, Stderr: k.Stderr, Pos: p.owner.Pos})
		if p.src.Shape == compile.ShapeBabel {
			t.done.Value = k.Value // what it printed before it failed is shown, as in Emacs
		}
		return nil
	}
	if err := r.restoreFiles(k); err != nil {
		return err
	}
	v, err := p.shapeValue(k)
	if err != nil {
		return err
	}
	if p.src.Shape != compile.ShapeBabel {
		t.done.Value = v
		return checkOutputs(p.code, v)
	}
	t.done.Value, err = r.babelValue(ctx, p, t, v)
	return err
}

// shapeValue is the value an exec shape makes of an outcome.
func (p *program) shapeValue(k *kept) (value.Value, error) {
	switch p.src.Shape {
	case compile.ShapeBabel:
		if k.Value.IsNull() && p.words.Has("output") && k.Stdout != "" && !p.words.Has("discard") {
			return value.OfString(k.Stdout), nil
		}
		return k.Value, nil
	case compile.ShapeComponent:
		return unwrap(k.Value, p.src.Outs), nil
	}
	text := k.Stdout
	if p.src.Shape == compile.ShapeKernel {
		return k.Value, nil
	}
	if !p.words.Has("verbatim") && !p.words.Has("scalar") && !p.words.Has("raw") {
		return streamValue(text, p.src.Outs), nil
	}
	return value.OfString(strings.TrimRight(text, "\r\n")), nil
}

// unwrap takes the only output out of an object that holds nothing else.
func unwrap(v value.Value, outs []string) value.Value {
	if len(outs) == 1 && len(v.Fields()) == 1 && v.Fields()[0].Name == outs[0] {
		return v.Fields()[0].Value
	}
	return v
}

// checkOutputs makes sure that a component with several outputs gave each.
func checkOutputs(c *plan.Component, v value.Value) error {
	if len(c.Out) > 1 {
		for _, out := range c.Out {
			if _, ok := v.Get(plan.PortName(out)); !ok {
				return diag.Errorf(c.Pos, "%s gave no %q", c.ID, plan.PortName(out)).
					WithHint("return an object with " + plan.JoinNames(plan.PortNames(c.Out)))
			}
		}
	}
	sig := c.Sig
	if sig != nil && len(sig.Results) == 1 && sig.Results[0].Name == "" {
		if _, err := value.Fit("the result", sig.Results[0].Type, v); err != nil {
			return diag.Errorf(c.Pos, "%s: %v", c.ID, err)
		}
	}
	return nil
}

// plainLangs are languages whose org-babel support does not put column names
// back on results.
var plainLangs = []string{"js", "javascript", "node", "ts", "typescript", "sed", "sqlite", "sqlite3", "sql"}

// babelValue does what org-babel does between running a block and inserting
// its result: names go back on tables, a lone value becomes a table where one
// is asked for, the result goes to :file, and :post reworks it.
func (r executor) babelValue(ctx context.Context, p *program, t *task, v value.Value) (value.Value, error) {
	if !slices.Contains(plainLangs, strings.ToLower(p.src.Lang)) {
		v = reassemble(v, p.args, p.vars)
	}
	if !p.words.Has("output") && (p.words.Has("vector") || p.words.Has("table")) && v.Kind() != value.List && !v.IsNull() {
		v = value.OfList(value.OfList(v))
	}
	file, err := p.file()
	if err != nil {
		return v, err
	}
	if file != "" && p.words.Has("file") {
		if v, err = r.resultToFile(p, v, file); err != nil {
			return v, err
		}
	}
	post, ok := p.args.Get(":post")
	if !ok || post.Value == "" {
		return v, nil
	}
	if file != "" && p.words.Has("file") {
		linked := result.Result{Value: v, Words: result.Words{"file"}}
		describeResult(&linked, p.args)
		v = value.OfString(linked.Link())
		t.words = slices.DeleteFunc(slices.Clone(t.words), func(w string) bool { return w == "file" })
	}
	return binding(r.runner).eval(ctx, p.owner, post.Value, &v)
}

// file is the name of the file a block's result goes to, relative to its
// directory: :file, or the block's name with :file-ext; :output-dir before it.
func (p *program) file() (string, error) {
	name, ok, err := p.args.text(":file")
	if err != nil {
		return "", diag.Errorf(p.owner.Pos, "%v", err)
	}
	if !ok {
		ext, has, err := p.args.text(":file-ext")
		if err != nil || !has || p.code.Name == "" {
			return "", err
		}
		name = p.code.Name + "." + ext
	}
	if dir, has, err := p.args.text(":output-dir"); err == nil && has && dir != "" {
		name = path.Join(dir, name)
	}
	return name, p.inside(":file", name)
}

// inside refuses the name of a file that lies outside what the program sees.
func (p *program) inside(key, name string) error {
	below := path.Join(strings.TrimPrefix(p.job.Dir, "/"), name)
	if strings.HasPrefix(name, "~") || drive.MatchString(name) || !path.IsAbs(name) && (below == ".." || strings.HasPrefix(below, "../")) {
		return diag.Errorf(p.owner.Pos, "%s %s lies outside the workbook's directory", key, name).
			WithHint("components see the workbook's directory as /")
	}
	return nil
}

// callMemo runs equal calls once.
type callMemo struct {
	mu    sync.Mutex
	calls map[string]*callResult
}

type callResult struct {
	once  sync.Once
	value value.Value
	err   error
}

func (m *callMemo) do(_ context.Context, key string, run func() (value.Value, error)) (value.Value, error) {
	m.mu.Lock()
	if m.calls == nil {
		m.calls = map[string]*callResult{}
	}
	c := m.calls[key]
	if c == nil {
		c = &callResult{}
		m.calls[key] = c
	}
	m.mu.Unlock()
	c.once.Do(func() { c.value, c.err = run() })
	return c.value, c.err
}

// eventOutput is a component's output in an event: what it printed, else its
// value.
func eventOutput(t *task) string {
	if t.done.Stdout != "" {
		return t.done.Stdout
	}
	if t.done.Value.IsNull() {
		return ""
	}
	return result.Display(t.done.Value)
}
