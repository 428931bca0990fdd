package babel

import (
	"slices"
	"strings"

	"wb/tangle/elisp"
)

// Var is one resolved :var.
type Var struct {
	Name  string
	Value elisp.Value
	// ColNames and RowNames are the names that :colnames and :rownames took off the
	// table: a list of names, nil when nothing was taken. (Off a plain list,
	// ColNames is its first item.)
	ColNames elisp.Value
	RowNames []elisp.Value
}

// Params are the header arguments of a block, resolved.
type Params struct {
	Vars []Var
	// Args are the other header arguments, by name with the colon. An argument
	// given without a value is [elisp.Nil].
	Args map[string]elisp.Value
	// Results holds the words of :results.
	Results []string
	// Exact asks for values as they are, where tangling writes what org-babel
	// writes even if it means something else: text with quotes or line ends
	// that no string literal holds, cells with bars, names with blanks.
	Exact bool
	// Keep takes a large value as JSON out of the program and answers with the
	// expression that the program finds it by. It may be nil.
	Keep func(name, json string) (expression string)
	// Dir is the absolute directory of the document with a final slash, and
	// Property looks a property up in the block's heading and above; a few
	// languages ask for them. Property may be nil.
	Dir      string
	Property func(name string) (string, bool)
}

// arg returns a header argument, nil when it is absent or has no value.
func (p *Params) arg(name string) elisp.Value {
	if v, ok := p.Args[name]; ok && v != nil {
		return v
	}
	return elisp.Nil
}

// text returns a header argument as text and whether it has a value.
func (p *Params) text(name string) (string, bool) {
	v := p.arg(name)
	if elisp.IsNil(v) {
		return "", false
	}
	return elisp.Princ(v), true
}

func (p *Params) prologue() (string, bool) { return p.text(":prologue") }
func (p *Params) epilogue() (string, bool) { return p.text(":epilogue") }

// is reports whether an argument is exactly the given text.
func (p *Params) is(name, want string) bool {
	s, ok := p.arg(name).(elisp.String)
	return ok && string(s) == want
}

func (p *Params) wantsResult(word string) bool {
	return slices.Contains(p.Results, word)
}

// expander makes the whole text of a block.
type expander func(body string, p *Params) (string, error)

// assigner makes the statements that give the variables their values, to stand
// between prologue and body.
type assigner func(p *Params) ([]string, error)

var expanders = map[string]expander{
	"emacs-lisp": expandEmacsLisp,
	"elisp":      expandEmacsLisp,
	"lisp":       expandLisp,
	"scheme":     expandScheme,
	"clojure":    expandClojure,
	"C":          cFamily{variant: cLang}.expand,
	"C++":        cFamily{variant: cppLang}.expand,
	"cpp":        cFamily{variant: cppLang}.expand,
	"D":          cFamily{variant: dLang}.expand,
	"java":       expandJava,
	"csharp":     expandCSharp,
	"fortran":    expandFortran,
	"awk":        expandAround,
	"calc":       expandAround,
	"dot":        expandDollar,
	"lilypond":   expandDollar,
	"org":        expandOrg,
	"latex":      expandLatex,
	"sql":        expandSQL,
	"sqlite":     expandSQL,
	"gnuplot":    expandGnuplot,
}

var assigners = map[string]assigner{
	"python":     each(assignPython),
	"lua":        each(assignLua),
	"ruby":       each(assignRuby),
	"js":         each(assignJS),
	"perl":       each(assignPerl),
	"haskell":    each(assignHaskell),
	"ocaml":      each(assignOCaml),
	"octave":     each(assignOctave),
	"matlab":     each(assignOctave),
	"eshell":     each(assignEshell),
	"plantuml":   each(assignPlantUML),
	"processing": each(assignProcessing),
	"R":          assignR,
	"julia":      assignJulia,
}

func init() {
	for _, shell := range shells {
		assigners[shell] = assignShell(shell)
	}
}

// Expand adds variables, prologue and epilogue to a body the way tangling does
// for the language. Errors say which variable cannot be written and why.
func Expand(language, body string, p *Params) (string, error) {
	if expand, ok := expanders[language]; ok {
		return expand(body, p)
	}
	before, after, err := Surround(language, p)
	return before + body + after, err
}

// Surround is the text before and after the body of a language whose
// variables are statements: prologue and assignments above it, the epilogue
// below.
func Surround(language string, p *Params) (before, after string, err error) {
	var parts []string
	if text, ok := p.prologue(); ok {
		parts = append(parts, text)
	}
	if assign, ok := assigners[language]; ok {
		statements, err := assign(p)
		if err != nil {
			return "", "", err
		}
		parts = append(parts, statements...)
	}
	if text, ok := p.epilogue(); ok {
		after = "\n" + text
	}
	return strings.Join(append(parts, ""), "\n"), after, nil
}

// each makes an assigner of a function for one variable.
func each(assign func(*Params, Var) (string, error)) assigner {
	return func(p *Params) ([]string, error) {
		statements := make([]string, len(p.Vars))
		for i, v := range p.Vars {
			s, err := assign(p, v)
			if err != nil {
				return nil, err
			}
			statements[i] = s
		}
		return statements, nil
	}
}

// expandAround is for languages that take variables another way: only prologue
// and epilogue are added.
func expandAround(body string, p *Params) (string, error) {
	return around(body, p), nil
}

func around(body string, p *Params) string {
	if text, ok := p.prologue(); ok {
		body = text + "\n" + body
	}
	if text, ok := p.epilogue(); ok {
		body += "\n" + text + "\n"
	}
	return body
}
