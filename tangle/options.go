package tangle

import (
	"context"
	"strings"

	"wb/internal/value"
	"wb/org"
	"wb/tangle/elisp"
)

// Options say what planning may know and do besides reading the document. The
// zero Options plan a document that needs nothing to be run.
type Options struct {
	// File is the document's absolute path; :tangle paths are relative to its
	// directory. Name is how errors call it; File when empty.
	File, Name string

	// Run executes a block or a call line and returns its result. It is asked
	// for <<name()>> and for `:var x=name` where name is a block, unless that
	// block is pure Emacs Lisp, which is run here. Without it
	// such a document is refused with an error. It also answers for :eval,
	// :cache and :session; a block that may not run has the result null.
	Run func(ctx context.Context, call Call) (value.Value, error)

	// Lisp starts an Emacs that has a document in its current buffer. It is asked
	// for forms in header arguments that the evaluator here refuses. Without it
	// such a document is refused with an error.
	Lisp func(ctx context.Context, file string, doc *org.Document) (Emacs, error)

	// ReadFile reads another org file, by absolute path, for references of the
	// form other.org:name. Without it they are refused.
	ReadFile func(path string) ([]byte, error)

	// Machine holds what header arguments may know of the computer.
	Machine Machine

	trace bool // find out where each line comes from
}

// Emacs evaluates Emacs Lisp with point at an offset of its document.
type Emacs interface {
	Evaluate(ctx context.Context, forms string, point int) (elisp.Value, error)
	Close()
}

// Machine describes the computer to Emacs Lisp in header arguments. Facts left
// empty are not available there.
type Machine struct {
	Home string // what ~ stands for
	OS   string // as Go names it; becomes system-type
	Host string // (system-name)
	User string // (user-login-name)
}

// Call asks for a block (or a #+CALL line) to be run.
type Call struct {
	// Node is the source block or call line in Doc, the document in File.
	File string
	Doc  *org.Document
	Node *org.Node
	// Name is the block's name as the reference spells it.
	Name string
	// Args are the arguments in parentheses, each `name=value` or a positional
	// value; Header is the text in brackets before them.
	Args   []string
	Header string
}

// String is the call as a reference: name[header](args).
func (c Call) String() string {
	text := c.Name
	if c.Header != "" {
		text += "[" + c.Header + "]"
	}
	if c.Header != "" || len(c.Args) > 0 {
		text += "(" + strings.Join(c.Args, ", ") + ")"
	}
	return text
}
