package interp

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// testClause is [[ … ]]: 0 true, 1 false, 2 nonsense.
func (sh *Shell) testClause(c *syntax.TestClause) int {
	yes, bad := sh.testExpr(c.X)
	if sh.flow != 0 {
		return sh.status
	}
	if bad {
		return 2
	}
	return boolStatus(yes)
}

func (sh *Shell) testExpr(x syntax.TestExpr) (yes, bad bool) {
	switch x := x.(type) {
	case *syntax.Word:
		return sh.literal(x) != "", false
	case *syntax.ParenTest:
		return sh.testExpr(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			yes, bad = sh.testExpr(x.X)
			return !yes, bad
		}
		return sh.testUnary(x.Op.String(), sh.literal(x.X.(*syntax.Word))), false
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest:
			if yes, bad = sh.testExpr(x.X); !yes || bad {
				return false, bad
			}
			return sh.testExpr(x.Y)
		case syntax.OrTest:
			if yes, bad = sh.testExpr(x.X); yes || bad {
				return yes, bad
			}
			return sh.testExpr(x.Y)
		}
		left, right := sh.literal(x.X.(*syntax.Word)), x.Y.(*syntax.Word)
		switch x.Op {
		case syntax.TsMatch, syntax.TsMatchShort:
			return sh.matches(sh.pattern(right), left), false
		case syntax.TsNoMatch:
			return !sh.matches(sh.pattern(right), left), false
		case syntax.TsReMatch:
			return sh.testRegexp(left, right)
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			return compareInts(x.Op.String(), sh.evaluate(left), sh.evaluate(sh.literal(right))), false
		}
		yes, err := sh.testBinary(left, x.Op.String(), sh.literal(right))
		if err != nil {
			sh.errorf("[[: %v", err)
		}
		return yes, err != nil
	}
	return false, true
}

// testRegexp is [[ s =~ re ]]: an extended regular expression, quoted parts
// being literal. BASH_REMATCH receives the groups.
func (sh *Shell) testRegexp(s string, w *syntax.Word) (yes, bad bool) {
	source := sh.regularExpression(w)
	if sh.flow != 0 {
		return false, true
	}
	if sh.opts["nocasematch"] {
		source = "(?i)" + source
	}
	key := "\x00" + source
	re := sh.regexps[key]
	if re == nil {
		var err error
		if re, err = regexp.Compile(posixEscapes(source)); err != nil || strings.HasPrefix(source, "{") { // which repeats nothing
			return false, true
		}
		re.Longest()
		sh.regexps[key] = re
	}
	m := re.FindStringSubmatch(s)
	sh.set("BASH_REMATCH", list(m))
	return m != nil, false
}

// posixEscapes maps what C libraries accept and Go does not: \< and \>.
func posixEscapes(s string) string {
	return strings.NewReplacer(`\\`, `\\`, `\<`, `\b`, `\>`, `\b`).Replace(s)
}

func compareInts(op string, x, y int) bool {
	switch op {
	case "-eq":
		return x == y
	case "-ne":
		return x != y
	case "-lt":
		return x < y
	case "-le":
		return x <= y
	case "-gt":
		return x > y
	}
	return x >= y
}

func (sh *Shell) testUnary(op, arg string) bool {
	switch op {
	case "-n":
		return arg != ""
	case "-z":
		return arg == ""
	case "-v":
		return sh.isSet(arg)
	case "-R":
		v := sh.vars.find(arg)
		return v != nil && v.Kind == expand.NameRef
	case "-o":
		return sh.opts[arg]
	case "-t":
		return false
	}
	switch arg {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full":
		return strings.Contains("-e -a -c -r -w", op)
	}
	full := sh.abs(arg)
	info, err := os.Stat(full)
	if op == "-h" || op == "-L" {
		info, err = os.Lstat(full)
	}
	if arg == "" || err != nil {
		return false
	}
	mode := info.Mode()
	switch op {
	case "-x":
		return mode.IsDir() || sh.executable(full)
	case "-d":
		return mode.IsDir()
	case "-f":
		return mode.IsRegular()
	case "-h", "-L":
		return mode&os.ModeSymlink != 0
	case "-s":
		return info.Size() > 0
	case "-b", "-c", "-p", "-S", "-g", "-u", "-k":
		return false
	}
	return true // -e -a -r -w -x -O -G -N: what can be seen can be used
}

