package page

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle/elisp"
	"wb/workbook"
)

// Lisp starts an Emacs for the macros of a document as it stands then; see
// [compile.Evaluator].
type Lisp func(ctx context.Context, doc *compile.Document) (compile.Evaluation, error)

// LispOf evaluates in the lane of Emacs Lisp of lanes. It runs nothing for a
// document of a third party, which asks for more isolation than pages have.
func LispOf(lanes *compile.Registry, src []byte) Lisp {
	lane := lanes.Lisp()
	if lane == nil {
		return nil
	}
	if workbook.ThirdParty(org.Parse(src)) {
		return func(context.Context, *compile.Document) (compile.Evaluation, error) { return nil, errThirdParty }
	}
	return lane.Evaluation
}

var errThirdParty = diag.Failedf("remove #+TRUST: if the document is yours", "a third-party document's Emacs Lisp is not evaluated for pages")

// lispCall is the call of a macro that is Emacs Lisp.
type lispCall struct {
	name, body string
	args       []string
	start, end int

	value elisp.Value
	err   error
}

type lispCalls []*lispCall

var evalTemplate = lazyregexp.New(`^\(eval(?:[^-\w]|$)`)

// lispBody is the form of a macro whose template is (eval FORM).
func (m *macros) lispBody(macro org.Macro) (string, bool) {
	template := m.templates[strings.ToLower(macro.Key.Text)]
	if !m.all || !evalTemplate.MatchString(template) {
		return "", false
	}
	return strings.TrimSuffix(template[len("(eval"):], ")"), true
}

// evaluate gives the texts that calls stand for: by the small evaluator where
// that suffices, the others all at once by Emacs. A call that fails stays.
func (m *macros) evaluate(ctx context.Context, t *text, calls lispCalls) []splice {
	var hard lispCalls
	for _, c := range calls {
		if c.value, c.err = c.small(); c.err != nil {
			hard = append(hard, c)
		}
	}
	m.inEmacs(ctx, t, hard)
	var splices []splice
	for _, c := range calls {
		if c.err != nil {
			m.complain(t, c.start, "macro", fmt.Sprintf("%s: %v", c.name, c.err), diag.HintOf(c.err))
			continue
		}
		with := ""
		if !elisp.IsNil(c.value) {
			with = elisp.Princ(c.value)
		}
		splices = append(splices, splice{c.start, c.end, t.literal(c.start, with)})
	}
	return splices
}

// inEmacs evaluates calls that the small evaluator refuses.
func (m *macros) inEmacs(ctx context.Context, t *text, calls lispCalls) {
	if m.lisp == nil || len(calls) == 0 {
		return
	}
	emacs, err := m.lisp(ctx, &compile.Document{Name: filepath.Base(m.file), Text: t.data})
	if err != nil {
		for _, c := range calls {
			if diag.ExitOf(err) == diag.ExitUnavailable {
				c.err = diag.Advise(fmt.Errorf("%w, and %w", c.err, err), diag.HintOf(err))
			} else {
				c.err = err
			}
		}
		return
	}
	defer emacs.Close()
	for _, c := range calls {
		c.value, c.err = emacs.Evaluate(ctx, c.form(), c.start)
	}
}

// maxParameters is how many of a template's $1, $2, … are variables.
const maxParameters = 9

// small evaluates the call where the form needs little of Emacs.
func (c *lispCall) small() (elisp.Value, error) {
	if keysForm.MatchString(c.body) {
		return elisp.String(keys(c.arg(0))), nil
	}
	env := &elisp.Env{Vars: map[elisp.Symbol]elisp.Value{}}
	for i := range maxParameters {
		env.Vars[parameterName(i)] = c.parameter(i)
	}
	v, err := elisp.Eval("(prog1 "+c.body+")", env)
	if refused, ok := errors.AsType[*elisp.Error](err); ok {
		return nil, refused
	}
	return v, err
}

// form is the call for Emacs, as text.
func (c *lispCall) form() string {
	var bound strings.Builder
	for i := range maxParameters {
		fmt.Fprintf(&bound, "(%s %s)", parameterName(i), elisp.Print(c.parameter(i)))
	}
	return fmt.Sprintf(`(let (%s) (format "%%s" (or (prog1 %s) "")))`, bound.String(), c.body)
}

func parameterName(i int) elisp.Symbol { return elisp.Symbol(fmt.Sprintf("$%d", i+1)) }

// parameter is an argument as Lisp, nil where it is missing.
func (c *lispCall) parameter(i int) elisp.Value {
	if i >= len(c.args) {
		return elisp.Nil
	}
	return elisp.String(c.args[i])
}

func (c *lispCall) arg(i int) string {
	if i >= len(c.args) {
		return ""
	}
	return c.args[i]
}

// kbdMacro is the macro of the Org manual for keys, which works without a
// definition too: {{{kbd(C-c SPC)}}}.
const kbdMacro = "kbd"

var (
	keysForm  = lazyregexp.New(`^\s*\(org-texinfo-kbd-macro \$1(?: nil)?\)\s*$`)
	namedKeys = lazyregexp.New(`\b(?:BS|TAB|RET|ESC|SPC|DEL|LFD|DELETE|SHIFT|Ctrl|Meta|Alt|Cmd|Super|UP|LEFT|RIGHT|DOWN)\b`)
)

// keys marks up a sequence of keys, and each key with a name in it, as
// org-texinfo-kbd-macro does for Texinfo.
func keys(sequence string) string {
	const open, end = "@@html:<kbd>@@", "@@html:</kbd>@@"
	return open + namedKeys.ReplaceAllString(sequence, open+"$0"+end) + end
}
