// Package formula writes LaTeX formulas as MathML, so that pages show them
// without a script, a font or a request: browsers draw MathML Core themselves.
//
//	html, err := math.Inline(`e^{i\pi} + 1 = 0`, nil)
//
// It knows the mathematics of LaTeX and amsmath that notes and papers use:
// fractions, roots, scripts, delimiters, accents, alphabets, matrices, cases,
// aligned and numbered equations, \newcommand. It does not set text, draw
// (tikz, xy) or load packages. A command it does not know is an [*Error] with
// its place, never a guess.
//
// Alphabets are written as the characters Unicode has for them, since MathML
// Core has no mathvariant. The source stands in an annotation, where screen
// readers and copying find it.
package formula

import (
	"fmt"
	"html"
	"strings"
)

// Error is a mistake in a formula.
type Error struct {
	Offset  int    // byte offset in the formula
	Message string // lower case, no period
	Hint    string // what may be meant, "" when nothing is near
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Offset, e.Message) }

// Equation is a display formula that may have a number.
type Equation struct {
	MathML string
	// Tag is the number to set beside it, without parentheses: of an
	// environment with one numbered row. Environments with several have
	// theirs in the MathML.
	Tag string
	// ID is the anchor of that number, "" without a label.
	ID string

	first string // the first number in it
}

// Label is a place in a formula that \eqref and \ref lead to.
type Label struct {
	Name string // of \label{Name}
	ID   string // an HTML id, made of the name
	Tag  string // the number or the text of \tag, without parentheses
}

// Numbering gives equations numbers in the order of the document, and knows
// their labels. References may lead to what comes later, so a document is
// read twice: [Numbering.Scan] for each environment in order, then
// [Numbering.Restart], then [Display] in the same order. The zero Numbering is
// ready to scan. It is not safe for concurrent use.
type Numbering struct {
	last     int
	labels   map[string]Label
	ids      map[string]bool // given out since the start
	scanning bool
}

// Scan takes the labels of a formula and returns its first number. Mistakes are
// left for [Display] to find.
func (n *Numbering) Scan(tex string, macros *Macros) (tag string) {
	n.scanning = true
	e, _ := Display(tex, macros, n)
	return e.first
}

// Name gives a label to a place that has a name otherwise.
func (n *Numbering) Name(l Label) { n.name(l) }

// Restart begins to count anew and keeps the labels.
func (n *Numbering) Restart() { n.last, n.scanning, n.ids = 0, false, nil }

// Label finds a label by name.
func (n *Numbering) Label(name string) (Label, bool) {
	if n == nil {
		return Label{}, false
	}
	l, ok := n.labels[name]
	return l, ok
}

func (n *Numbering) next() string {
	n.last++
	return fmt.Sprint(n.last)
}

// take reports whether an id is free, and takes it.
func (n *Numbering) take(id string) bool {
	if n == nil || n.ids[id] {
		return false
	}
	if n.ids == nil {
		n.ids = map[string]bool{}
	}
	n.ids[id] = true
	return true
}

func (n *Numbering) name(l Label) {
	if n.labels == nil {
		n.labels = map[string]Label{}
	}
	if _, taken := n.labels[l.Name]; !taken {
		n.labels[l.Name] = l
	}
}

// ID is the anchor of a label.
func ID(label string) string {
	return "eq:" + strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 127 {
			return r
		}
		return '-'
	}, strings.TrimPrefix(label, "eq:"))
}

// Inline writes a formula that stands in running text. Definitions in it are
// added to macros, which may be nil. The formula is without its delimiters.
func Inline(tex string, macros *Macros) (string, error) {
	p := newParser(tex, macros, nil)
	body, err := p.formula()
	if err != nil {
		return "", err
	}
	return wrap("<math>", tex, body), nil
}

// Display writes a formula that stands on lines of its own: what stands
// between $$ or \[ \], or a whole environment. With a Numbering, environments
// that LaTeX numbers get numbers.
func Display(tex string, macros *Macros, numbers *Numbering) (Equation, error) {
	p := newParser(tex, macros, numbers)
	p.display = true
	body, err := p.formula()
	if err != nil {
		return Equation{first: p.first}, err
	}
	if p.tag == "" && (p.rowTag != "" || p.label != "") { // \[ … \tag{a} \]
		p.noTag = true
		p.setNumber(environment{numbered: true})
	}
	return Equation{MathML: wrap(`<math display="block">`, tex, body), Tag: p.tag, ID: p.id, first: p.first}, nil
}

// wrap puts the formula and its source into one element.
func wrap(open, tex string, body []*element) string {
	var out strings.Builder
	out.WriteString(open)
	out.WriteString("<semantics>")
	row(body).write(&out)
	out.WriteString(`<annotation encoding="application/x-tex">`)
	out.WriteString(html.EscapeString(strings.TrimSpace(tex)))
	out.WriteString("</annotation></semantics></math>")
	return out.String()
}