// isSet is -v: a variable, or an element of an array.
func (sh *Shell) isSet(arg string) bool {
	name, sub, isElement := cutSubscript(arg)
	var index syntax.ArithmExpr
	if isElement {
		index = sh.program.subscript(sub)
	}
	name, index = sh.deref(name, index)
	v := sh.lookup(name)
	if isElement && (sub == "@" || sub == "*") {
		if v.Kind == expand.Associative {
			_, set := v.Map[sub]
			return set || len(v.Map) > 0
		}
		return len(sh.elementsOf(name)) > 0
	}
	if name == "@" || name == "*" {
		return len(sh.params) > 0
	}
	_, set := sh.elementAt(name, &v, index)
	return set
}

func (sh *Shell) testBinary(a, op, b string) (bool, error) {
	switch op {
	case "=", "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case ">":
		return a > b, nil
	case "-nt", "-ot", "-ef":
		x, errX := os.Stat(sh.abs(a))
		y, errY := os.Stat(sh.abs(b))
		switch {
		case op == "-ef":
			return errX == nil && errY == nil && os.SameFile(x, y), nil
		case op == "-ot":
			x, y, errX, errY = y, x, errY, errX
		}
		return errX == nil && (errY != nil || x.ModTime().After(y.ModTime())), nil
	}
	x, err := testInteger(a)
	if err != nil {
		return false, err
	}
	y, err := testInteger(b)
	if err != nil {
		return false, err
	}
	return compareInts(op, x, y), nil
}

func testInteger(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "+"))
	if err != nil {
		return 0, errors.New(s + ": integer expression expected")
	}
	return n, nil
}

func isBinaryTest(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func isUnaryTest(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkLnNoOprRsStuvwxzG", op[1]) >= 0
}

// tester evaluates the words of test and [.
type tester struct {
	sh   *Shell
	args []string
	err  error
}

func builtinTest(sh *Shell, args []string) int {
	name := args[0]
	args = args[1:]
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			sh.errorf("[: missing `]'")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := &tester{sh: sh, args: args}
	yes := t.decide()
	if t.err == nil && len(t.args) > 0 && len(args) > 3 {
		t.err = errors.New("too many arguments")
	}
	if t.err != nil {
		sh.errorf("%s: %v", name, t.err)
		return 2
	}
	return boolStatus(yes)
}

// decide follows POSIX, which gives short expressions a meaning by length.
func (t *tester) decide() bool {
	a := t.args
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		switch {
		case a[0] == "!":
			return a[1] == ""
		case isUnaryTest(a[0]):
			return t.sh.testUnary(a[0], a[1])
		}
		t.err = errors.New(a[0] + ": unary operator expected")
		return false
	case 3:
		switch {
		case isBinaryTest(a[1]):
			return t.binary(a[0], a[1], a[2])
		case a[1] == "-a":
			return a[0] != "" && a[2] != ""
		case a[1] == "-o":
			return a[0] != "" || a[2] != ""
		case a[0] == "!":
			t.args = a[1:]
			return !t.decide()
		case a[0] == "(" && a[2] == ")":
			return a[1] != ""
		}
		t.err = errors.New(a[1] + ": binary operator expected")
		return false
	case 4:
		if a[0] == "!" {
			t.args = a[1:]
			yes := t.decide()
			t.args = nil
			return !yes
		}
	}
	return t.or()
}

func (t *tester) binary(a, op, b string) bool {
	yes, err := t.sh.testBinary(a, op, b)
	if err != nil && t.err == nil {
		t.err = err
	}
	return yes
}

func (t *tester) or() bool {
	yes := t.and()
	for t.err == nil && len(t.args) > 0 && t.args[0] == "-o" {
		t.args = t.args[1:]
		yes = t.and() || yes
	}
	return yes
}

func (t *tester) and() bool {
	yes := t.primary()
	for t.err == nil && len(t.args) > 0 && t.args[0] == "-a" {
		t.args = t.args[1:]
		yes = t.primary() && yes
	}
	return yes
}

func (t *tester) primary() bool {
	a := t.args
	switch {
	case len(a) == 0:
		t.err = errors.New("argument expected")
		return false
	case len(a) >= 3 && a[0] != "(" && isBinaryTest(a[1]):
		t.args = a[3:]
		return t.binary(a[0], a[1], a[2])
	case len(a) >= 2 && a[0] == "!":
		t.args = a[1:]
		return !t.primary()
	case len(a) >= 2 && a[0] == "(":
		t.args = a[1:]
		yes := t.or()
		if len(t.args) == 0 || t.args[0] != ")" {
			t.err = errors.New("`)' expected")
			return false
		}
		t.args = t.args[1:]
		return yes
	case len(a) >= 2 && isUnaryTest(a[0]):
		t.args = a[2:]
		return t.sh.testUnary(a[0], a[1])
	}
	t.args = a[1:]
	return a[0] != ""
}
