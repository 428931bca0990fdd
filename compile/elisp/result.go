package elisp

import (
	"wb/internal/value"
	lisp "wb/tangle/elisp"
)

// result is the block's value.
func (u *unit) result(v lisp.Value) value.Value {
	if u.Results.Has("discard") {
		return value.Nil()
	}
	return plain(v, false)
}

// plain is a value as results show it: symbols are their names, an empty row is
// null, and nil in a cell is the word, as in Emacs. Inside a value lists are not tables.
func plain(v lisp.Value, inside bool) value.Value {
	items, isList := lisp.Items(v)
	switch {
	case lisp.IsNil(v):
		return value.Nil()
	case v == lisp.HLine:
		return value.Rule()
	case !isList:
		return atom(v)
	}
	rows := !inside
	for _, item := range items {
		if _, row := lisp.Items(item); !row && item != lisp.HLine {
			rows = false
		}
	}
	list := make([]value.Value, len(items))
	for i, item := range items {
		if list[i] = plain(item, true); lisp.IsNil(item) && !rows {
			list[i] = value.OfString("nil")
		}
	}
	return value.OfList(list...)
}

// atom is a value that is not a list: a number, or text.
func atom(v lisp.Value) value.Value {
	switch v := v.(type) {
	case lisp.Int:
		return value.OfInt(int64(v))
	case lisp.Big:
		return value.OfUint(uint64(v))
	case lisp.Float:
		return value.OfFloat(float64(v))
	case lisp.String:
		return value.OfString(string(v))
	case lisp.Symbol:
		return value.OfString(string(v))
	}
	return value.OfString(lisp.Print(v))
}
