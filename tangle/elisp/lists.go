package elisp

import "math"

// builtins are the pure functions, by name. It is filled by init because some
// of them call functions.
var builtins map[Symbol]builtin

func init() {
	builtins = map[Symbol]builtin{}
	for _, table := range []map[Symbol]builtin{listFuncs, typeFuncs, numberFuncs, stringFuncs, regexpFuncs, fileFuncs, higherFuncs, printFuncs} {
		for name, fn := range table {
			builtins[name] = fn
		}
	}
}

// fixed makes a builtin with an exact number of arguments.
func fixed(n int, fn Func) builtin { return builtin{min: n, max: n, run: plain(fn)} }

// between makes a builtin with min to max arguments, max -1 for any number.
func between(min, max int, fn Func) builtin { return builtin{min: min, max: max, run: plain(fn)} }

func boolean(b bool) Value {
	if b {
		return T
	}
	return Nil
}

func predicate(test func(Value) bool) builtin {
	return fixed(1, func(args []Value) (Value, error) { return boolean(test(args[0])), nil })
}

var typeFuncs = map[Symbol]builtin{
	"null":    predicate(IsNil),
	"not":     predicate(IsNil),
	"atom":    predicate(func(v Value) bool { _, pair := v.(*Cons); return !pair }),
	"consp":   predicate(func(v Value) bool { _, pair := v.(*Cons); return pair }),
	"listp":   predicate(IsList),
	"stringp": predicate(func(v Value) bool { _, ok := v.(String); return ok }),
	"symbolp": predicate(func(v Value) bool { _, ok := v.(Symbol); return ok }),
	"integerp": predicate(func(v Value) bool {
		_, ok := v.(Int)
		_, big := v.(Big)
		return ok || big
	}),
	"floatp":    predicate(func(v Value) bool { _, ok := v.(Float); return ok }),
	"numberp":   predicate(func(v Value) bool { _, ok := number(v); return ok }),
	"vectorp":   predicate(func(v Value) bool { _, ok := v.(Vector); return ok }),
	"functionp": predicate(isFunction),
	"eq":        fixed(2, func(a []Value) (Value, error) { return boolean(same(a[0], a[1])), nil }),
	"eql":       fixed(2, func(a []Value) (Value, error) { return boolean(same(a[0], a[1])), nil }),
	"equal":     fixed(2, func(a []Value) (Value, error) { return boolean(Equal(a[0], a[1])), nil }),
	"identity":  fixed(1, func(a []Value) (Value, error) { return a[0], nil }),
	"ignore":    between(0, -1, func([]Value) (Value, error) { return Nil, nil }),
	"symbol-name": fixed(1, func(a []Value) (Value, error) {
		name, ok := a[0].(Symbol)
		if !ok {
			return nil, wrongType("a symbol", a[0])
		}
		return String(name), nil
	}),
	"intern": fixed(1, func(a []Value) (Value, error) {
		name, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a string", a[0])
		}
		return Symbol(name), nil
	}),
}

func isFunction(v Value) bool {
	if name, ok := v.(Symbol); ok {
		_, known := builtins[name]
		return known
	}
	_, ok := v.(*closure)
	return ok
}

// same is eq for symbols and numbers. Two strings or lists are never the same
// object here, which is what comparing them with eq deserves.
func same(a, b Value) bool {
	switch a := a.(type) {
	case Int, Big, Float, Symbol:
		return Equal(a, b)
	case *Cons:
		pair, ok := b.(*Cons)
		return ok && a == pair
	case nil:
		return IsNil(b)
	}
	return false
}

