package elisp

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"strings"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
	lisp "wb/tangle/elisp"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "4"

// guest is the Lisp that prepares Emacs and answers requests.
//
//go:embed guest/*.el
var guest embed.FS

// lane is Emacs Lisp as the rest of wb sees it.
type lane struct {
	*vm.Interpreter
	env *compile.Env
}

// New makes the lane and registers its toolchains; c builds Emacs.
func New(env *compile.Env, c *clang.Compiler) compile.Lane {
	l := &lane{env: env}
	env.Tools.Register(lispRecipe(), l.recipe(c))
	sum, err := toolchain.HashFS(guest)
	l.Interpreter = vm.New(env, vm.Config{
		Tool: toolName, File: wasmFile, Key: fmt.Sprint(sum, err, env.Tools.Fingerprint(lispName)), Args: []string{"emacs"},
		Env: environment, Host: host, Limits: sandbox.Limits{Fuel: -1, Timeout: -1, Memory: 512 << 20},
		Files: func(t toolchain.Toolchain) (sandbox.FS, error) { return l.tree(t, nil, nil) },
		Boot:  boot,
	})
	return l
}

// environment is the only environment of Emacs and its blocks.
var environment = []string{"HOME=/", "LANG=C.UTF-8", "TERM=dumb", "PATH=/usr/bin", "USER=user", "LOGNAME=user"}

// Directories that only Emacs sees.
const (
	lispDir  = "/usr/share/emacs/28.2"
	docDir   = "/usr/share/emacs/doc"
	guestDir = "/usr/share/emacs/wb"
	hostDir  = "/usr/share/emacs/host" // where forms ask the host
	tempDir  = "/tmp"
)

// tree puts Emacs's own files behind those of a job. Those of world are more of them,
// or nil in place of one.
func (l *lane) tree(t toolchain.Toolchain, job sandbox.FS, world map[string]sandbox.FS) (sandbox.FS, error) {
	files, ok := l.env.Tools.Installed(lispName)
	if !ok {
		return nil, fmt.Errorf("toolchain %s is missing", lispName)
	}
	docs, ours := sandbox.NewMemFS(), sandbox.NewMemFS()
	text, err := t.ReadFile(docFile)
	if err != nil {
		return nil, err
	}
	if err := docs.WriteFile(docFile, text); err != nil {
		return nil, err
	}
	for _, name := range []string{"boot.el", "answer.el", "org.el", "export.el", "agenda.el"} {
		text, err := guest.ReadFile("guest/" + name)
		if err != nil {
			return nil, err
		}
		if err := ours.WriteFile(name, text); err != nil {
			return nil, err
		}
	}
	devices := sandbox.NewMemFS()
	if err := devices.WriteFile("null", nil); err != nil {
		return nil, err
	}
	trees := map[string]sandbox.FS{
		"/dev":   devices,
		tempDir:  sandbox.NewMemFS(),
		lispDir:  vm.NewArchive(lispFile, func() ([]byte, error) { return files.ReadFile(lispFile) }),
		docDir:   sandbox.ReadOnly(docs),
		guestDir: sandbox.ReadOnly(ours),
	}
	maps.Copy(trees, world)
	maps.DeleteFunc(trees, func(_ string, tree sandbox.FS) bool { return tree == nil })
	return vm.Behind(job, trees), nil
}

// boot starts Emacs and loads guest/.
func boot(ctx context.Context, in *sandbox.Instance) error {
	status, err := in.Call(ctx, "wb_boot")
	if err != nil || status[0] == 0 {
		return err
	}
	text, err := reply(ctx, in)
	if err == nil {
		err = errors.New(string(text))
	}
	return err
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "emacs-lisp", Aliases: []string{"elisp", langOrg, langCalc}, Shapes: []compile.Shape{compile.ShapeBabel},
		Toolchains: []string{toolName}, Summary: "Emacs Lisp, Org and Calc (GNU Emacs 28.2, without processes and network)",
		Args: []string{"lexical"},
	}
}

// The languages that Org executes in Emacs besides Emacs Lisp.
const (
	langOrg  = "org"
	langCalc = "calc"
)

// Fingerprint names lane and interpreter.
func (l *lane) Fingerprint() string { return "elisp/" + version + "/" + l.Interpreter.Fingerprint() }

// unit is the result of building a block.
type unit struct {
	Skip    int             `json:"skip,omitempty"` // lines before the body
	Vars    string          `json:"vars,omitempty"` // as Lisp
	Lexical string          `json:"lexical,omitempty"`
	Lang    string          `json:"lang,omitempty"` // org or calc; "" is Emacs Lisp
	Results compile.Results `json:"results,omitempty"`
	// Document is the text of the block's current buffer.
	Document *compile.Document `json:"document,omitempty"`
}

// reads is what a block says that looks at the document around it.
var reads = lazyregexp.New(`\b(?:org-|buffer|point\b|search-(?:for|back)|looking-|thing-at|goto-|save-(?:excursion|restriction|match)|` +
	`forward-|backward-|beginning-of|end-of|line-|eobp|bobp|mark\b|narrow|widen|insert\b|char-(?:after|before)|current-(?:column|word|line))`)

// ReadsDocument implements [compile.DocumentReader].
func (l *lane) ReadsDocument(src *compile.Source) bool { return reads.MatchString(src.Body) }

