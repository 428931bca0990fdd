package org

import (
	"strings"
)

// Arg is one header argument, ":key value", with the bytes it came from.
type Arg struct {
	Key    string // with the colon and in the author's case: ":var"; Org knows lower case only
	Value  string // as written, without surrounding white space; see [Arg.Text]
	Origin Origin
	Span   Span // key and value in the source; zero for defaults
	At     Span // the value alone; empty at the key's end when there is none
}

// Origin says where a header argument was written, from weakest to strongest.
type Origin uint8

// The origins of an Arg.
const (
	FromDefault    Origin = iota // given by the program, not by the file
	FromFile                     // #+PROPERTY: header-args
	FromProperty                 // :header-args: in a property drawer
	FromBlock                    // on the #+begin_src, src_ or call line
	FromHeader                   // on a #+HEADER: line
	FromCallInside               // in the square brackets of a call, before its arguments
	FromCallArgs                 // in the parentheses of a call
	FromCallEnd                  // behind the parentheses of a call
)

// Text returns the value as Org reads it: a value that is one string in double
// quotes loses them, and its backslash escapes.
func (a Arg) Text() string { return unquote(a.Value) }

// IsLisp reports whether Org would evaluate the value as Emacs Lisp: it
// starts with "(", "'", "`" or "[".
func (a Arg) IsLisp() bool { return a.Value != "" && strings.IndexByte("('`[", a.Value[0]) >= 0 }

// Args are the header arguments in force for a block or a call, merged.
type Args []Arg

// Get returns the argument with the given key, such as ":tangle". Of ":var",
// which may stand several times, it returns the first.
func (a Args) Get(key string) (Arg, bool) {
	for _, arg := range a {
		if arg.Key == key {
			return arg, true
		}
	}
	return Arg{}, false
}

// Value returns the argument's value, "" when it is absent.
func (a Args) Value(key string) string {
	arg, _ := a.Get(key)
	return arg.Value
}

// Words returns the argument's value cut at white space.
func (a Args) Words(key string) []string { return strings.Fields(a.Value(key)) }

// Vars returns the ":var" arguments in order, each "name=value".
func (a Args) Vars() []Var {
	var vars []Var
	for _, arg := range a {
		if arg.Key == ":var" {
			vars = append(vars, readVar(arg))
		}
	}
	return vars
}

// Var is one ":var name=value".
type Var struct {
	Arg
	Name string // "" when the argument is positional
	Expr string // what stands behind "=": a literal, a reference, or a lisp form
}

func readVar(arg Arg) Var {
	name, expr, ok := strings.Cut(arg.Value, "=")
	name = strings.TrimRight(name, " \t")
	if !ok || name == "" || strings.ContainsAny(name, " \t\n\f\v\r\"([") {
		return Var{Arg: arg, Expr: arg.Value}
	}
	return Var{arg, name, strings.TrimSpace(expr)}
}
