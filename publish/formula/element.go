package formula

import (
	"html"
	"strings"
)

// element is a MathML element: a token with text, or one with children.
type element struct {
	name  string // "mi", "mrow", …; "" is a group without an element of its own
	attrs string // ` stretchy="false"`, written as it is
	text  string
	kids  []*element
	// limits says that scripts go above and below: 0 as sub- and superscripts.
	limits limits
	// function says that it is the name of a function, which stands off from
	// what it is applied to.
	function bool
}

type limits int

const (
	noLimits   limits = iota // scripts stand beside
	movable                  // above and below in display style only
	withLimits               // above and below
)

func mi(text string) *element { return &element{name: "mi", text: text} }
func mn(text string) *element { return &element{name: "mn", text: text} }
func mo(text string) *element { return &element{name: "mo", text: text} }

// upright is an identifier that is not slanted.
func upright(text string) *element {
	return &element{name: "mi", attrs: ` mathvariant="normal"`, text: text}
}

// space is horizontal space, width with its unit.
func space(width string) *element { return &element{name: "mspace", attrs: ` width="` + width + `"`} }

func node(name string, kids ...*element) *element { return &element{name: name, kids: kids} }

// row is several elements as one.
func row(kids []*element) *element {
	if len(kids) == 1 {
		return kids[0]
	}
	return node("mrow", kids...)
}

func (e *element) with(attrs string) *element {
	e.attrs += attrs
	return e
}

func (e *element) write(out *strings.Builder) {
	if e.name == "" {
		for _, k := range e.kids {
			k.write(out)
		}
		return
	}
	out.WriteByte('<')
	out.WriteString(e.name)
	out.WriteString(e.attrs)
	out.WriteByte('>')
	if e.text != "" {
		out.WriteString(html.EscapeString(e.text))
	}
	for _, k := range e.kids {
		k.write(out)
	}
	out.WriteString("</")
	out.WriteString(e.name)
	out.WriteByte('>')
}
