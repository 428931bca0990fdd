package golang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"wb/internal/value"
	"wb/tangle/babel"
)

// A large value as a composite literal takes the compiler half a minute. It is one
// string constant instead, which the program unpacks before main: a list begins
// with its length, a text with its length in bytes, and a number is its bits, each
// as hexadecimal digits that end with a colon.

// unpackers are part of every program with variables; the linker leaves out what is
// not used.
const unpackers = `
func wbBits(from *string) (bits uint64) {
	for i, c := range []byte(*from) {
		switch {
		case c == ':':
			*from = (*from)[i+1:]
			return bits
		case c >= 'a':
			c -= 'a' - '0' - 10
		}
		bits = bits<<4 | uint64(c-'0')
	}
	return bits
}

func wbString(from *string) string {
	n := wbBits(from)
	text := (*from)[:n]
	*from = (*from)[n:]
	return text
}

func wbWhole[T ~int | ~uint64](from *string) T { return T(wbBits(from)) }

func wbBool(from *string) bool { return wbBits(from) == 1 }

func wbNumber(from *string) float64 { return wbFloat(wbBits(from)) }

func wbFloat(bits uint64) float64 { return *(*float64)(unsafe.Pointer(&bits)) }

func wbItems[E any](from *string, item func(*string) E) []E {
	items := make([]E, wbBits(from))
	for i := range items {
		items[i] = item(from)
	}
	return items
}
`

// unpacker is the function that reads a value of type t, "" for types that are
// written as literals.
func unpacker(t string) string {
	element, isSlice := strings.CutPrefix(t, "[]")
	switch {
	case isSlice && unpacker(element) != "":
		return fmt.Sprintf("func(from *string) %s { return wbItems(from, %s) }", t, unpacker(element))
	case t == "int" || t == "uint64":
		return "wbWhole[" + t + "]"
	}
	return map[string]string{"string": "wbString", "bool": "wbBool", "float64": "wbNumber"}[t]
}

// packable reports whether a value of type t is large and can be unpacked.
func packable(v value.Value, t string) bool { return unpacker(t) != "" && atoms(v, babel.Large) <= 0 }

// atoms is how many of left atoms remain when those of v are taken.
func atoms(v value.Value, left int) int {
	for _, item := range v.Items() {
		if left = atoms(item, left-1); left <= 0 {
			break
		}
	}
	return left
}

// packed writes a large value as an expression of type t.
func packed(v value.Value, t string) (string, error) {
	var b strings.Builder
	if err := pack(&b, v, t); err != nil {
		return "", err
	}
	return fmt.Sprintf("func() %s { from := %s; return %s(&from) }()", t, strconv.Quote(b.String()), "("+unpacker(t)+")"), nil
}

func pack(b *strings.Builder, v value.Value, t string) error {
	bits := func(n uint64) { b.WriteString(strconv.FormatUint(n, 16) + ":") }
	element, isSlice := strings.CutPrefix(t, "[]")
	switch {
	case isSlice:
		bits(uint64(len(v.Items())))
		for _, item := range v.Items() {
			if err := pack(b, item, element); err != nil {
				return err
			}
		}
	case t == "string":
		text := ""
		if !v.IsNull() {
			text = scalarText(v)
		}
		bits(uint64(len(text)))
		b.WriteString(text)
	case v.IsNull():
		return fmt.Errorf("an empty cell among values of type %s", t)
	case t == "float64" && v.Rounds():
		return fmt.Errorf("%s would be rounded among fractions: pass it as text", v)
	case t == "float64":
		bits(math.Float64bits(v.Float()))
	case v.Kind() == value.Bool:
		bits(map[bool]uint64{true: 1}[v.Bool()])
	case t == "int":
		bits(uint64(v.Int()))
	default:
		bits(v.Uint())
	}
	return nil
}
