package elisp

// specials are the forms that do not evaluate all their arguments first. The
// map is filled by init because the forms evaluate forms.
var specials map[Symbol]special

func init() {
	specials = map[Symbol]special{
		"quote":         evalQuote,
		"function":      evalFunction,
		"`":             evalBackquote,
		"lambda":        func(_ *machine, args []Value, s *scope, _ int) (Value, error) { return makeClosure(args, s) },
		"if":            evalIf,
		"when":          evalWhen,
		"unless":        evalUnless,
		"cond":          evalCond,
		"and":           evalAnd,
		"or":            evalOr,
		"progn":         func(m *machine, args []Value, s *scope, d int) (Value, error) { return m.progn(args, s, d) },
		"prog1":         evalProg1,
		"let":           evalLet,
		"let*":          evalLetStar,
		"setq":          evalSetq,
		"dolist":        evalDolist,
		"pcase":         evalPcase,
		"ignore-errors": evalIgnoreErrors,
	}
}

func evalQuote(_ *machine, args []Value, _ *scope, _ int) (Value, error) {
	if len(args) != 1 {
		return nil, failf("quote takes 1 argument, given %d", len(args))
	}
	return args[0], nil
}

func evalFunction(_ *machine, args []Value, s *scope, _ int) (Value, error) {
	if len(args) != 1 {
		return nil, failf("function takes 1 argument, given %d", len(args))
	}
	if pair, ok := args[0].(*Cons); ok && pair.Car == Symbol("lambda") {
		items, _ := Items(pair.Cdr)
		return makeClosure(items, s)
	}
	return args[0], nil
}

func evalIf(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args) < 2 {
		return nil, failf("if takes at least 2 arguments, given %d", len(args))
	}
	test, err := m.eval(args[0], s, depth)
	if err != nil {
		return nil, err
	}
	if !IsNil(test) {
		return m.eval(args[1], s, depth)
	}
	return m.progn(args[2:], s, depth)
}

func evalWhen(m *machine, args []Value, s *scope, depth int) (Value, error) {
	return m.guarded(args, s, depth, true)
}

func evalUnless(m *machine, args []Value, s *scope, depth int) (Value, error) {
	return m.guarded(args, s, depth, false)
}

func (m *machine) guarded(args []Value, s *scope, depth int, want bool) (Value, error) {
	if len(args) == 0 {
		return nil, failf("a condition is missing")
	}
	test, err := m.eval(args[0], s, depth)
	if err != nil || !IsNil(test) != want {
		return Nil, err
	}
	return m.progn(args[1:], s, depth)
}

func evalCond(m *machine, args []Value, s *scope, depth int) (Value, error) {
	for _, arg := range args {
		clause, proper := Items(arg)
		if !proper || len(clause) == 0 {
			return nil, wrongType("a clause", arg)
		}
		test, err := m.eval(clause[0], s, depth)
		if err != nil {
			return nil, err
		}
		if IsNil(test) {
			continue
		}
		if len(clause) == 1 {
			return test, nil
		}
		return m.progn(clause[1:], s, depth)
	}
	return Nil, nil
}

func evalAnd(m *machine, args []Value, s *scope, depth int) (Value, error) {
	var last Value = T
	for _, form := range args {
		v, err := m.eval(form, s, depth)
		if err != nil || IsNil(v) {
			return Nil, err
		}
		last = v
	}
	return last, nil
}

func evalOr(m *machine, args []Value, s *scope, depth int) (Value, error) {
	for _, form := range args {
		v, err := m.eval(form, s, depth)
		if err != nil || !IsNil(v) {
			return v, err
		}
	}
	return Nil, nil
}

func evalProg1(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args) == 0 {
		return nil, failf("prog1 takes at least 1 argument, given 0")
	}
	first, err := m.eval(args[0], s, depth)
	if err != nil {
		return nil, err
	}
	_, err = m.progn(args[1:], s, depth)
	return first, err
}

func evalLet(m *machine, args []Value, s *scope, depth int) (Value, error) {
	return m.let(args, s, depth, false)
}

func evalLetStar(m *machine, args []Value, s *scope, depth int) (Value, error) {
	return m.let(args, s, depth, true)
}

func (m *machine) let(args []Value, outer *scope, depth int, sequential bool) (Value, error) {
	if len(args) == 0 {
		return nil, failf("let needs a list of bindings")
	}
	bindings, proper := Items(args[0])
	if !proper {
		return nil, wrongType("a list of bindings", args[0])
	}
	inner := outer
	for _, binding := range bindings {
		var init Value = Nil
		name, bare := binding.(Symbol)
		if !bare {
			parts, _ := Items(binding)
			if len(parts) == 0 || len(parts) > 2 {
				return nil, wrongType("a binding (NAME VALUE)", binding)
			}
			var ok bool
			if name, ok = parts[0].(Symbol); !ok {
				return nil, wrongType("a variable name", parts[0])
			}
			if len(parts) == 2 {
				init = parts[1]
			}
		}
		in := outer
		if sequential {
			in = inner
		}
		v, err := m.eval(init, in, depth)
		if err != nil {
			return nil, err
		}
		inner = &scope{name, v, inner}
	}
	return m.progn(args[1:], inner, depth)
}

