package elisp

import "math"

// number converts a numeric value to a double.
func number(v Value) (float64, bool) {
	switch v := v.(type) {
	case Int:
		return float64(v), true
	case Float:
		return float64(v), true
	}
	return 0, false
}

var numberFuncs = map[Symbol]builtin{
	"+":  between(0, -1, arith(0, func(a, b Int) (Int, bool) { c := a + b; return c, (c > a) == (b > 0) }, func(a, b float64) float64 { return a + b })),
	"*":  between(0, -1, arith(1, multiply, func(a, b float64) float64 { return a * b })),
	"-":  between(0, -1, subtract),
	"/":  between(1, -1, divide),
	"%":  fixed(2, remainder),
	"1+": fixed(1, func(a []Value) (Value, error) { return step(a[0], 1) }),
	"1-": fixed(1, func(a []Value) (Value, error) { return step(a[0], -1) }),
	"mod": fixed(2, func(a []Value) (Value, error) {
		x, xInt := a[0].(Int)
		y, yInt := a[1].(Int)
		if xInt && yInt {
			if y == 0 {
				return nil, failf("division by zero")
			}
			if y == -1 {
				return Int(0), nil
			}
			r := x % y
			if r != 0 && (r < 0) != (y < 0) {
				r += y
			}
			return r, nil
		}
		f, ok := number(a[0])
		g, ok2 := number(a[1])
		if !ok || !ok2 {
			return nil, wrongType("two numbers", List(a...))
		}
		return Float(f - g*math.Floor(f/g)), nil
	}),
	"abs": fixed(1, func(a []Value) (Value, error) {
		switch v := a[0].(type) {
		case Int:
			if v < 0 {
				return -v, nil
			}
			return v, nil
		case Float:
			return Float(math.Abs(float64(v))), nil
		}
		return nil, wrongType("a number", a[0])
	}),
	"float": fixed(1, func(a []Value) (Value, error) {
		f, ok := number(a[0])
		if !ok {
			return nil, wrongType("a number", a[0])
		}
		return Float(f), nil
	}),
	"floor":    between(1, 2, rounding(math.Floor)),
	"ceiling":  between(1, 2, rounding(math.Ceil)),
	"round":    between(1, 2, rounding(math.RoundToEven)),
	"truncate": between(1, 2, rounding(math.Trunc)),
	"max":      between(1, -1, extreme(func(a, b float64) bool { return a > b })),
	"min":      between(1, -1, extreme(func(a, b float64) bool { return a < b })),
	"=":        between(1, -1, compare(func(a, b float64) bool { return a == b })),
	"<":        between(1, -1, compare(func(a, b float64) bool { return a < b })),
	">":        between(1, -1, compare(func(a, b float64) bool { return a > b })),
	"<=":       between(1, -1, compare(func(a, b float64) bool { return a <= b })),
	">=":       between(1, -1, compare(func(a, b float64) bool { return a >= b })),
	"/=":       fixed(2, compare(func(a, b float64) bool { return a != b })),
	"zerop": fixed(1, func(a []Value) (Value, error) {
		f, ok := number(a[0])
		if !ok {
			return nil, wrongType("a number", a[0])
		}
		return boolean(f == 0), nil
	}),
}

func step(v Value, by int) (Value, error) {
	switch v := v.(type) {
	case Int:
		return v + Int(by), nil
	case Float:
		return v + Float(by), nil
	}
	return nil, wrongType("a number", v)
}

