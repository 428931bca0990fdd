package format

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
)

// number is a number as Emacs Calc has it: an exact integer, or a decimal
// float of twelve significant digits.
type number struct {
	rat   *big.Rat // nil is zero
	float bool
}

const (
	precision = 12 // digits Calc computes with
	shown     = 8  // digits Org shows
)

var plainNumber = lazyregexp.New(`^-?(\d+\.?\d*|\.\d+)$`)

// parseCell reads a field; an empty one counts as zero.
func parseCell(text string) (number, error) {
	if text == "" {
		return number{}, nil
	}
	return parseNumber(text)
}

func parseNumber(text string) (number, error) {
	if !plainNumber.MatchString(text) || len(text) > 30 {
		return number{}, fmt.Errorf("%q is not a plain number", text)
	}
	rat, ok := new(big.Rat).SetString(text)
	if !ok {
		return number{}, fmt.Errorf("%q is not a plain number", text)
	}
	return number{rat, strings.Contains(text, ".")}.rounded(), nil
}

func (n number) value() *big.Rat {
	if n.rat == nil {
		return new(big.Rat)
	}
	return n.rat
}

func (n number) rounded() number {
	if n.float {
		n.rat = roundTo(n.value(), precision)
	}
	return n
}

func (n number) neg() number { return number{new(big.Rat).Neg(n.value()), n.float} }

func (n number) add(m number) number {
	return number{new(big.Rat).Add(n.value(), m.value()), n.float || m.float}.rounded()
}

func (n number) mul(m number) number {
	return number{new(big.Rat).Mul(n.value(), m.value()), n.float || m.float}.rounded()
}

// div divides; integers that do not divide evenly give a float.
func (n number) div(m number) (number, error) {
	if m.value().Sign() == 0 {
		return number{}, errors.New("division by zero")
	}
	q := new(big.Rat).Quo(n.value(), m.value())
	return number{q, n.float || m.float || !q.IsInt()}.rounded(), nil
}

// pow raises to a small natural number.
func (n number) pow(m number) (number, error) {
	if !m.value().IsInt() || m.float || m.value().Sign() < 0 || m.value().Cmp(big.NewRat(64, 1)) > 0 {
		return number{}, errors.New("exponents are whole numbers from 0 to 64 only")
	}
	if n.value().Num().BitLen() > 128 {
		return number{}, errors.New("the number is too large")
	}
	out := number{big.NewRat(1, 1), n.float}
	for range int(m.value().Num().Int64()) {
		out = number{new(big.Rat).Mul(out.value(), n.value()), n.float}
	}
	return out.rounded(), nil
}

// print writes a number as Calc does by Org's settings. Floats that Calc would
// write with an exponent are refused.
func (n number) print() (string, error) {
	v := n.value()
	if !n.float {
		if v.Num().BitLen() > 256 {
			return "", errors.New("the number is too large")
		}
		return v.Num().String(), nil
	}
	if v.Sign() == 0 {
		return "0.", nil
	}
	size := new(big.Rat).Abs(v)
	if size.Cmp(big.NewRat(1, 100)) < 0 || size.Cmp(big.NewRat(10_000_000, 1)) >= 0 {
		return "", errors.New("the result needs an exponent")
	}
	text := roundTo(v, shown).FloatString(precision)
	return strings.TrimRight(text, "0"), nil
}

// roundTo rounds to significant decimal digits, halves away from zero.
func roundTo(v *big.Rat, digits int) *big.Rat {
	if v.Sign() == 0 {
		return v
	}
	ten := big.NewRat(10, 1)
	scale := big.NewRat(1, 1)
	size := new(big.Rat).Abs(v)
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	low := new(big.Rat).Quo(limit, ten)
	for size.Cmp(limit) >= 0 {
		size.Quo(size, ten)
		scale.Quo(scale, ten)
	}
	for size.Cmp(low) < 0 {
		size.Mul(size, ten)
		scale.Mul(scale, ten)
	}
	scaled := new(big.Rat).Add(size, big.NewRat(1, 2))
	whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	out := new(big.Rat).Quo(new(big.Rat).SetInt(whole), scale)
	if v.Sign() < 0 {
		out.Neg(out)
	}
	return out
}

// aggregate applies one of Calc's vector functions.
func aggregate(name string, values []number) (number, error) {
	if name == "vcount" || name == "vlen" {
		return number{rat: big.NewRat(int64(len(values)), 1)}, nil
	}
	if len(values) == 0 {
		if name == "vsum" {
			return number{}, nil
		}
		return number{}, fmt.Errorf("%s of nothing", name)
	}
	if name == "vmedian" {
		return median(values)
	}
	out := values[0]
	for _, v := range values[1:] {
		switch order := v.value().Cmp(out.value()); {
		case name == "vmin" && order < 0, name == "vmax" && order > 0:
			out = v
		case name == "vsum", name == "vmean":
			out = out.add(v)
		case name == "vprod":
			out = out.mul(v)
		}
	}
	if name == "vmean" {
		return out.div(number{rat: big.NewRat(int64(len(values)), 1)})
	}
	return out, nil
}

// median is the middle of the values in order, or the mean of the middle two.
func median(values []number) (number, error) {
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b number) int { return a.value().Cmp(b.value()) })
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid], nil
	}
	return sorted[mid-1].add(sorted[mid]).div(number{rat: big.NewRat(2, 1)})
}

// value is the value of an expression: a number, text, or nan, which an empty
// field is in mode E.
type value struct {
	number
	text   string
	isText bool
	nan    bool
}

func (v value) isTrue() bool { return v.value().Sign() != 0 }
