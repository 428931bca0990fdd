package elisp

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Func is a function a form may call; its arguments are already evaluated.
type Func func(args []Value) (Value, error)

// Env holds what a form may see besides its own text. The zero Env has only the
// pure functions.
type Env struct {
	// Vars are global variables such as default-directory.
	Vars map[Symbol]Value
	// Funcs are further functions; they come before the built-in ones.
	Funcs map[Symbol]Func
	// Out takes what princ, prin1 and print print; nil drops it.
	Out io.Writer
	// Steps bounds the work, counted in forms evaluated; 100 000 when zero.
	Steps int
}

const defaultSteps = 100_000

// maxText bounds the strings and lists a form can build.
const maxText = 1 << 22

// Eval reads the first expression of src and evaluates it. Errors are [*Error]
// with the offset of the form at fault.
func Eval(src string, env *Env) (Value, error) {
	r := reader{src: src, places: map[*Cons]int{}}
	form, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if env == nil {
		env = &Env{}
	}
	m := machine{env: env, places: r.places, steps: env.Steps}
	if m.steps == 0 {
		m.steps = defaultSteps
	}
	v, evalErr := m.eval(form, nil, 0)
	if evalErr == nil {
		return v, nil
	}
	var at *Error
	if !errors.As(evalErr, &at) {
		return nil, &Error{Offset: 0, Msg: evalErr.Error()}
	}
	if at.Offset < 0 {
		at.Offset = 0
	}
	return nil, evalErr
}

// machine is one evaluation.
type machine struct {
	env    *Env
	places map[*Cons]int
	steps  int
	match  lastMatch // what match-string refers to

	printed int // bytes
}

// scope is a chain of lexical bindings.
type scope struct {
	name  Symbol
	value Value
	outer *scope
}

func (s *scope) find(name Symbol) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// closure is a lambda with the bindings it was made in.
type closure struct {
	params []Symbol
	needed int  // required parameters
	rest   bool // the last parameter takes the rest
	body   []Value
	scope  *scope
}

func (c *closure) String() string { return "#<lambda>" }

// special is a form that decides itself what to evaluate.
type special func(m *machine, args []Value, s *scope, depth int) (Value, error)

func (m *machine) eval(form Value, s *scope, depth int) (Value, error) {
	if m.steps--; m.steps < 0 {
		return nil, failf("the form takes too long to evaluate")
	}
	if depth > maxDepth {
		return nil, failf("the form recurses deeper than %d", maxDepth)
	}
	switch form := form.(type) {
	case Symbol:
		return m.variable(form, s)
	case *Cons:
		v, err := m.apply(form, s, depth)
		if unplaced, ok := errors.AsType[*Error](err); ok && unplaced.Offset < 0 {
			if at, known := m.places[form]; known {
				unplaced.Offset = at
			}
		}
		return v, err
	}
	return form, nil
}

func (m *machine) variable(name Symbol, s *scope) (Value, error) {
	if name == Nil || name == T || strings.HasPrefix(string(name), ":") {
		return name, nil
	}
	if bound := s.find(name); bound != nil {
		return bound.value, nil
	}
	if v, ok := m.env.Vars[name]; ok {
		return v, nil
	}
	err := failf("the variable %s is not known here", name)
	err.Hint = "only constants, bindings of the form and file names are known; write the value instead"
	return nil, err
}

func (m *machine) apply(form *Cons, s *scope, depth int) (Value, error) {
	args, proper := Items(form.Cdr)
	if !proper {
		return nil, failf("a call must be a proper list: %s", abbreviate(Print(form)))
	}
	if name, ok := form.Car.(Symbol); ok {
		if run, ok := specials[name]; ok {
			return run(m, args, s, depth+1)
		}
	}
	fn, err := m.function(form.Car, s)
	if err != nil {
		return nil, err
	}
	values, err := m.evalAll(args, s, depth+1)
	if err != nil {
		return nil, err
	}
	return m.call(fn, values, depth+1)
}

