// Package compile turns source blocks into programs that run in the sandbox.
//
// A [Lane] is one language: it builds a [Source] into an [Artifact] (a wasm
// module, or checked source for an interpreter that is itself wasm) and runs
// that artifact on a [Job]. Lanes know languages; they do not know org files,
// plans or caches. The workbook package asks a [Registry] for the lane of a
// block, keys what it builds by [Source.Key] and the lane's [Info], and keeps
// outcomes in its own cache.
//
// Nothing here starts an operating-system process: compilers are wasm modules
// run by package sandbox. The one exception is package compile/toolchain,
// which fetches and checks those modules.
package compile

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// Shape says how values reach the code; see design "exec shapes".
type Shape string

// The shapes a lane may support.
const (
	// ShapeBabel is what ob-LANG does in Emacs: variables become source text,
	// the result is what :results asks for.
	ShapeBabel Shape = "babel"
	// ShapeComponent calls one exported function with one argument per input.
	ShapeComponent Shape = "component"
	// ShapeCommand runs a program with argv and stdin; stdout is the result.
	ShapeCommand Shape = "command"
	// ShapeKernel calls process(in_len) -> out_len on raw bytes, many times.
	ShapeKernel Shape = "kernel"
)

// Var is one :var header argument, already resolved.
type Var struct {
	Name  string
	Value value.Value
	// ColNames and RowNames are set where :colnames or :rownames separated
	// them from the table; languages that can express them use them.
	ColNames []string
	RowNames []string
}

// Source is a block ready to be built. Everything that may change the program
// is in it, so that Key names the program.
type Source struct {
	// Pos is where the first line of Body stands in the org file; lanes shift
	// compiler diagnostics by it.
	Pos diag.Position
	// Lines tells where each line of Body stands when they do not simply
	// follow Pos, as after noweb expansion; nil when they do.
	Lines []diag.Position
	Lang  string
	// Body is the block's text after noweb expansion, before variables,
	// prologue and epilogue are added (the lane adds them as ob-LANG does).
	Body  string
	Shape Shape
	// Func is the function to call in component shape ("" = the only export).
	Func string
	// Params are the input names in order, Outs the output names.
	Params []string
	Outs   []string
	// Sig types the call when the author wrote :sig:.
	Sig *value.Sig
	// Vars are babel variables, in order.
	Vars []Var
	// Args holds the remaining header arguments by name without the colon
	// ("includes", "defines", "flags", "libs", "main", "prologue", "epilogue",
	// "session", "dir", "cmdline", …); a repeated argument has several values.
	Args    map[string][]string
	Results Results
	// Deps are packages asked for with :deps on the block.
	Deps []string
	// Packages are the packages of Deps, pinned by the workbook's lock, with
	// everything those packages need in turn (see [PackageResolver]).
	Packages []Package
	// Session are the blocks that ran before in the same session, in order,
	// for lanes that check a block against what they declared.
	Session []*Source
	// Files are further sources given through :dir, by slash path.
	Files map[string][]byte
	// Dir is that directory, relative to the workbook, so that messages can
	// name its files; it is not part of the program.
	Dir string
	// Document is the workbook around the block, for a block that reads it (see
	// [DocumentReader]); nil for others.
	Document *Document `cbor:"-"`
}

// Document is a workbook as a block sees it.
type Document struct {
	Name  string // of its file: "book.org"; an [Evaluation] for "" has none to show
	Path  string // its absolute path, for code that makes file names; "" is "/" and Name
	Text  string
	Point int // where the block begins, in bytes

	// The rest is for an [Evaluation]; a block has the world of its job.

	// Files is what is seen at "/", to read; nil shows nothing. Where it has a /tmp,
	// Emacs has none of its own.
	Files sandbox.FS `json:"-"`
	// Now is the time that it is taken to be; see [sandbox.Command].
	Now time.Time `json:"-"`
	// Call answers calls of blocks in other languages than Emacs's own.
	Call Caller `json:"-"`
}

// Caller answers a call of a block, a reference such as totals(n=4). text is the
// document as it stands then.
type Caller func(ctx context.Context, text, call string) (value.Value, error)

// DocumentReader is a lane whose blocks may read the document they stand in.
type DocumentReader interface {
	// ReadsDocument reports whether a block may look at its document. What it
	// computes then depends on all of it.
	ReadsDocument(src *Source) bool
}

// At is the org position of a place in Body: line and col count from 1, col in
// bytes. A place outside Body is put at its nearest line. Where the source is
// not known (nil) the place is one in the block.
func (s *Source) At(line, col int) diag.Position {
	if s == nil {
		return diag.Position{File: "block", Line: line, Col: col}
	}
	line = max(1, line)
	if n := len(s.Lines); n > 0 {
		p := s.Lines[min(line, n)-1]
		p.Col = max(1, p.Col) + max(1, col) - 1
		return p
	}
	line = min(line, s.LineCount())
	return diag.Position{File: s.Pos.File, Line: s.Pos.Line + line - 1, Col: max(1, s.Pos.Col) + max(1, col) - 1}
}

