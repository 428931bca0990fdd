package oql

import (
	"slices"
	"strings"

	"wb/internal/nearest"
)

// The plain form is words separated by blanks, all of which must hold:
//
//	todo:NEXT          a predicate with arguments, comma-separated
//	ts:on=today        with keywords
//	dur_ms:>1000       a comparison of any field
//	tool:shell         a field that is not a predicate: equality
//	!moon              not
//	"a phrase" word    the default predicate, rifle
//	from:blocks        where rows come from
//
// followed by stages after |: group, sort, limit, offset, select, where, join,
// or a comma-separated list of columns and aggregates.

// word is one blank-separated token with its quoted parts marked, so that
// a quoted comma or colon does not split it.
type word struct {
	text   string
	quoted []bool // per byte of text
	pos    Pos
}

// index finds the first unquoted occurrence of any byte of set at or after from.
func (w word) index(set string, from int) int {
	for i := from; i < len(w.text); i++ {
		if !w.quoted[i] && strings.IndexByte(set, w.text[i]) >= 0 {
			return i
		}
	}
	return -1
}

func (w word) slice(from, to int) word {
	return word{w.text[from:to], w.quoted[from:to], Pos{w.pos.Line, w.pos.Col + from}}
}

// bare reports whether no part of the word was quoted.
func (w word) bare() bool { return !slices.Contains(w.quoted, true) }

// split cuts the word at unquoted commas.
func (w word) split() []word {
	var parts []word
	for start := 0; ; {
		comma := w.index(",", start)
		if comma < 0 {
			return append(parts, w.slice(start, len(w.text)))
		}
		parts = append(parts, w.slice(start, comma))
		start = comma + 1
	}
}

func (w word) arg() Arg {
	if w.bare() {
		a := atom(w.text, w.pos)
		return a
	}
	return Arg{Kind: ArgString, Text: w.text, Pos: w.pos}
}

// lexPlain splits text into words; "|" outside quotes is a word of its own.
func lexPlain(text string) ([]word, error) {
	var words []word
	var cur word
	open, started := false, false
	var openAt Pos
	flush := func() {
		if started {
			words = append(words, cur)
		}
		cur, started = word{}, false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		begin := func() {
			if !started {
				cur.pos, started = posAt(text, i), true
			}
		}
		switch {
		case c == '"':
			begin()
			open, openAt = !open, posAt(text, i)
		case open && c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			cur.text, cur.quoted = cur.text+text[i:i+1], append(cur.quoted, true)
		case open:
			cur.text, cur.quoted = cur.text+text[i:i+1], append(cur.quoted, true)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
		case c == '|' && !started:
			words = append(words, word{"|", []bool{false}, posAt(text, i)})
		default:
			begin()
			cur.text, cur.quoted = cur.text+text[i:i+1], append(cur.quoted, false)
		}
	}
	if open {
		return nil, errorf(openAt, `add the missing "`, "string is never closed")
	}
	flush()
	return words, nil
}

func parsePlain(text string) (*Query, error) {
	words, err := lexPlain(text)
	if err != nil {
		return nil, err
	}
	q := &Query{}
	for i, stage := range splitStages(words) {
		switch {
		case i == 0:
			err = q.plainWhere(stage)
		case len(stage) == 0:
			err = errorf(barAt(words, i), "write: QUERY | group FIELD | count", "empty stage after |")
		default:
			err = q.plainStage(stage)
		}
		if err != nil {
			return nil, err
		}
	}
	return q, nil
}

// splitStages cuts words at "|".
func splitStages(words []word) [][]word {
	out := [][]word{nil}
	for _, w := range words {
		if w.text == "|" && w.bare() {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], w)
	}
	return out
}

// barAt is where the n-th "|" stands.
func barAt(words []word, n int) Pos {
	for _, w := range words {
		if w.text == "|" && w.bare() {
			if n--; n == 0 {
				return w.pos
			}
		}
	}
	return Pos{1, 1}
}

func (q *Query) plainWhere(words []word) error {
	conds, err := q.plainConditions(words)
	q.constrain(conds)
	return err
}

func (q *Query) plainConditions(words []word) ([]Expr, error) {
	var conds []Expr
	for i, w := range words {
		if err := habit(words, i); err != nil {
			return nil, err
		}
		cond, err := q.plainWord(w)
		if err != nil {
			return nil, err
		}
		if cond != nil {
			conds = append(conds, cond)
		}
	}
	return conds, nil
}

