package oql

import (
	"slices"
	"strings"
	"time"

	"wb/internal/nearest"
)

// maxQuery bounds the text of a query, in bytes.
const maxQuery = 1 << 20

// Parse reads a query in either spelling: text whose first character is an
// opening parenthesis is s-expressions, anything else is the plain form. An
// empty query matches every row. Errors are *SyntaxError.
func Parse(text string) (*Query, error) {
	if len(text) > maxQuery {
		return nil, errorf(Pos{1, 1}, "ask a shorter one", "query is longer than %d bytes", maxQuery)
	}
	parse := parsePlain
	if strings.HasPrefix(strings.TrimSpace(text), "(") {
		parse = parseSexps
	}
	q, err := parse(text)
	if err != nil {
		return nil, err
	}
	return q, q.check()
}

// check finds what is wrong with arguments now rather than when rows are there.
func (q *Query) check() error {
	c := &compiler{now: time.Unix(0, 0).UTC(), score: map[rowID]float64{}}
	c.text = func([]string) func(*File, int) (float64, bool) {
		return func(*File, int) (float64, bool) { return 0, false }
	}
	if _, err := c.compile(q.Where); err != nil {
		return err
	}
	if err := q.checkHaving(); err != nil {
		return err
	}
	if q.ReadsArguments() && len(q.Joins) == 0 { // a foreign table may call anything a deadline
		return checkDates(q.Where)
	}
	return nil
}

// parseSexps reads one or more forms; several after one another mean and.
func parseSexps(text string) (*Query, error) {
	forms, err := (&reader{src: text}).readAll()
	if err != nil {
		return nil, err
	}
	q := &Query{}
	var conds []Expr
	for _, form := range forms {
		switch form.head() {
		case "query":
			if err := q.addClauses(form.kids[1:]); err != nil {
				return nil, err
			}
		case "from":
			if err := q.addClause(form); err != nil {
				return nil, err
			}
		default:
			cond, err := q.expr(form)
			if err != nil {
				return nil, err
			}
			conds = append(conds, cond)
		}
	}
	q.constrain(conds)
	return q, nil
}

// constrain adds conditions to what the query already demands.
func (q *Query) constrain(conds []Expr) { q.Where = allOf(q.Where, conds) }

// allOf demands conditions beside one that may be nil.
func allOf(first Expr, conds []Expr) Expr {
	if first != nil {
		conds = append([]Expr{first}, conds...)
	}
	switch len(conds) {
	case 0:
		return nil
	case 1:
		return conds[0]
	}
	return &And{Args: conds, Pos: conds[0].Position()}
}

// clauses are the parts of (query …).
var clauses = []string{"from", "where", "group-by", "having", "select", "order-rows-by", "order-by", "limit", "offset", "join"}

func (q *Query) addClauses(forms []node) error {
	for _, form := range forms {
		if !slices.Contains(clauses, form.head()) {
			return errorf(form.pos, suggest(form.head(), clauses), "expected a clause such as (where …), got %s", describe(form))
		}
		if err := q.addClause(form); err != nil {
			return err
		}
	}
	return nil
}

func (q *Query) addClause(form node) (err error) {
	body := form.kids[1:]
	switch form.head() {
	case "from":
		q.From, err = sources(form)
	case "where", "having":
		var conds []Expr
		for _, kid := range body {
			cond, err := q.expr(kid)
			if err != nil {
				return err
			}
			conds = append(conds, cond)
		}
		if form.head() == "where" {
			q.constrain(conds)
		} else {
			q.Having = allOf(q.Having, conds)
		}
	case "group-by":
		q.Group, err = columns(body)
	case "select":
		q.Select, err = columns(body)
	case "order-rows-by":
		q.Before, err = orders(body)
	case "order-by":
		q.Sort, err = orders(body)
	case "limit":
		q.Limit, err = count(form)
	case "offset":
		q.Offset, err = count(form)
	case "join":
		err = q.addJoin(form)
	}
	return err
}

func sources(form node) ([]Source, error) {
	var from []Source
	for _, kid := range form.kids[1:] {
		if kid.list {
			return nil, errorf(kid.pos, `write (from "notes/") or (from blocks)`, "a source is a name or a path, got a list")
		}
		from = append(from, Source{Name: kid.arg.Text, Pos: kid.pos})
	}
	if len(from) == 0 {
		return nil, errorf(form.pos, `write (from "notes/") or (from blocks)`, "from names no source")
	}
	return from, nil
}

