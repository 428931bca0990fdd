package format

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"wb/internal/lazyregexp"
)

// functionCall begins a call of one of Calc's functions.
var functionCall = lazyregexp.New(`^(if|abs|floor|ceil|round|trunc|min|max|sqrt|remote)\(`)

// function reads the arguments of a call and computes it.
func (e *evaluation) function(open string) (value, error) {
	e.take(open)
	name := strings.TrimSuffix(open, "(")
	if name == "remote" {
		values, err := e.remoteSpan()
		if err == nil && len(values) != 1 {
			err = errors.New("remote() gives several fields; put a function around it")
		}
		if err != nil {
			return value{}, err
		}
		return value{number: values[0]}, nil
	}
	var args []value
	for {
		v, err := e.or()
		if err != nil {
			return v, err
		}
		args = append(args, v)
		if e.take(")") {
			break
		}
		if !e.take(",") {
			return v, errors.New("missing )")
		}
	}
	if name == "if" {
		switch {
		case len(args) != 3 || args[0].isText:
			return value{}, errors.New("if takes a condition and two values")
		case args[0].isTrue():
			return args[1], nil
		}
		return args[2], nil
	}
	numbers := make([]number, len(args))
	for i, a := range args {
		if a.isText {
			return value{}, fmt.Errorf("%s takes numbers", name)
		}
		numbers[i] = a.number
	}
	n, err := compute(name, numbers)
	return value{number: n}, err
}

// compute applies a function to numbers.
func compute(name string, args []number) (number, error) {
	switch {
	case name == "min", name == "max":
		return aggregate("v"+name, args)
	case len(args) == 2 && name == "round" && args[1].value().IsInt():
		return args[0].roundedTo(args[1])
	case len(args) != 1:
		return number{}, fmt.Errorf("%s with %d arguments", name, len(args))
	}
	x := args[0]
	switch name {
	case "abs":
		return number{new(big.Rat).Abs(x.value()), x.float}, nil
	case "sqrt":
		return x.sqrt()
	}
	floor := new(big.Rat).SetInt(new(big.Int).Div(x.value().Num(), x.value().Denom()))
	fraction := new(big.Rat).Sub(x.value(), floor)
	up := false
	switch half := big.NewRat(1, 2); name {
	case "ceil":
		up = fraction.Sign() > 0
	case "trunc":
		up = fraction.Sign() > 0 && x.value().Sign() < 0
	case "round":
		up = fraction.Cmp(half) > 0 || fraction.Cmp(half) == 0 && x.value().Sign() > 0
	}
	if up {
		floor.Add(floor, big.NewRat(1, 1))
	}
	return number{rat: floor}, nil
}

// roundedTo rounds to digits behind the point; the outcome is a float.
func (n number) roundedTo(digits number) (number, error) {
	places := digits.value().Num()
	if !places.IsInt64() || places.Int64() < 0 || places.Int64() > 10 {
		return number{}, errors.New("round takes 0 to 10 digits")
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), places, nil))
	whole, err := compute("round", []number{{new(big.Rat).Mul(n.value(), scale), false}})
	if err != nil || !n.float {
		return n, err
	}
	return number{new(big.Rat).Quo(whole.value(), scale), true}.rounded(), nil
}

// sqrt is exact for squares, and has Calc's precision otherwise.
func (n number) sqrt() (number, error) {
	if n.value().Sign() < 0 {
		return number{}, errors.New("root of a negative number")
	}
	if v := n.value(); v.IsInt() && !n.float {
		if root := new(big.Int).Sqrt(v.Num()); new(big.Int).Mul(root, root).Cmp(v.Num()) == 0 {
			return number{rat: new(big.Rat).SetInt(root)}, nil
		}
	}
	f := new(big.Float).SetPrec(200).SetRat(n.value())
	root, _ := f.Sqrt(f).Rat(nil)
	return number{root, true}.rounded(), nil
}

// mod is the remainder, with the sign of the divisor.
func (n number) mod(m number) (number, error) {
	if m.value().Sign() == 0 {
		return number{}, errors.New("division by zero")
	}
	q := new(big.Rat).Quo(n.value(), m.value())
	floor := new(big.Int).Div(q.Num(), q.Denom())
	rest := new(big.Rat).Sub(n.value(), new(big.Rat).Mul(m.value(), new(big.Rat).SetInt(floor)))
	return number{rest, n.float || m.float}.rounded(), nil
}

// leading is the number that text begins with, "0" if it begins with
// none; empty text stays empty.
var leading = lazyregexp.New(`^[ \t]*[-+]?(\d+\.?\d*|\.\d+)`)

func leadingNumber(text string) string {
	if text == "" {
		return ""
	}
	m := strings.TrimSpace(leading.FindString(text))
	m = strings.TrimPrefix(m, "+")
	if m == "" || m == "-" {
		return "0"
	}
	return strings.TrimSuffix(m, ".")
}

var remoteName = lazyregexp.New(`^[^,)]+`)

// remoteSpan reads the rest of remote(NAME,RANGE): numbers of another table.
func (e *evaluation) remoteSpan() ([]number, error) {
	name := strings.TrimSpace(remoteName.FindString(e.rest))
	e.rest = strings.TrimLeft(strings.TrimPrefix(e.rest, remoteName.FindString(e.rest)), " \t")
	if name == "" || !e.take(",") || e.sheet.remote == nil {
		return nil, errors.New("remote takes a table and a range")
	}
	g, err := e.sheet.remote(name)
	if err != nil {
		return nil, err
	}
	other, err := newSheet(g, nil)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	there := &evaluation{sheet: other, rest: e.rest, row: e.row, col: e.col, mode: e.mode}
	var values []number
	if from := reference.FindString(there.rest); strings.HasPrefix(there.rest[len(from):], "..") {
		values, err = there.span()
	} else {
		var v value
		if v, err = there.atom(); err == nil {
			values = []number{v.number}
		}
	}
	e.rest, e.sawNaN = there.rest, e.sawNaN || there.sawNaN
	if err == nil && !e.take(")") {
		err = errors.New("missing )")
	}
	return values, err
}
