package jcs

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"wb/proof/fault"
)

// Decode reads a canonical text into a struct. An object must have exactly the
// members that the struct has fields, of their types; code is the failure
// otherwise. Only what [Check] accepts is looked at.
func Decode(text []byte, into any, code fault.Code) error {
	v, err := Check(text)
	if err != nil {
		return err
	}
	return Assign(v, into, code)
}

// Assign is [Decode] for a value that is parsed already.
func Assign(v, into any, code fault.Code) error {
	if err := exact(v, reflect.TypeOf(into).Elem(), "the value"); err != nil {
		return fault.New(code, "%v", err)
	}
	text, err := Append(nil, v)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fault.New(code, "%v", err)
	}
	return nil
}

// exact compares a parsed value with the type it is for.
func exact(v any, t reflect.Type, where string) error {
	switch t.Kind() {
	case reflect.Interface:
		return nil
	case reflect.String:
		return want[string](v, where, "text")
	case reflect.Int, reflect.Int64:
		f, ok := v.(float64)
		if !ok || f != float64(int64(f)) {
			return fmt.Errorf("%s is not an integer", where)
		}
		return nil
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s is not a list", where)
		}
		for i, e := range list {
			if err := exact(e, t.Elem(), fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		return exactStruct(v, t, where)
	case reflect.Map:
		return want[map[string]any](v, where, "an object")
	}
	return fmt.Errorf("%s: unexpected type %s", where, t)
}

func want[T any](v any, where, name string) error {
	if _, ok := v.(T); !ok {
		return fmt.Errorf("%s is not %s", where, name)
	}
	return nil
}

func exactStruct(v any, t reflect.Type, where string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not an object", where)
	}
	known := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known[name] = true
		member, ok := object[name]
		if !ok {
			return fmt.Errorf("%s has no %s", where, name)
		}
		if err := exact(member, t.Field(i).Type, name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !known[name] {
			return fmt.Errorf("%s has an unknown member %q", where, name)
		}
	}
	return nil
}
