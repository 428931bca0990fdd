package interp

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// arithmetic evaluates an expression; an error gives up the command.
func (sh *Shell) arithmetic(x syntax.ArithmExpr) int {
	n, err := sh.computeWhole(x)
	return sh.computed(n, err)
}

// evaluate computes an arithmetic expression given as text.
func (sh *Shell) evaluate(s string) int {
	n, err := sh.computeText(s, 0)
	return sh.computed(n, err)
}

func (sh *Shell) computed(n int64, err error) int {
	var unset unboundError
	switch {
	case err == nil || sh.flow != 0:
	case errors.As(err, &unset):
		sh.unbound(string(unset))
	default:
		sh.errorf("%v", err)
		sh.discard()
	}
	return int(n)
}

// unboundError is a name without a value, under set -u.
type unboundError string

func (e unboundError) Error() string { return string(e) + ": unbound variable" }

// computeWhole computes an expression of the script. Where it holds expansions,
// what they give is read together with the rest.
func (sh *Shell) computeWhole(x syntax.ArithmExpr) (int64, error) {
	text, ok := sh.program.arith[x]
	if !ok {
		return sh.compute(x, 0)
	}
	return sh.computeExpanded(text)
}

func (sh *Shell) computeExpanded(text string) (int64, error) {
	text = strings.ReplaceAll(sh.document(sh.program.text(text)), `"`, "")
	if sh.flow != 0 {
		return 0, nil
	}
	if strings.Contains(text, "'") {
		return 0, fmt.Errorf("%s: syntax error: operand expected", text)
	}
	return sh.computeText(text, 0)
}

// maxArithDepth bounds variables that hold expressions that name variables …
const maxArithDepth = 200

var errDivision = errors.New("division by 0")

func (sh *Shell) computeText(s string, depth int) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, nil
	}
	if n, err := parseNumber(s); err == nil {
		return n, nil
	} else if s[0] >= '0' && s[0] <= '9' && !strings.ContainsAny(s, " +-*/%<>=&|^?:,()!~\t\n") {
		return 0, err
	}
	if depth > maxArithDepth {
		return 0, fmt.Errorf("%s: expression recursion level exceeded", s)
	}
	x, err := sh.program.expression(s)
	if err != nil {
		return 0, err
	}
	return sh.compute(x, depth+1)
}

// parseNumber reads 10, 0x1f, 017 and base#digits.
func parseNumber(s string) (int64, error) {
	sign := int64(1)
	t := s
	if strings.HasPrefix(t, "-") {
		sign, t = -1, t[1:]
	} else if strings.HasPrefix(t, "+") {
		t = t[1:]
	}
	if t == "" {
		return 0, fmt.Errorf("%s: syntax error: operand expected", s)
	}
	base := int64(10)
	switch {
	case strings.HasPrefix(t, "0x"), strings.HasPrefix(t, "0X"):
		base, t = 16, t[2:]
	case len(t) > 1 && t[0] == '0':
		base, t = 8, t[1:]
	default:
		if b, digits, ok := strings.Cut(t, "#"); ok {
			n, err := strconv.ParseInt(b, 10, 16)
			if err != nil || n < 2 || n > 64 {
				return 0, fmt.Errorf("%s: invalid arithmetic base", s)
			}
			base, t = n, digits
		}
	}
	var n int64
	for _, c := range []byte(t) {
		var d int64
		switch {
		case c >= '0' && c <= '9':
			d = int64(c - '0')
		case c >= 'a' && c <= 'z':
			d = int64(c-'a') + 10
		case c >= 'A' && c <= 'Z':
			d = int64(c-'A') + 10
			if base > 36 {
				d += 26
			}
		case c == '@':
			d = 62
		case c == '_':
			d = 63
		default:
			return 0, fmt.Errorf("%s: syntax error: invalid arithmetic operator", s)
		}
		if d >= base {
			return 0, fmt.Errorf("%s: value too great for base", s)
		}
		n = n*base + d
	}
	return sign * n, nil
}

// place is a variable or an array element in an expression.
type place struct {
	name  string
	index syntax.ArithmExpr
}

func placeOf(x syntax.ArithmExpr) (place, bool) {
	w, ok := x.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return place{}, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return place{p.Value, nil}, syntax.ValidName(p.Value)
	case *syntax.ParamExp:
		if p.Index != nil && !p.Dollar.IsValid() {
			return place{p.Param.Value, p.Index}, syntax.ValidName(p.Param.Value)
		}
	}
	return place{}, false
}

// value is what a place holds, computed.
func (sh *Shell) placeValue(p place, depth int) (int64, error) {
	p.name, p.index = sh.deref(p.name, p.index)
	v := sh.lookup(p.name)
	if !v.IsSet() && sh.opts["nounset"] {
		return 0, unboundError(p.name)
	}
	s := v.String()
	if p.index != nil {
		switch v.Kind {
		case expand.Associative:
			s = v.Map[sh.key(p.index)]
		default:
			i, err := sh.compute(p.index, depth)
			if err != nil {
				return 0, err
			}
			if i < 0 {
				i += int64(elementMax(&v)) + 1
			}
			if v.Kind == expand.Indexed {
				s, _ = element(&v, int(i))
			} else if i != 0 {
				s = ""
			}
		}
	} else if v.Kind == expand.Associative {
		s = v.Map["0"]
	}
	return sh.computeText(s, depth+1)
}

