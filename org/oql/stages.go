package oql

import (
	"slices"
	"strings"
)

// plainStage reads what stands between two bars.
func (q *Query) plainStage(words []word) error {
	verb, rest := words[0], words[1:]
	switch verb.text {
	case "where":
		return q.whereAfter(verb, rest)
	case "group":
		rest = afterBy(rest)
		if err := q.groupAfter(verb); err != nil {
			return err
		}
		for _, w := range commaWords(rest) {
			q.Group = append(q.Group, Column{Field: w.text, Pos: w.pos})
		}
		return requireAny(verb, rest)
	case "sort":
		rest = afterBy(rest)
		q.Sort = append(q.Sort, plainOrders(rest)...)
		return requireAny(verb, rest)
	case "limit", "offset":
		return q.plainCount(verb, rest)
	case "join":
		return q.plainJoin(verb, rest)
	case "select":
		words = rest
		if err := requireAny(verb, rest); err != nil {
			return err
		}
	}
	return q.plainColumns(words)
}

// whereAfter reads a condition on what the stages before it made: rows, or groups.
func (q *Query) whereAfter(verb word, rest []word) error {
	if q.Limit > 0 || q.Offset > 0 {
		return errorf(verb.pos, "put limit and offset behind where", "where cannot follow limit")
	}
	if !q.grouped() {
		return q.plainWhere(rest)
	}
	conds, err := q.plainConditions(rest)
	q.Having = allOf(q.Having, conds)
	return err
}

// groupAfter reads what stood before a group as being about its rows.
func (q *Query) groupAfter(verb word) error {
	if q.Limit > 0 || q.Offset > 0 {
		return errorf(verb.pos, "put limit and offset behind "+verb.text, "%s cannot follow limit", verb.text)
	}
	if len(q.Sort) > 0 {
		q.Before, q.Sort = q.Sort, nil
	}
	return nil
}

// afterBy lets people write group by and sort by.
func afterBy(words []word) []word {
	if len(words) > 1 && strings.EqualFold(words[0].text, "by") && words[0].bare() {
		return words[1:]
	}
	return words
}

// plainOrders reads -F, or F desc as in SQL.
func plainOrders(words []word) (keys []Order) {
	for _, group := range commaGroups(words) {
		for i, w := range group {
			direction := strings.ToLower(w.text)
			if i > 0 && (direction == "desc" || direction == "asc") {
				keys[len(keys)-1].Desc = direction == "desc"
				continue
			}
			name, desc := strings.CutPrefix(w.text, "-")
			keys = append(keys, Order{Column: name, Desc: desc, Pos: w.pos})
		}
	}
	return keys
}

func requireAny(verb word, rest []word) error {
	if len(rest) == 0 {
		return errorf(verb.pos, "write: | "+verb.text+" FIELD", "%s names no field", verb.text)
	}
	return nil
}

func (q *Query) plainCount(verb word, rest []word) error {
	n := -1.0
	if len(rest) == 1 && rest[0].arg().Kind == ArgNumber {
		n = rest[0].arg().Num
	}
	if n < 0 || n > 1e9 {
		return errorf(verb.pos, "write: | "+verb.text+" 10", "%s takes one whole number", verb.text)
	}
	if verb.text == "limit" {
		q.Limit = int(n)
	} else {
		q.Offset = int(n)
	}
	return nil
}

// plainJoin reads: join SOURCE on LEFT [RIGHT].
func (q *Query) plainJoin(verb word, rest []word) error {
	if len(rest) < 3 || len(rest) > 4 || rest[1].text != "on" {
		return errorf(verb.pos, "write: | join tasks.org on ID AGENT_TASK", "join takes a source, on and one or two fields")
	}
	q.Joins = append(q.Joins, Join{
		From: []Source{{Name: rest[0].text, Pos: rest[0].pos}},
		Left: rest[2].text, Right: rest[len(rest)-1].text, Pos: verb.pos,
	})
	return nil
}

// plainColumns reads: count, sum dur_ms, p95 dur_ms as slow, title.
func (q *Query) plainColumns(words []word) error {
	for _, group := range commaGroups(words) {
		first := group[0]
		col := Column{Pos: first.pos}
		if n := len(group); n >= 3 && group[n-2].text == "as" {
			col.As = group[n-1].text
			group = group[:n-2]
		}
		switch {
		case slices.Contains(aggregates, first.text) && len(group) <= 2:
			col.Func = first.text
			if err := q.groupAfter(first); err != nil {
				return err
			}
			if len(group) == 2 {
				col.Field = group[1].text
			} else if first.text != "count" {
				return errorf(first.pos, "write: "+first.text+" dur_ms", "%s needs a field", first.text)
			}
		case len(group) == 1 && isFieldName(first.text) && !strings.HasPrefix(first.text, "."):
			col.Field = first.text
		default:
			return noStage(group)
		}
		q.Select = append(q.Select, col)
	}
	return nil
}

// commaWords flattens words at unquoted commas and drops empty parts.
func commaWords(words []word) []word {
	var out []word
	for _, w := range words {
		for _, part := range w.split() {
			if part.text != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// commaGroups splits words into the groups between commas.
func commaGroups(words []word) [][]word {
	var groups [][]word
	var cur []word
	flush := func() {
		if len(cur) > 0 {
			groups = append(groups, cur)
		}
		cur = nil
	}
	for _, w := range words {
		for i, part := range w.split() {
			if i > 0 {
				flush()
			}
			if part.text != "" {
				cur = append(cur, part)
			}
		}
	}
	flush()
	return groups
}
