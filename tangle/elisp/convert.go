package elisp

import (
	"fmt"

	"wb/internal/value"
)

// FromValue converts a notebook value to Lisp: null, false and the empty list
// become nil, true becomes t, an object an association list with string keys,
// a blob the path of its file.
func FromValue(v value.Value) Value {
	switch v.Kind() {
	case value.Bool:
		if v.Bool() {
			return T
		}
	case value.Int:
		if v.IsBig() {
			return Big(v.Uint())
		}
		return Int(v.Int())
	case value.Float:
		return Float(v.Float())
	case value.String:
		return String(v.Text())
	case value.HLine:
		return HLine
	case value.List:
		items := make([]Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = FromValue(item)
		}
		return List(items...)
	case value.Object:
		pairs := make([]Value, len(v.Fields()))
		for i, field := range v.Fields() {
			pairs[i] = &Cons{String(field.Name), FromValue(field.Value)}
		}
		return List(pairs...)
	case value.BlobRef:
		return String(v.Blob().Path)
	}
	return Nil
}

// ToValue converts a Lisp object to the notebook's model. Symbols other than
// nil, t and hline become strings, vectors lists; a pair that is not a list has
// no counterpart and is an error.
func ToValue(v Value) (value.Value, error) {
	switch v := v.(type) {
	case nil:
		return value.Nil(), nil
	case Int:
		return value.OfInt(int64(v)), nil
	case Big:
		return value.OfUint(uint64(v)), nil
	case Float:
		return value.OfFloat(float64(v)), nil
	case String:
		return value.OfString(string(v)), nil
	case Symbol:
		switch v {
		case Nil:
			return value.Nil(), nil
		case T:
			return value.OfBool(true), nil
		case HLine:
			return value.Rule(), nil
		}
		return value.OfString(string(v)), nil
	case Vector:
		return listValue(v)
	}
	items, proper := Items(v)
	if !proper {
		return value.Nil(), fmt.Errorf("%s is a pair, not a list", Print(v))
	}
	return listValue(items)
}

func listValue(items []Value) (value.Value, error) {
	list := make([]value.Value, len(items))
	for i, item := range items {
		converted, err := ToValue(item)
		if err != nil {
			return value.Nil(), err
		}
		list[i] = converted
	}
	return value.OfList(list...), nil
}