func (m *machine) evalAll(forms []Value, s *scope, depth int) ([]Value, error) {
	values := make([]Value, len(forms))
	for i, form := range forms {
		v, err := m.eval(form, s, depth)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// function resolves what stands in a call's first place or is passed to mapcar:
// a symbol that names a function, or a lambda.
func (m *machine) function(v Value, s *scope) (any, error) {
	switch v := v.(type) {
	case *closure:
		return v, nil
	case Symbol:
		if fn, ok := m.env.Funcs[v]; ok {
			return builtin{string(v), 0, -1, plain(fn)}, nil
		}
		if fn, ok := builtins[v]; ok {
			fn.name = string(v)
			return fn, nil
		}
		return nil, unknownFunction(v)
	case *Cons:
		if v.Car == Symbol("lambda") {
			items, _ := Items(v.Cdr)
			return makeClosure(items, s)
		}
	}
	return nil, failf("%s is not a function", abbreviate(Print(v)))
}

// builtin is a pure function and how many arguments it takes; max is -1 when
// there is no limit.
type builtin struct {
	name     string
	min, max int
	run      func(m *machine, args []Value, depth int) (Value, error)
}

// plain makes a builtin of a function that needs no machine.
func plain(fn Func) func(*machine, []Value, int) (Value, error) {
	return func(_ *machine, args []Value, _ int) (Value, error) { return fn(args) }
}

func (m *machine) call(fn any, args []Value, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, failf("the form recurses deeper than %d", maxDepth)
	}
	switch fn := fn.(type) {
	case builtin:
		if len(args) < fn.min || fn.max >= 0 && len(args) > fn.max {
			return nil, failf("%s takes %s, given %d", fn.name, arity(fn.min, fn.max), len(args))
		}
		v, err := fn.run(m, args, depth)
		var at *Error
		if err != nil && !errors.As(err, &at) {
			return nil, failf("%s: %v", fn.name, err)
		}
		return v, err
	case *closure:
		s, err := fn.bind(args)
		if err != nil {
			return nil, err
		}
		return m.progn(fn.body, s, depth+1)
	}
	return nil, failf("%v is not a function", fn)
}

func arity(min, max int) string {
	switch {
	case max < 0:
		return fmt.Sprintf("at least %d arguments", min)
	case min == max && min == 1:
		return "1 argument"
	case min == max:
		return fmt.Sprintf("%d arguments", min)
	}
	return fmt.Sprintf("%d to %d arguments", min, max)
}

// makeClosure makes a function of (PARAMS BODY…).
func makeClosure(items []Value, s *scope) (*closure, error) {
	if len(items) == 0 {
		return nil, failf("lambda needs a parameter list")
	}
	params, proper := Items(items[0])
	if !proper {
		return nil, wrongType("a parameter list", items[0])
	}
	c := &closure{body: items[1:], scope: s}
	optional := false
	for _, p := range params {
		name, ok := p.(Symbol)
		switch {
		case !ok:
			return nil, wrongType("a parameter name", p)
		case name == "&optional":
			optional = true
		case name == "&rest":
			c.rest = true
		default:
			c.params = append(c.params, name)
			if !optional && !c.rest {
				c.needed++
			}
		}
	}
	if c.rest && len(c.params) == 0 {
		return nil, failf("&rest needs a name")
	}
	return c, nil
}

func (c *closure) bind(args []Value) (*scope, error) {
	if len(args) < c.needed || !c.rest && len(args) > len(c.params) {
		max := len(c.params)
		if c.rest {
			max = -1
		}
		return nil, failf("the lambda takes %s, given %d", arity(c.needed, max), len(args))
	}
	s := c.scope
	for i, name := range c.params {
		var v Value = Nil
		switch {
		case c.rest && i == len(c.params)-1:
			if i < len(args) {
				v = List(args[i:]...)
			}
		case i < len(args):
			v = args[i]
		}
		s = &scope{name, v, s}
	}
	return s, nil
}

func (m *machine) progn(body []Value, s *scope, depth int) (Value, error) {
	var last Value = Nil
	for _, form := range body {
		v, err := m.eval(form, s, depth)
		if err != nil {
			return nil, err
		}
		last = v
	}
	return last, nil
}