// Build reads the block's forms.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1),
			"packages (:deps %s) cannot be fetched for Emacs Lisp", strings.Join(src.Deps, " ")).
			WithHint("put the library into a directory, name it with :dir, and load it from there")
	}
	u := &unit{Results: src.Results, Vars: variables(src.Vars), Document: src.Document}
	if lang := strings.ToLower(src.Lang); lang == langOrg || lang == langCalc {
		u.Lang = lang
		return compile.NewScript(l, src, src.Body, u)
	}
	if word, ok := src.Arg("lexical"); ok {
		u.Lexical = lexical(word)
	}
	code := src.Body
	if text, ok := src.Arg("prologue"); ok {
		code = compile.Unquoted(text) + "\n" + code
		u.Skip = strings.Count(code, "\n") - strings.Count(src.Body, "\n")
	}
	if text, ok := src.Arg("epilogue"); ok {
		code += "\n" + compile.Unquoted(text)
	}
	check := l.check
	if !l.installed() {
		check = l.checkSmall
	}
	if err := check(ctx, src, u, code); err != nil {
		return nil, err
	}
	return compile.NewScript(l, src, code, u)
}

// check reads the block without running it.
func (l *lane) check(ctx context.Context, src *compile.Source, u *unit, code string) error {
	m, release, err := l.acquire(ctx, &compile.Job{}, nil)
	if err != nil {
		return err
	}
	defer release(false)
	a, err := ask(ctx, m, request{Do: "wb--check", Code: code})
	if err != nil {
		return err
	}
	if a.failure != nil {
		return diag.Errorf(u.position(src, a.failure), "%s", a.failure.message)
	}
	return nil
}

// acquire gives a machine for a job, whose files have Emacs's and those of world
// behind them.
func (l *lane) acquire(ctx context.Context, job *compile.Job, world map[string]sandbox.FS) (*vm.Machine, func(alive bool), error) {
	t, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress)
	if err != nil {
		return nil, nil, err
	}
	// An Emacs built earlier can be older than the files that this wb wants.
	if _, err := l.env.Tools.Ensure(ctx, lispName, l.env.Progress); err != nil {
		return nil, nil, err
	}
	mine := *job
	if mine.Files, err = l.tree(t, job.Files, world); err != nil {
		return nil, nil, err
	}
	return l.Acquire(ctx, &mine)
}

// Run evaluates a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	u := &unit{}
	if err := art.Unit(u); err != nil {
		return nil, err
	}
	switch {
	case l.installed():
	case u.Lang == langOrg && !u.exports():
		return u.runOrg(art.Script)
	case u.Lang != "":
		at := u.position(job.Source, &failure{line: 1, column: 1})
		return nil, &diag.CodedError{Err: diag.Errorf(at, "%v", errMissing), Help: installHint, Code: diag.ExitUnavailable}
	default:
		return l.runSmall(u, art.Script, job)
	}
	m, release, err := l.acquire(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	out := &compile.Outcome{}
	a, err := ask(ctx, m, u.request(art.Script, job))
	alive := err == nil
	switch {
	case err != nil && m.MemoryRefused() && bytes.Contains(m.Stderr.Bytes(), []byte(memoryFull)): // Emacs has given up
		err = m.OutOfMemory()
		m.Stderr.Reset()
	case err != nil:
	case a.failure != nil && m.MemoryRefused() && strings.HasPrefix(a.failure.message, memoryFull):
		err, alive = m.OutOfMemory(), false
	case a.failure != nil:
		out.Exit = 1
		said := bytes.Clone(m.Stderr.Bytes())
		m.Stderr.Reset() // the error comes first, then what was said before it
		fmt.Fprintf(&m.Stderr, "%s: %s\n", u.position(job.Source, a.failure), a.failure.message)
		m.Stderr.Buffer.Write(said)
	default:
		out.Value = u.result(a.value)
	}
	err = m.Conclude(out, err)
	if alive && job.Session != "" {
		_, collecting := m.Call(ctx, "wb_collect")
		alive = collecting == nil
	}
	release(alive)
	return out, err
}

// memoryFull begins the message of the error that Emacs signals when malloc
// fails.
const memoryFull = "Memory exhausted"

// request is the unit's request.
func (u *unit) request(code string, job *compile.Job) request {
	r := request{Do: "wb--evaluate", Code: code, Vars: u.Vars, Lexical: u.Lexical, Dir: path.Join("/", job.Dir), Seed: vm.Seed(job),
		Output: u.Results.Has("output"), Text: u.Results.AsText(), PP: u.Results.Has("pp") || u.Results.Has("code"),
		Printed: u.Results.Has("scalar") || u.Results.Has("verbatim"), Plain: u.Results.Has("list"), Document: u.Document}
	if u.Lang != "" {
		r.Do, r.Lang, r.Results = "wb--babel", u.Lang, strings.Join(u.Results, " ")
	}
	if u.Document != nil {
		r.Point = pointAt(u.Document, u.Document.Point)
	}
	return r
}

// position is where in the org file a failure happened.
func (u *unit) position(src *compile.Source, f *failure) diag.Position {
	if f.line <= u.Skip {
		return src.At(1, 1)
	}
	return src.At(f.line-u.Skip, f.column)
}

// variables are :var arguments as an association list.
func variables(vars []compile.Var) string {
	if len(vars) == 0 {
		return ""
	}
	pairs := make([]lisp.Value, len(vars))
	for i, v := range vars {
		pairs[i] = &lisp.Cons{Car: lisp.Symbol(v.Name), Cdr: lisp.FromValue(v.Value)}
	}
	return lisp.Print(lisp.List(pairs...))
}

// lexical is the second argument of eval for a :lexical
// (org-babel-emacs-lisp-lexical): yes, no, or a form to read.
func lexical(word string) string {
	switch word = compile.Unquoted(word); word {
	case "yes", "t":
		return "t"
	case "no", "nil", "":
		return ""
	}
	return word
}
