package run

import (
	"fmt"
	"path"
	"strings"
	"sync/atomic"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// program is a component ready to run: what to build, what to feed it, and
// what its outcome depends on.
type program struct {
	owner *plan.Component // whose result it makes
	code  *plan.Component // whose source it runs: owner, or what a call names
	args  argSet
	words result.Words // of :results
	lane  compile.Lane
	src   *compile.Source
	job   *compile.Job

	vars    []variable // babel variables, for reassembling tables
	profile string
	caps    []string // granted, sorted
	digests *Digests
	// volatile says why the outcome must not be kept; "" when it may be.
	volatile string
	warnings []diag.Finding
	where    string      // the worker it ran at, "" when in this process
	denied   atomic.Bool // it was refused something it asked the host for
}

// argSet reads header arguments as org-babel does: numbers, strings in quotes
// and Lisp forms are evaluated.
type argSet struct{ org.Args }

// text is a header argument's value as text, and whether it is there.
func (a argSet) text(key string) (string, bool, error) { return plan.ArgValue(a.Args, key) }

var drive = lazyregexp.New(`^[A-Za-z]:`)

// note adds a diagnostic that does not stop the program.
func (p *program) note(severity diag.Severity, code, hint, format string, args ...any) {
	p.warnings = append(p.warnings, diag.Finding{Pos: p.owner.Pos, Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Hint: hint})
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

// inDir is a file name relative to a program's directory as a name of the tree.
func (p *program) inDir(name string) string {
	return strings.TrimPrefix(path.Join("/", p.job.Dir, name), "/")
}

// variable is a resolved :var. The names of columns and rows are set where
// :colnames or :rownames took them off the table.
type variable struct {
	name               string
	value              value.Value
	colNames, rowNames []value.Value
	flat               bool // colNames is the first item of a plain list
}