// LineCount is how many lines Body has, one at the least.
func (s *Source) LineCount() int { return 1 + strings.Count(strings.TrimSuffix(s.Body, "\n"), "\n") }

// Arg returns the last value of a header argument and whether it is there.
func (s *Source) Arg(name string) (string, bool) {
	vs := s.Args[name]
	if len(vs) == 0 {
		return "", false
	}
	return vs[len(vs)-1], true
}

// InSession reports whether the block names a session to run in.
func (s *Source) InSession() bool {
	name, _ := s.Arg("session")
	return name != "" && name != "none" && name != "no"
}

// Artifact is a built program. It is data: safe to store, to hash and to send.
type Artifact struct {
	Lane   string `json:"lane"`
	Shape  Shape  `json:"shape"`
	Digest string `json:"digest"` // sha256 of everything that made it, hex
	// Wasm is the program for compiled lanes, nil for interpreted ones.
	Wasm []byte `json:"wasm,omitempty"`
	// Script is the program for interpreted lanes.
	Script string `json:"script,omitempty"`
	// Meta carries what the lane's Run needs to know, such as the function to
	// call or how to read the result.
	Meta map[string]string `json:"meta,omitempty"`
	// Warnings are compiler messages that did not stop the build.
	Warnings []diag.Finding `json:"warnings,omitempty"`
}

// Job is one execution of an artifact.
type Job struct {
	// Inputs are the component's inputs, by parameter order.
	Inputs []value.Field
	// Stdin is the raw standard input for command and babel shapes.
	Stdin []byte
	// Args are command-line words after argv[0].
	Args []string
	// Files is the tree the guest sees; nil gives it an empty one.
	Files sandbox.FS
	// Dir is the guest's working directory inside Files ("/" when empty).
	Dir    string
	Limits sandbox.Limits
	Caps   sandbox.Caps
	// Now is the time that it is taken to be where Caps has no clock; see
	// [sandbox.Command].
	Now time.Time
	// Dock serves what the program was granted beyond Caps; nil grants nothing.
	Dock *dock.Dock
	// Stdout and Stderr receive output as it is produced (nil = only kept).
	Stdout io.Writer
	Stderr io.Writer
	// Session names a persistent interpreter; "" starts fresh.
	Session string
	// Source is the block as it stands in its file now, which may be elsewhere
	// than when it was built; interpreters place runtime errors with it. Nil
	// places them relative to the block.
	Source *Source
}

// Command is a run of a module for the job.
func (j *Job) Command(module *sandbox.Module, args []string, stdout, stderr io.Writer) sandbox.Command {
	return sandbox.Command{Module: module, Args: args, Stdin: bytes.NewReader(j.Stdin), Stdout: stdout, Stderr: stderr,
		Files: j.Files, Dir: j.Dir, Limits: j.Limits, Caps: j.Caps, Now: j.Now, Host: j.Host()}
}

// Tee keeps output and passes it on to who listens, if anybody does.
func Tee(keep, listener io.Writer) io.Writer {
	if listener == nil {
		return keep
	}
	return io.MultiWriter(keep, listener)
}

// Outcome is the result of a job. A program that fails returns an Outcome with a
// non-zero Exit and no Go error; an error means it could not be run at all or
// broke a limit (see the typed errors of package sandbox).
type Outcome struct {
	Value  value.Value
	Stdout []byte
	Stderr []byte
	Exit   int
	Usage  sandbox.Usage
}

// StdinForm is how tables and lists reach standard input: with tabs between
// cells and without rules, as ob-shell and ob-awk do, or as JSON. Text is always
// given raw.
type StdinForm int

// The forms that standard input may take.
const (
	StdinText StdinForm = iota
	StdinJSON
)

// Info describes a lane for listings, cache keys and "nearest known" hints.
type Info struct {
	Name    string   // canonical name: "js", "c", "sh"
	Aliases []string // other spellings authors use: "javascript", "node"
	Shapes  []Shape
	// Toolchains are the toolchain names that Build and Run need.
	Toolchains []string
	// Summary is one line for wb help and docs.
	Summary string
	// Stdin is how a structured value of :stdin is written.
	Stdin StdinForm
	// Args are header arguments that wb deals with itself for other languages
	// and this one looks at too, such as "colnames".
	Args []string
	// Keeps are header arguments that name a file which stays when a block has
	// written it, such as a database: "db".
	Keeps []string
	// Compiles says that Build runs a compiler that takes longer to load than to do
	// its work.
	Compiles bool
	// KnowsSession says that Build looks at Source.Session.
	KnowsSession bool
	// Draws says that what a block gives is the picture for its :file, also when
	// :results graphics or link says that the program writes the file itself.
	Draws bool
}

// Lane is one language.
type Lane interface {
	Info() Info
	// Fingerprint identifies lane version and toolchain content; it is part of
	// every cache key. It must not provision anything.
	Fingerprint() string
	// Build compiles src. Compiler messages come back as *BuildError with
	// positions in the org file.
	Build(ctx context.Context, src *Source) (*Artifact, error)
	// Run executes an artifact this lane built.
	Run(ctx context.Context, art *Artifact, job *Job) (*Outcome, error)
}
