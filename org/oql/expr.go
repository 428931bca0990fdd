package oql

import (
	"slices"
	"strings"
)

// comparators relate a field to a constant; the first spelling is canonical.
var comparators = []string{"=", "!=", "<", "<=", ">", ">=", "~", "!~"}

// expr turns one form into a condition.
func (q *Query) expr(form node) (Expr, error) {
	if !form.list {
		return atomExpr(form)
	}
	head := form.head()
	switch {
	case len(form.kids) == 0:
		return &And{Pos: form.pos}, nil
	case head == "":
		return nil, errorf(form.pos, "start it with a predicate such as todo", "a condition starts with a name")
	case slices.Contains(connectives, head):
		return q.connective(form)
	case slices.Contains(comparators, head):
		return compareForm(form)
	}
	pred, ok := lookupPredicate(head)
	if !ok {
		return nil, errorf(form.kids[0].pos, suggest(head, headWords()), "unknown predicate %s", head)
	}
	return q.call(pred, form)
}

// atomExpr gives bare words their meaning: a string is searched for by the
// default predicate as in org-ql; t and nil are always and never.
func atomExpr(form node) (Expr, error) {
	switch {
	case form.arg.Kind == ArgString:
		return &Call{Name: "rifle", Args: []Arg{form.arg}, Pos: form.pos}, nil
	case form.arg.Text == "t":
		return &And{Pos: form.pos}, nil
	case form.arg.Text == "nil":
		return &Or{Pos: form.pos}, nil
	}
	return nil, errorf(form.pos, `put it in quotes to search for it, or in parentheses to call it`, "%s is not a condition", form.arg.Text)
}

func (q *Query) connective(form node) (Expr, error) {
	var args []Expr
	for _, kid := range form.kids[1:] {
		arg, err := q.expr(kid)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	switch form.head() {
	case "or":
		return &Or{Args: args, Pos: form.pos}, nil
	case "not":
		if len(args) == 1 {
			return &Not{Arg: args[0], Pos: form.pos}, nil
		}
		return &Not{Arg: &And{Args: args, Pos: form.pos}, Pos: form.pos}, nil
	case "unless":
		if len(args) == 0 {
			return nil, errorf(form.pos, "write (unless CONDITION THEN…)", "unless needs a condition")
		}
		args[0] = &Not{Arg: args[0], Pos: args[0].Position()}
	}
	return &And{Args: args, Pos: form.pos}, nil
}

// compareForm reads (OP FIELD VALUE), FIELD a name or (prop NAME).
func compareForm(form node) (Expr, error) {
	if len(form.kids) != 3 || form.kids[2].list {
		return nil, errorf(form.pos, "write ("+form.head()+" DUR_MS 1000)", "%s takes a field and a value", form.head())
	}
	field, err := columns(form.kids[1:2])
	if err != nil {
		return nil, err
	}
	if field[0].Func != "" {
		return nil, errorf(form.pos, "compare a field: (> DUR_MS 1000)", "an aggregate cannot be compared here")
	}
	return checkedCompare(&Compare{Op: form.head(), Field: field[0].Field, Value: form.kids[2].arg, Pos: form.pos})
}

// call reads a predicate's arguments and checks their number and names.
func (q *Query) call(pred Predicate, form node) (Expr, error) {
	c := &Call{Name: pred.Name, Pos: form.pos}
	body := form.kids[1:]
	if pred.Nested {
		return q.nested(c, body)
	}
	for i := 0; i < len(body); i++ {
		kid := body[i]
		key, isKey := strings.CutPrefix(kid.arg.Text, ":")
		if kid.list || kid.arg.Kind != ArgSymbol || !isKey || key == "" {
			c.Args = append(c.Args, argOf(kid))
			continue
		}
		if i == 0 && pred.Name == "property" { // (property :owner "ada"), as org-ql takes it
			c.Args = append(c.Args, Arg{Kind: ArgString, Text: key, Pos: kid.pos})
			continue
		}
		if !slices.Contains(pred.Keys, key) {
			return nil, errorf(kid.pos, suggest(key, keywordNames(pred.Keys)), "%s takes no :%s", pred.Name, key)
		}
		if i+1 >= len(body) {
			return nil, errorf(kid.pos, "write :"+key+" VALUE, or leave it out", ":%s needs a value", key)
		}
		i++
		c.Named = append(c.Named, NamedArg{Name: key, Value: argOf(body[i]), Pos: kid.pos})
	}
	return q.checked(pred, c)
}

// nested reads the query argument of a structure predicate.
func (q *Query) nested(c *Call, body []node) (Expr, error) {
	if len(body) == 0 {
		return c, nil
	}
	if len(body) > 1 {
		return nil, errorf(body[1].pos, "combine them with (and …)", "%s takes one query", c.Name)
	}
	inner, err := q.expr(body[0])
	c.Query = inner
	return c, err
}

func argOf(n node) Arg {
	if !n.list {
		return n.arg
	}
	list := Arg{Kind: ArgList, Pos: n.pos}
	for _, kid := range n.kids {
		list.List = append(list.List, argOf(kid))
	}
	return list
}

// checked verifies what every spelling must satisfy: the number of arguments,
// regexps that compile, dates that parse.
func (q *Query) checked(pred Predicate, c *Call) (Expr, error) {
	limit := pred.Max
	if pred.Compare && limit > 0 && len(c.Args) > 0 && isComparator(c.Args[0]) {
		limit = 2
	}
	switch n := len(c.Args); {
	case n < pred.Min:
		return nil, errorf(c.Pos, "write ("+pred.Name+" "+pred.Args+")", "%s needs an argument", pred.Name)
	case limit >= 0 && n > limit:
		return nil, errorf(c.Args[limit].Pos, "write ("+strings.TrimSpace(pred.Name+" "+pred.Args)+")", "%s takes at most %d arguments, got %d", pred.Name, limit, n)
	}
	if pred.Name == "text" {
		q.HasText = true
	}
	return c, validate(c)
}

func isComparator(a Arg) bool {
	return a.Kind == ArgSymbol && slices.Contains([]string{"<", "<=", ">", ">=", "=", "!="}, a.Text)
}