func (q *Query) addJoin(form node) error {
	join := Join{Pos: form.pos}
	body := form.kids[1:]
	for i := 0; i < len(body); i++ {
		kid := body[i]
		switch {
		case kid.head() == "from":
			from, err := sources(kid)
			if err != nil {
				return err
			}
			join.From = from
		case !kid.list && kid.arg.Text == ":on" && i+1 < len(body):
			join.Left = body[i+1].arg.Text
			join.Right = join.Left
			if i+2 < len(body) && !body[i+2].list {
				join.Right = body[i+2].arg.Text
			}
			i = len(body)
		default:
			return errorf(kid.pos, `write (join (from "tasks.org") :on ID AGENT_TASK)`, "unexpected %s in join", describe(kid))
		}
	}
	if len(join.From) == 0 || join.Left == "" {
		return errorf(form.pos, `write (join (from "tasks.org") :on ID AGENT_TASK)`, "join needs a source and :on")
	}
	q.Joins = append(q.Joins, join)
	return nil
}

// columns reads fields, (prop NAME) and aggregates such as (sum DUR_MS).
func columns(forms []node) ([]Column, error) {
	var cols []Column
	for i := 0; i < len(forms); i++ {
		form := forms[i]
		if !form.list {
			cols = append(cols, Column{Field: form.arg.Text, Pos: form.pos})
			continue
		}
		col, err := columnForm(form)
		if err != nil {
			return nil, err
		}
		cols = append(cols, col)
	}
	return cols, nil
}

func columnForm(form node) (Column, error) {
	head, body := form.head(), form.kids
	col := Column{Pos: form.pos}
	switch {
	case head == "prop" || head == "property":
		if len(body) != 2 || body[1].list {
			return col, errorf(form.pos, "write (prop NAME)", "prop takes one name")
		}
		col.Field = body[1].arg.Text
		return col, nil
	case slices.Contains(aggregates, head):
		col.Func = head
	case head == "as":
		if len(body) != 3 || body[2].list {
			return col, errorf(form.pos, "write (as (sum DUR_MS) total)", "as takes a column and a name")
		}
		inner, err := columns(body[1:2])
		if err != nil {
			return col, err
		}
		inner[0].As = body[2].arg.Text
		return inner[0], nil
	default:
		return col, errorf(form.pos, suggest(head, aggregates), "%s is not a column: use a field or one of %s", describe(form), strings.Join(aggregates, " "))
	}
	if len(body) > 1 {
		field, err := columns(body[1:2])
		if err != nil {
			return col, err
		}
		col.Field = field[0].Field
	}
	if col.Field == "" && head != "count" {
		return col, errorf(form.pos, "write ("+head+" DUR_MS)", "%s needs a field", head)
	}
	return col, nil
}

func orders(forms []node) ([]Order, error) {
	var keys []Order
	for _, form := range forms {
		key := Order{Pos: form.pos}
		switch head := form.head(); {
		case !form.list:
			key.Column = form.arg.Text
			if name, ok := strings.CutPrefix(key.Column, "-"); ok {
				key.Column, key.Desc = name, true
			}
		case (head == "desc" || head == "asc") && len(form.kids) == 2:
			cols, err := columns(form.kids[1:])
			if err != nil {
				return nil, err
			}
			key.Column, key.Desc = cols[0].Name(), head == "desc"
		default:
			cols, err := columns([]node{form})
			if err != nil {
				return nil, err
			}
			key.Column = cols[0].Name()
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func count(form node) (int, error) {
	if len(form.kids) != 2 || form.kids[1].arg.Kind != ArgNumber || form.kids[1].arg.Num < 0 || form.kids[1].arg.Num > 1e9 {
		return 0, errorf(form.pos, "write ("+form.head()+" 10)", "%s takes one whole number", form.head())
	}
	return int(form.kids[1].arg.Num), nil
}

// describe names a form for an error message.
func describe(form node) string {
	switch {
	case form.head() != "":
		return "(" + form.head() + " …)"
	case form.list:
		return "a list"
	}
	return form.arg.Text
}

// suggest names the known word that was probably meant, or the words there are.
func suggest(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	const most = 12
	if len(known) == 0 {
		return "leave it out"
	}
	if len(known) > most {
		return "wb help query shows an example; docs/oql.org lists every name"
	}
	return "use one of " + strings.Join(known, " ")
}

// keywordNames are the keywords of a predicate as s-expressions write them.
func keywordNames(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = ":" + k
	}
	return out
}