// plainWord reads one condition; it returns nil for from:, which is none.
func (q *Query) plainWord(w word) (Expr, error) {
	if strings.HasPrefix(w.text, "!") && len(w.text) > 1 && !w.quoted[0] {
		inner, err := q.plainWord(w.slice(1, len(w.text)))
		if err != nil || inner == nil {
			return nil, err
		}
		return &Not{Arg: inner, Pos: w.pos}, nil
	}
	colon := w.index(":", 0)
	if colon <= 0 || !isFieldName(w.text[:colon]) || strings.HasPrefix(w.text[colon:], "://") {
		return &Call{Name: "rifle", Args: []Arg{{Text: w.text, Pos: w.pos}}, Pos: w.pos}, nil
	}
	name, rest := w.text[:colon], w.slice(colon+1, len(w.text))
	if name == "from" {
		for _, part := range rest.split() {
			q.From = append(q.From, Source{Name: part.text, Pos: part.pos})
		}
		return nil, nil
	}
	if op, value := cutComparator(rest); op != "" {
		return checkedCompare(&Compare{Op: op, Field: name, Value: value.arg(), Pos: w.pos})
	}
	pred, ok := lookupPredicate(name)
	if !ok {
		return fieldEquals(name, rest, w.pos)
	}
	return q.plainCall(pred, rest, w.pos)
}

// fieldEquals reads name:a,b for a name that is not a predicate: the field equals
// one of the values. A name that is almost a predicate is taken for a slip.
func fieldEquals(name string, rest word, pos Pos) (Expr, error) {
	if near := nearest.Word(name, headWords()); near != "" && nearest.Distance(strings.ToLower(name), near) == 1 && !knownField(name) {
		return nil, errorf(pos, "did you mean "+near+":?", "unknown predicate %s", name)
	}
	either := &Or{Pos: pos}
	for _, part := range rest.split() {
		arg := part.arg()
		if dates, ok := rangeOf(name, arg, pos); ok && part.bare() {
			either.Args = append(either.Args, dates)
			continue
		}
		either.Args = append(either.Args, &Compare{Op: "=", Field: name, Value: arg, Pos: pos})
	}
	if len(either.Args) == 1 {
		return either.Args[0], nil
	}
	return either, nil
}

func (q *Query) plainCall(pred Predicate, rest word, pos Pos) (Expr, error) {
	c := &Call{Name: pred.Name, Pos: pos}
	if pred.Nested {
		if rest.text == "" {
			return c, nil
		}
		inner, err := q.plainWord(rest)
		c.Query = inner
		return c, err
	}
	parts := rest.split()
	if pred.Name == "property" { // property:owner=ada is property:owner,ada
		if eq := parts[0].index("=", 0); eq > 0 && !slices.Contains(pred.Keys, parts[0].text[:eq]) {
			parts = append([]word{parts[0].slice(0, eq), parts[0].slice(eq+1, len(parts[0].text))}, parts[1:]...)
		}
	}
	for _, part := range parts {
		eq := part.index("=", 0)
		key := ""
		if eq > 0 {
			key = part.text[:eq]
		}
		switch {
		case slices.Contains(pred.Keys, key):
			c.Named = append(c.Named, NamedArg{Name: key, Value: part.slice(eq+1, len(part.text)).arg(), Pos: part.pos})
		case key != "" && pred.Group == "time":
			return nil, errorf(part.pos, suggest(key, pred.Keys), "%s takes no %s=", pred.Name, key)
		case part.text == "" && part.bare():
		default:
			arg := part.arg()
			if pred.Name == "property" { // nil is a value here, and Lisp's nothing in a sexp
				arg.Kind = ArgString
			}
			c.Args = append(c.Args, arg)
		}
	}
	return q.checked(pred, c)
}

// cutComparator splits a leading comparator from a word.
func cutComparator(w word) (string, word) {
	for _, op := range []string{"<=", ">=", "!=", "!~", "<", ">", "=", "~"} {
		if !strings.HasPrefix(w.text, op) || w.quoted[0] {
			continue
		}
		value := w.slice(len(op), len(w.text))
		if value.index(",", 0) == 0 { // level:>,2 as org-ql spells it
			value = value.slice(1, len(value.text))
		}
		return op, value
	}
	return "", w
}

func isFieldName(s string) bool {
	for _, r := range s {
		switch {
		case isLetter(r), r >= '0' && r <= '9', strings.ContainsRune("_-.*&", r), r > 127:
		default:
			return false
		}
	}
	return s != ""
}