func (sh *Shell) store(p place, n int64) error {
	s := strconv.FormatInt(n, 10)
	p.name, p.index = sh.deref(p.name, p.index)
	if p.index == nil {
		v := sh.lookup(p.name)
		if v.Kind == expand.Indexed {
			setElement(&v, 0, s)
			return sh.assign(p.name, v)
		}
		return sh.assign(p.name, text(s))
	}
	as := &syntax.Assign{Name: &syntax.Lit{Value: p.name}, Index: p.index,
		Value: &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: s}}}}
	sh.assignOne(as, sh.vars.find(p.name), declaration{})
	return nil
}

func (sh *Shell) compute(x syntax.ArithmExpr, depth int) (int64, error) {
	if depth > maxArithDepth {
		return 0, errors.New("expression recursion level exceeded")
	}
	switch x := x.(type) {
	case nil:
		return 0, nil
	case *syntax.Word:
		if lit := x.Lit(); strings.HasPrefix(lit, postponed) {
			if body, ok := sh.program.later[lit]; ok {
				return sh.computeExpanded(body)
			}
		}
		if p, ok := placeOf(x); ok {
			return sh.placeValue(p, depth)
		}
		return sh.computeText(sh.literal(x), depth)
	case *syntax.ParenArithm:
		return sh.compute(x.X, depth+1)
	case *syntax.UnaryArithm:
		return sh.computeUnary(x, depth)
	case *syntax.BinaryArithm:
		return sh.computeBinary(x, depth)
	}
	return 0, fmt.Errorf("%T: not available in expressions", x)
}

func (sh *Shell) computeUnary(x *syntax.UnaryArithm, depth int) (int64, error) {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		p, ok := placeOf(x.X)
		if !ok {
			return 0, errors.New("attempted assignment to non-variable")
		}
		old, err := sh.placeValue(p, depth)
		if err != nil {
			return 0, err
		}
		n := old + 1
		if x.Op == syntax.Dec {
			n = old - 1
		}
		if err := sh.store(p, n); err != nil {
			return 0, err
		}
		if x.Post {
			return old, nil
		}
		return n, nil
	}
	n, err := sh.compute(x.X, depth+1)
	switch x.Op {
	case syntax.Not:
		n = oneIf(n == 0)
	case syntax.BitNegation:
		n = ^n
	case syntax.Minus:
		n = -n
	}
	return n, err
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// assignOps maps a op= b to op.
var assignOps = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (sh *Shell) computeBinary(x *syntax.BinaryArithm, depth int) (int64, error) {
	op, assigning := assignOps[x.Op]
	switch {
	case x.Op == syntax.Assgn || assigning:
		p, ok := placeOf(x.X)
		if !ok {
			return 0, errors.New("attempted assignment to non-variable")
		}
		n, err := sh.compute(x.Y, depth+1)
		if err == nil && assigning {
			var old int64
			if old, err = sh.placeValue(p, depth); err == nil {
				n, err = operate(op, old, n)
			}
		}
		if err != nil {
			return 0, err
		}
		return n, sh.store(p, n)
	case x.Op == syntax.TernQuest:
		branch, ok := x.Y.(*syntax.BinaryArithm)
		if !ok {
			return 0, errors.New("`:' expected for conditional expression")
		}
		c, err := sh.compute(x.X, depth+1)
		if err != nil {
			return 0, err
		}
		if c != 0 {
			return sh.compute(branch.X, depth+1)
		}
		return sh.compute(branch.Y, depth+1)
	}
	a, err := sh.compute(x.X, depth+1)
	if err != nil {
		return 0, err
	}
	switch {
	case x.Op == syntax.AndArit && a == 0:
		return 0, nil
	case x.Op == syntax.OrArit && a != 0:
		return 1, nil
	}
	b, err := sh.compute(x.Y, depth+1)
	if err != nil {
		return 0, err
	}
	return operate(x.Op, a, b)
}

func operate(op syntax.BinAritOperator, a, b int64) (int64, error) {
	switch op {
	case syntax.Add:
		return a + b, nil
	case syntax.Sub:
		return a - b, nil
	case syntax.Mul:
		return a * b, nil
	case syntax.Quo, syntax.Rem:
		switch {
		case b == 0:
			return 0, errDivision
		case b == -1: // the smallest number divided so would trap
			if op == syntax.Rem {
				return 0, nil
			}
			return -a, nil
		case op == syntax.Rem:
			return a % b, nil
		}
		return a / b, nil
	case syntax.Pow:
		if b < 0 {
			return 0, errors.New("exponent less than 0")
		}
		p := int64(1)
		for ; b > 0; b >>= 1 {
			if b&1 != 0 {
				p *= a
			}
			a *= a
		}
		return p, nil
	case syntax.Eql:
		return oneIf(a == b), nil
	case syntax.Neq:
		return oneIf(a != b), nil
	case syntax.Lss:
		return oneIf(a < b), nil
	case syntax.Gtr:
		return oneIf(a > b), nil
	case syntax.Leq:
		return oneIf(a <= b), nil
	case syntax.Geq:
		return oneIf(a >= b), nil
	case syntax.And:
		return a & b, nil
	case syntax.Or:
		return a | b, nil
	case syntax.Xor:
		return a ^ b, nil
	case syntax.Shl:
		return a << uint(b&63), nil
	case syntax.Shr:
		return a >> uint(b&63), nil
	case syntax.AndArit, syntax.OrArit:
		return oneIf(b != 0), nil
	case syntax.Comma:
		return b, nil
	}
	return 0, fmt.Errorf("%s: unknown arithmetic operator", op)
}
