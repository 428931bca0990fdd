package cbackend

import (
	"fmt"
	"math"

	"wb/internal/value"
	"wb/tangle/babel"
)

// Dialect is how a language writes constants.
type Dialect struct {
	Language string
	Text     string                      // the type of text
	List     func(element string) string // the type of a list
	Items    func(items []string) string // a list
	Point    bool                        // a whole number among others needs a point
}

// constant is the type of a value: a scalar (bool, i64, f64 or text) inside of
// so many lists. The scalar is "" for what is empty.
type constant struct {
	scalar string
	depth  int
}

const text = "text"

// Constant is a variable's value as a constant, and its type. Rules between rows
// are left out; different things in one list are texts.
func (d Dialect) Constant(v value.Value) (typ, literal string, err error) {
	v = v.WithoutRules()
	c := typeOf(v)
	if c.scalar == "" {
		c = constant{text, 1}
	}
	literal, err = d.literal(v, c)
	return d.typeName(c), literal, err
}

func typeOf(v value.Value) constant {
	switch v.Kind() {
	case value.Null:
		return constant{}
	case value.Bool:
		return constant{"bool", 0}
	case value.Int:
		return constant{"i64", 0}
	case value.Float:
		return constant{"f64", 0}
	case value.List:
		var common constant
		for _, item := range v.Items() {
			switch t := typeOf(item); {
			case common.scalar == "" || common == t:
				common = t
			case common == constant{"i64", 0} && t == constant{"f64", 0} || common == constant{"f64", 0} && t == constant{"i64", 0}:
				common = constant{"f64", 0}
			case t.scalar == "":
			case common.depth > 0 && t.depth > 0:
				common = constant{text, 1}
			default:
				common = constant{text, 0}
			}
		}
		if common.scalar != "" {
			common.depth++
		}
		return common
	}
	return constant{text, 0}
}

func (d Dialect) typeName(c constant) string {
	name := c.scalar
	if name == text {
		name = d.Text
	}
	for range c.depth {
		name = d.List(name)
	}
	return name
}

func (d Dialect) literal(v value.Value, c constant) (string, error) {
	switch v.Kind() {
	case value.Object, value.BlobRef:
		return "", fmt.Errorf("this value cannot become a %s constant; give the block a :sig: to pass structured data", d.Language)
	case value.Null:
		if c.depth > 0 {
			return d.Items(nil), nil
		}
		return "", fmt.Errorf("an empty cell among values of type %s", d.typeName(c))
	case value.List:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			literal, err := d.literal(item, constant{c.scalar, max(0, c.depth-1)})
			if err != nil {
				return "", err
			}
			items[i] = literal
		}
		return d.Items(items), nil
	}
	if f := v.Float(); c.scalar != text && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return "", fmt.Errorf("%g cannot become a constant: give it to a function as an argument", f)
	}
	if c.scalar == "f64" && v.Rounds() {
		return "", fmt.Errorf("%s would be rounded among fractions: pass it as text", v)
	}
	if v.IsBig() && c.scalar != text {
		return "", fmt.Errorf("%s is more than a signed integer of 64 bits holds", v)
	}
	plain := v.String()
	if v.Kind() == value.String {
		plain = v.Text()
	}
	switch {
	case c.scalar == text:
		return babel.Quote(plain, `"\\`, `\x%02x`), nil
	case d.Point && c.scalar == "f64" && v.Kind() == value.Int:
		return plain + ".0", nil
	}
	return plain, nil
}