// evalSetq changes variables bound by let or lambda; globals stay as they are.
func evalSetq(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args)%2 != 0 {
		return nil, failf("setq needs pairs of a variable and a value")
	}
	var v Value = Nil
	for i := 0; i < len(args); i += 2 {
		name, ok := args[i].(Symbol)
		if !ok {
			return nil, wrongType("a variable name", args[i])
		}
		bound := s.find(name)
		if bound == nil {
			return nil, failf("setq may only change a variable bound in the same form, not %s", name)
		}
		var err error
		if v, err = m.eval(args[i+1], s, depth); err != nil {
			return nil, err
		}
		bound.value = v
	}
	return v, nil
}

// evalDolist runs (dolist (VAR LIST RESULT) BODY…).
func evalDolist(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args) == 0 {
		return nil, failf("dolist needs (VAR LIST)")
	}
	spec, _ := Items(args[0])
	if len(spec) < 2 || len(spec) > 3 {
		return nil, wrongType("(VAR LIST)", args[0])
	}
	name, ok := spec[0].(Symbol)
	if !ok {
		return nil, wrongType("a variable name", spec[0])
	}
	list, err := m.eval(spec[1], s, depth)
	if err != nil {
		return nil, err
	}
	items, proper := Items(list)
	if !proper {
		return nil, wrongType("a list", list)
	}
	for _, item := range items {
		if _, err := m.progn(args[1:], &scope{name, item, s}, depth); err != nil {
			return nil, err
		}
	}
	if len(spec) == 3 {
		return m.eval(spec[2], s, depth)
	}
	return Nil, nil
}

func evalIgnoreErrors(m *machine, args []Value, s *scope, depth int) (Value, error) {
	v, err := m.progn(args, s, depth)
	if err != nil {
		return Nil, nil
	}
	return v, nil
}

func evalBackquote(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args) != 1 {
		return nil, failf("a backquote takes 1 form")
	}
	return m.template(args[0], s, depth)
}

// template copies a backquoted form, filling in what stands behind commas.
func (m *machine) template(form Value, s *scope, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, failf("the form recurses deeper than %d", maxDepth)
	}
	if vector, ok := form.(Vector); ok {
		filled, err := m.template(List(vector...), s, depth+1)
		if err != nil {
			return nil, err
		}
		items, _ := Items(filled)
		return Vector(items), nil
	}
	pair, ok := form.(*Cons)
	if !ok {
		return form, nil
	}
	if pair.Car == Symbol(",") {
		return m.eval(Car(pair.Cdr), s, depth+1)
	}
	if splice, ok := pair.Car.(*Cons); ok && splice.Car == Symbol(",@") {
		list, err := m.eval(Car(splice.Cdr), s, depth+1)
		if err != nil {
			return nil, err
		}
		rest, err := m.template(pair.Cdr, s, depth+1)
		if err != nil {
			return nil, err
		}
		return appendLists([]Value{list, rest})
	}
	car, err := m.template(pair.Car, s, depth+1)
	if err != nil {
		return nil, err
	}
	cdr, err := m.template(pair.Cdr, s, depth+1)
	if err != nil {
		return nil, err
	}
	return &Cons{car, cdr}, nil
}

// evalPcase runs (pcase EXPR (PATTERN BODY…)…) for the patterns that header
// arguments use: literals, 'VALUE, _, a name, (or …), (and …), (pred FN),
// (guard FORM).
func evalPcase(m *machine, args []Value, s *scope, depth int) (Value, error) {
	if len(args) == 0 {
		return nil, failf("pcase needs an expression")
	}
	v, err := m.eval(args[0], s, depth)
	if err != nil {
		return nil, err
	}
	for _, arg := range args[1:] {
		clause, proper := Items(arg)
		if !proper || len(clause) == 0 {
			return nil, wrongType("a clause", arg)
		}
		inner, matched, err := m.pattern(clause[0], v, s, depth+1)
		if err != nil {
			return nil, err
		}
		if matched {
			return m.progn(clause[1:], inner, depth)
		}
	}
	return Nil, nil
}

func (m *machine) pattern(p, v Value, s *scope, depth int) (*scope, bool, error) {
	if depth > maxDepth {
		return s, false, failf("the form recurses deeper than %d", maxDepth)
	}
	switch p := p.(type) {
	case Symbol:
		switch {
		case p == "_":
			return s, true, nil
		case p == Nil || p == T || p != "" && p[0] == ':':
			return s, Equal(p, v), nil
		}
		return &scope{p, v, s}, true, nil
	case *Cons:
		rest, _ := Items(p.Cdr)
		switch p.Car {
		case Symbol("quote"), Symbol("`"):
			return s, Equal(Car(p.Cdr), v), nil
		case Symbol("or"):
			for _, choice := range rest {
				if inner, ok, err := m.pattern(choice, v, s, depth+1); ok || err != nil {
					return inner, ok, err
				}
			}
			return s, false, nil
		case Symbol("and"):
			for _, part := range rest {
				inner, ok, err := m.pattern(part, v, s, depth+1)
				if !ok || err != nil {
					return s, false, err
				}
				s = inner
			}
			return s, true, nil
		case Symbol("guard"):
			test, err := m.eval(Car(p.Cdr), s, depth)
			return s, !IsNil(test), err
		case Symbol("pred"):
			fn, err := m.function(Car(p.Cdr), s)
			if err != nil {
				return s, false, err
			}
			test, err := m.call(fn, []Value{v}, depth)
			return s, !IsNil(test), err
		}
		return s, false, failf("this pattern is not supported: %s", abbreviate(Print(p)))
	}
	return s, Equal(p, v), nil
}
