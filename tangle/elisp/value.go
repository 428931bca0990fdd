package elisp

import "strings"

// Value is a Lisp object: [Int], [Big], [Float], [String], [Symbol], [*Cons] or
// [Vector]. The empty list, false and "no value" are all [Nil].
type Value interface {
	// String is the printed form, as [Print] gives it.
	String() string
}

// Int is a whole number of 64 bits.
type Int int64

// Big is a whole number from 2^63 to 2^64-1, which Emacs has as a bignum. Nothing
// here calculates with it.
type Big uint64

// Float is a double; it prints with a decimal point even when whole.
type Float float64

// String is text.
type String string

// Symbol is an interned name; `nil` and `t` are symbols.
type Symbol string

// Vector is an array written [a b c].
type Vector []Value

// Cons is a pair; a list is a chain of pairs that ends in [Nil].
type Cons struct {
	Car, Cdr Value
}

// The symbols every program needs.
const (
	Nil   Symbol = "nil"
	T     Symbol = "t"
	HLine Symbol = "hline" // a horizontal rule between table rows
)

func (v Int) String() string    { return Print(v) }
func (v Big) String() string    { return Print(v) }
func (v Float) String() string  { return Print(v) }
func (v String) String() string { return Print(v) }
func (v Symbol) String() string { return Print(v) }
func (v Vector) String() string { return Print(v) }
func (v *Cons) String() string  { return Print(v) }

// IsNil reports whether v is the empty list.
func IsNil(v Value) bool { return v == nil || v == Nil }

// IsList reports whether v is a cons or nil, Emacs's listp.
func IsList(v Value) bool {
	_, pair := v.(*Cons)
	return pair || IsNil(v)
}

// List makes a proper list.
func List(items ...Value) Value {
	var list Value = Nil
	for i := len(items) - 1; i >= 0; i-- {
		list = &Cons{items[i], list}
	}
	return list
}

// Items returns the elements of a proper list; ok is false for anything else.
func Items(v Value) (items []Value, ok bool) {
	for !IsNil(v) {
		pair, isPair := v.(*Cons)
		if !isPair {
			return items, false
		}
		items = append(items, pair.Car)
		v = pair.Cdr
	}
	return items, true
}

// Car is the first element of a list; nil for nil and for atoms.
func Car(v Value) Value {
	if pair, ok := v.(*Cons); ok {
		return pair.Car
	}
	return Nil
}

// Cdr is the rest of a list; nil for nil and for atoms.
func Cdr(v Value) Value {
	if pair, ok := v.(*Cons); ok {
		return pair.Cdr
	}
	return Nil
}

// Equal is Emacs's equal: same type and same content.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case *Cons:
		for {
			pair, ok := b.(*Cons)
			if !ok || !Equal(a.Car, pair.Car) {
				return false
			}
			next, more := a.Cdr.(*Cons)
			if !more {
				return Equal(a.Cdr, pair.Cdr)
			}
			a, b = next, pair.Cdr
		}
	case Vector:
		other, ok := b.(Vector)
		if !ok || len(a) != len(other) {
			return false
		}
		for i := range a {
			if !Equal(a[i], other[i]) {
				return false
			}
		}
		return true
	case nil:
		return IsNil(b)
	}
	if b == nil {
		return a == Nil
	}
	if _, vector := b.(Vector); vector {
		return false
	}
	return a == b
}

// symbolNeedsEscape reports whether a character inside a symbol is printed
// with a backslash before it.
func symbolNeedsEscape(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"';()[]#`,.\\", r)
}