var listFuncs = map[Symbol]builtin{
	"list": between(0, -1, func(a []Value) (Value, error) { return List(a...), nil }),
	"cons": fixed(2, func(a []Value) (Value, error) { return &Cons{a[0], a[1]}, nil }),
	"vector": between(0, -1, func(a []Value) (Value, error) {
		return Vector(append([]Value{}, a...)), nil
	}),
	"car":      fixed(1, func(a []Value) (Value, error) { return checked(a[0], Car) }),
	"cdr":      fixed(1, func(a []Value) (Value, error) { return checked(a[0], Cdr) }),
	"car-safe": fixed(1, func(a []Value) (Value, error) { return Car(a[0]), nil }),
	"cdr-safe": fixed(1, func(a []Value) (Value, error) { return Cdr(a[0]), nil }),
	"caar":     fixed(1, func(a []Value) (Value, error) { return Car(Car(a[0])), nil }),
	"cadr":     fixed(1, func(a []Value) (Value, error) { return Car(Cdr(a[0])), nil }),
	"cdar":     fixed(1, func(a []Value) (Value, error) { return Cdr(Car(a[0])), nil }),
	"cddr":     fixed(1, func(a []Value) (Value, error) { return Cdr(Cdr(a[0])), nil }),
	"nth": fixed(2, func(a []Value) (Value, error) {
		rest, err := nthcdr(a[0], a[1])
		return Car(rest), err
	}),
	"nthcdr": fixed(2, func(a []Value) (Value, error) { return nthcdr(a[0], a[1]) }),
	"elt": fixed(2, func(a []Value) (Value, error) {
		items, err := sequence(a[0])
		n, ok := a[1].(Int)
		if err != nil || !ok || n < 0 || int(n) >= len(items) {
			return nil, failf("elt: no element %s in %s", Print(a[1]), abbreviate(Print(a[0])))
		}
		return items[n], nil
	}),
	"last": fixed(1, func(a []Value) (Value, error) {
		list := a[0]
		for {
			next, ok := Cdr(list).(*Cons)
			if !ok {
				return list, nil
			}
			list = next
		}
	}),
	"length": fixed(1, func(a []Value) (Value, error) {
		items, err := sequence(a[0])
		return Int(len(items)), err
	}),
	"append": between(0, -1, func(a []Value) (Value, error) { return appendLists(a) }),
	"reverse": fixed(1, func(a []Value) (Value, error) {
		if s, ok := a[0].(String); ok {
			runes := []rune(s)
			for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
				runes[i], runes[j] = runes[j], runes[i]
			}
			return String(runes), nil
		}
		items, err := sequence(a[0])
		if err != nil {
			return nil, err
		}
		var list Value = Nil
		for _, item := range items {
			list = &Cons{item, list}
		}
		return list, nil
	}),
	"member": fixed(2, func(a []Value) (Value, error) { return member(a[0], a[1], Equal), nil }),
	"memq":   fixed(2, func(a []Value) (Value, error) { return member(a[0], a[1], same), nil }),
	"assoc":  between(2, 3, func(a []Value) (Value, error) { return assoc(a[0], a[1], Equal), nil }),
	"assq":   fixed(2, func(a []Value) (Value, error) { return assoc(a[0], a[1], same), nil }),
	"alist-get": between(2, 5, func(a []Value) (Value, error) {
		if pair, ok := assoc(a[0], a[1], same).(*Cons); ok {
			return pair.Cdr, nil
		}
		if len(a) > 2 {
			return a[2], nil
		}
		return Nil, nil
	}),
	"plist-get": between(2, 3, func(a []Value) (Value, error) {
		for list := a[0]; !IsNil(list); list = Cdr(Cdr(list)) {
			if same(Car(list), a[1]) {
				return Car(Cdr(list)), nil
			}
			if _, pair := list.(*Cons); !pair {
				break
			}
		}
		return Nil, nil
	}),
	"delq": fixed(2, func(a []Value) (Value, error) {
		items, err := sequence(a[1])
		if err != nil {
			return nil, err
		}
		var kept []Value
		for _, item := range items {
			if !same(a[0], item) {
				kept = append(kept, item)
			}
		}
		return List(kept...), nil
	}),
	"number-sequence": between(1, 3, numberSequence),
}

func checked(v Value, part func(Value) Value) (Value, error) {
	if !IsList(v) {
		return nil, wrongType("a list", v)
	}
	return part(v), nil
}

func nthcdr(n, list Value) (Value, error) {
	count, ok := n.(Int)
	if !ok {
		return Nil, wrongType("an integer", n)
	}
	for ; count > 0 && !IsNil(list); count-- {
		pair, ok := list.(*Cons)
		if !ok {
			return Nil, wrongType("a list", list)
		}
		list = pair.Cdr
	}
	return list, nil
}