func multiply(a, b Int) (Int, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

// arith folds numbers; integers stay integers until a float appears.
func arith(start Int, whole func(a, b Int) (Int, bool), real func(a, b float64) float64) Func {
	return func(args []Value) (Value, error) {
		total, inexact, isFloat := start, float64(start), false
		for _, arg := range args {
			switch v := arg.(type) {
			case Int:
				if isFloat {
					inexact = real(inexact, float64(v))
					continue
				}
				sum, ok := whole(total, v)
				if !ok {
					return nil, failf("the result does not fit in 64 bits")
				}
				total = sum
			case Float:
				if !isFloat {
					isFloat, inexact = true, float64(total)
				}
				inexact = real(inexact, float64(v))
			default:
				return nil, wrongType("a number", arg)
			}
		}
		if isFloat {
			return Float(inexact), nil
		}
		return total, nil
	}
}

func subtract(args []Value) (Value, error) {
	if len(args) == 0 {
		return Int(0), nil
	}
	for _, arg := range args {
		if _, ok := number(arg); !ok {
			return nil, wrongType("a number", arg)
		}
	}
	if len(args) == 1 {
		if n, ok := args[0].(Int); ok {
			return -n, nil
		}
		return -args[0].(Float), nil
	}
	if f, ok := args[0].(Float); ok {
		return realFold(float64(f), args[1:], func(a, b float64) float64 { return a - b }), nil
	}
	total := args[0].(Int)
	for i, arg := range args[1:] {
		n, ok := arg.(Int)
		if !ok {
			return realFold(float64(total), args[1+i:], func(a, b float64) float64 { return a - b }), nil
		}
		total -= n
	}
	return total, nil
}

func realFold(start float64, args []Value, op func(a, b float64) float64) Value {
	for _, arg := range args {
		f, _ := number(arg)
		start = op(start, f)
	}
	return Float(start)
}

// divide is /: floats as soon as one argument is a float, else truncating.
func divide(args []Value) (Value, error) {
	inexact := false
	for _, arg := range args {
		if _, ok := number(arg); !ok {
			return nil, wrongType("a number", arg)
		}
		if _, ok := arg.(Float); ok {
			inexact = true
		}
	}
	if len(args) == 1 {
		args = []Value{Int(1), args[0]}
	}
	if inexact {
		f, _ := number(args[0])
		return realFold(f, args[1:], func(a, b float64) float64 { return a / b }), nil
	}
	total := args[0].(Int)
	for _, arg := range args[1:] {
		n := arg.(Int)
		switch n {
		case 0:
			return nil, failf("division by zero")
		case -1:
			total = -total
		default:
			total /= n
		}
	}
	return total, nil
}

func remainder(args []Value) (Value, error) {
	a, aOK := args[0].(Int)
	b, bOK := args[1].(Int)
	if !aOK || !bOK {
		return nil, wrongType("two integers", List(args...))
	}
	switch b {
	case 0:
		return nil, failf("division by zero")
	case -1:
		return Int(0), nil
	}
	return a % b, nil
}

func rounding(round func(float64) float64) Func {
	return func(args []Value) (Value, error) {
		f, ok := number(args[0])
		if !ok {
			return nil, wrongType("a number", args[0])
		}
		if n, whole := args[0].(Int); whole && len(args) == 1 {
			return n, nil
		}
		if len(args) == 2 {
			g, ok := number(args[1])
			if !ok || g == 0 {
				return nil, failf("division by zero")
			}
			f /= g
		}
		r := round(f)
		if math.IsNaN(r) || math.Abs(r) > 1<<62 {
			return nil, failf("the result does not fit in 64 bits")
		}
		return Int(r), nil
	}
}

func extreme(better func(a, b float64) bool) Func {
	return func(args []Value) (Value, error) {
		best := args[0]
		for _, arg := range args {
			f, ok := number(arg)
			if !ok {
				return nil, wrongType("a number", arg)
			}
			if g, ok := number(best); ok && better(f, g) {
				best = arg
			}
		}
		return best, nil
	}
}

func compare(holds func(a, b float64) bool) Func {
	return func(args []Value) (Value, error) {
		result := true
		for i := range args {
			b, ok := number(args[i])
			if !ok {
				return nil, wrongType("a number", args[i])
			}
			if i > 0 {
				a, _ := number(args[i-1])
				result = result && holds(a, b)
			}
		}
		return boolean(result), nil
	}
}
