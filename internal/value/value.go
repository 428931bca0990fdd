// Package value is the one data model that every part of wb shares: what a
// component takes, what it returns, what a table or a list in an org file
// means, and what is written back under #+RESULTS:.
//
// A [Value] is JSON (null, bool, number, string, list, object) with three
// additions that org needs: integers and floats are told apart (Emacs prints
// 2 and 2.0 differently), a table row may be a horizontal line ([HLine]), and
// a file travels as a [Blob], its content hash and media type, never inline.
//
// Values are immutable: constructors copy nothing and accessors return shared
// slices that callers must not modify. The zero Value is null.
package value

import (
	"math"
	"math/bits"
)

// Kind says which of the nine shapes a Value has.
type Kind uint8

// The kinds of a Value.
const (
	Null    Kind = iota // JSON null, elisp nil, Python None
	Bool                // true or false
	Int                 // a whole number from -2^63 to 2^64-1
	Float               // any other number (IEEE 754 double)
	String              // UTF-8 text; invalid bytes are kept as they are
	List                // an array; a list of lists is a table
	Object              // named fields in the order they were written
	HLine               // a horizontal rule between table rows
	BlobRef             // bytes kept elsewhere, named by their SHA-256
)

// Value is one immutable datum. The zero Value is null.
type Value struct {
	_    [0]func() // not comparable with ==, see Equal
	kind Kind
	big  bool   // an integer above 2^63-1, which is num as it stands
	num  uint64 // a boolean, an integer or the bits of a float
	text string // a string
	box  any    // []Value, []Field or Blob
}

// Field is one named member of an object.
type Field struct {
	Name  string
	Value Value
}

// Blob names bytes by content: SHA256 is 64 lower-case hex digits, Size is in
// bytes, Media is a media type such as "image/svg+xml" ("" when unknown) and
// Path is the file name the author asked for ("" when there is none).
type Blob struct {
	SHA256 string
	Size   int64
	Media  string
	Path   string
}

// Nil is the null value.
func Nil() Value { return Value{} }

// OfBool makes a boolean.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// OfInt makes an integer.
func OfInt(i int64) Value { return Value{kind: Int, num: uint64(i)} }

// OfUint makes an integer that may lie above 2^63-1.
func OfUint(u uint64) Value { return Value{kind: Int, num: u, big: u > math.MaxInt64} }

// OfFloat makes a floating-point number; it stays a float even when whole.
func OfFloat(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }

// OfString makes text.
func OfString(s string) Value { return Value{kind: String, text: s} }

// OfList makes a list of items; a list whose items are lists is a table.
func OfList(items ...Value) Value { return Value{kind: List, box: items} }

// OfObject makes an object whose fields keep the given order.
func OfObject(fields ...Field) Value { return Value{kind: Object, box: fields} }

// Rule makes the horizontal line that separates table rows.
func Rule() Value { return Value{kind: HLine} }

// OfBlob makes a reference to bytes kept in a blob store.
func OfBlob(b Blob) Value { return Value{kind: BlobRef, box: b} }

// Kind reports the value's shape.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns the boolean, or false for any other kind.
func (v Value) Bool() bool { return v.kind == Bool && v.num == 1 }

// IsBig reports whether v is an integer above 2^63-1: [Value.Int] does not hold
// it, [Value.Uint] does.
func (v Value) IsBig() bool { return v.big }

// Rounds reports whether v is an integer that a double does not hold.
func (v Value) Rounds() bool {
	n := v.num
	if !v.big && int64(n) < 0 {
		n = -n
	}
	return v.kind == Int && bits.Len64(n)-bits.TrailingZeros64(n) > 53
}

// Uint returns the bits of the integer: its value, unless it is negative.
func (v Value) Uint() uint64 {
	if v.kind == Int {
		return v.num
	}
	return uint64(v.Int())
}

// Int returns the integer, at most 2^63-1, a float truncated towards zero, or 0.
func (v Value) Int() int64 {
	switch v.kind {
	case Int:
		if v.big {
			return math.MaxInt64
		}
		return int64(v.num)
	case Float:
		return int64(math.Float64frombits(v.num))
	}
	return 0
}

// Float returns the number as a double, or 0 for other kinds.
func (v Value) Float() float64 {
	switch v.kind {
	case Int:
		if v.big {
			return float64(v.num)
		}
		return float64(int64(v.num))
	case Float:
		return math.Float64frombits(v.num)
	}
	return 0
}

// Text returns the string, or "" for other kinds.
func (v Value) Text() string { return v.text }

// Items returns the elements of a list, nil for other kinds.
func (v Value) Items() []Value {
	items, _ := v.box.([]Value)
	return items
}

// WithoutRules is a table without the rules between its rows; other kinds stay
// as they are.
func (v Value) WithoutRules() Value {
	if v.kind != List {
		return v
	}
	var rows []Value
	for _, row := range v.Items() {
		if row.kind != HLine {
			rows = append(rows, row)
		}
	}
	return OfList(rows...)
}

// Fields returns the members of an object, nil for other kinds.
func (v Value) Fields() []Field {
	fields, _ := v.box.([]Field)
	return fields
}

// Blob returns the reference, zero for other kinds.
func (v Value) Blob() Blob {
	blob, _ := v.box.(Blob)
	return blob
}

// Get returns the named member of an object and whether it is there.
func (v Value) Get(name string) (Value, bool) {
	for _, f := range v.Fields() {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// IsTable reports whether v is a non-empty list whose items are all lists or
// horizontal lines, at least one of them a list.
func (v Value) IsTable() bool {
	rows := 0
	for _, item := range v.Items() {
		switch item.kind {
		case List:
			rows++
		case HLine:
		default:
			return false
		}
	}
	return v.kind == List && rows > 0
}