// sequence lists the elements of a list, a vector or a string (as characters).
func sequence(v Value) ([]Value, error) {
	switch v := v.(type) {
	case String:
		var items []Value
		for _, r := range string(v) {
			items = append(items, Int(r))
		}
		return items, nil
	case Vector:
		return v, nil
	}
	items, proper := Items(v)
	if !proper {
		return nil, wrongType("a sequence", v)
	}
	return items, nil
}

// appendLists is append: the last list is shared, the others are copied.
func appendLists(lists []Value) (Value, error) {
	if len(lists) == 0 {
		return Nil, nil
	}
	result := lists[len(lists)-1]
	for i := len(lists) - 2; i >= 0; i-- {
		items, err := sequence(lists[i])
		if err != nil {
			return nil, err
		}
		for j := len(items) - 1; j >= 0; j-- {
			result = &Cons{items[j], result}
		}
	}
	return result, nil
}

func member(key, list Value, equal func(a, b Value) bool) Value {
	for {
		pair, ok := list.(*Cons)
		if !ok {
			return Nil
		}
		if equal(key, pair.Car) {
			return pair
		}
		list = pair.Cdr
	}
}

func assoc(key, list Value, equal func(a, b Value) bool) Value {
	for {
		pair, ok := list.(*Cons)
		if !ok {
			return Nil
		}
		if entry, ok := pair.Car.(*Cons); ok && equal(key, entry.Car) {
			return entry
		}
		list = pair.Cdr
	}
}

func numberSequence(a []Value) (Value, error) {
	var limits [3]Int
	limits[2] = 1
	for i, arg := range a {
		n, ok := arg.(Int)
		if !ok {
			return nil, wrongType("an integer", arg)
		}
		limits[i] = n
	}
	from, to, step := limits[0], limits[1], limits[2]
	if len(a) == 1 {
		return List(from), nil
	}
	if step == 0 {
		return nil, failf("number-sequence: the step is zero")
	}
	if math.Abs(float64(to)-float64(from))/math.Abs(float64(step)) > 1e5 {
		return nil, failf("number-sequence: more than 100000 numbers")
	}
	var items []Value
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		items = append(items, n)
	}
	return List(items...), nil
}

// higherFuncs take functions as arguments.
var higherFuncs = map[Symbol]builtin{
	"mapcar": {min: 2, max: 2, run: func(m *machine, a []Value, depth int) (Value, error) {
		items, err := m.mapped(a[0], a[1], depth)
		return List(items...), err
	}},
	"mapconcat": {min: 2, max: 3, run: func(m *machine, a []Value, depth int) (Value, error) {
		items, err := m.mapped(a[0], a[1], depth)
		if err != nil {
			return nil, err
		}
		separator := ""
		if len(a) == 3 {
			s, ok := a[2].(String)
			if !ok {
				return nil, wrongType("a string", a[2])
			}
			separator = string(s)
		}
		return joinStrings(items, separator)
	}},
	"funcall": {min: 1, max: -1, run: func(m *machine, a []Value, depth int) (Value, error) {
		fn, err := m.function(a[0], nil)
		if err != nil {
			return nil, err
		}
		return m.call(fn, a[1:], depth)
	}},
	"apply": {min: 1, max: -1, run: func(m *machine, a []Value, depth int) (Value, error) {
		fn, err := m.function(a[0], nil)
		if err != nil {
			return nil, err
		}
		args := append([]Value{}, a[1:]...)
		if len(args) > 0 {
			rest, err := sequence(args[len(args)-1])
			if err != nil {
				return nil, err
			}
			args = append(args[:len(args)-1], rest...)
		}
		return m.call(fn, args, depth)
	}},
}

func (m *machine) mapped(fn, list Value, depth int) ([]Value, error) {
	f, err := m.function(fn, nil)
	if err != nil {
		return nil, err
	}
	items, err := sequence(list)
	if err != nil {
		return nil, err
	}
	results := make([]Value, len(items))
	for i, item := range items {
		if m.steps--; m.steps < 0 {
			return nil, failf("the form takes too long to evaluate")
		}
		if results[i], err = m.call(f, []Value{item}, depth); err != nil {
			return nil, err
		}
	}
	return results, nil
}
