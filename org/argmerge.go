package org

import (
	"slices"
	"strings"
)

// The words of :results and :exports exclude each other within a group: the
// last one given wins.
var (
	resultGroups = [][]string{
		{"file", "list", "vector", "table", "scalar", "verbatim"},
		{"raw", "html", "latex", "org", "code", "pp", "drawer", "link", "graphics"},
		{"replace", "silent", "none", "discard", "append", "prepend"},
		{"output", "value"},
	}
	exportGroups = [][]string{{"code", "results", "both", "none"}}
)

// MergeArgs combines levels of header arguments, weakest first, as Org does.
// A later argument replaces an earlier one of the same key, except that
// :results and :exports merge word by word and :var merges by name; a :var
// without a name gives a new value to the variables there are, in order.
func MergeArgs(levels ...[]Arg) Args {
	var vars, others []Arg
	positional := 0
	set := func(arg Arg) {
		for i := range others {
			if others[i].Key == arg.Key {
				others[i] = arg
				return
			}
		}
		others = append(others, arg)
	}
	get := func(key string) string { return Args(others).Value(key) }
	for _, level := range levels {
		for _, arg := range level {
			switch arg.Key {
			case ":var":
				vars, positional = mergeVar(vars, positional, arg)
			case ":results":
				arg.Value = mergeWords(get(arg.Key), arg.Text(), resultGroups)
				set(arg)
			case ":exports":
				arg.Value = mergeWords(get(arg.Key), arg.Text(), exportGroups)
				set(arg)
			default:
				set(arg)
			}
		}
	}
	return append(vars, others...)
}

func mergeVar(vars []Arg, positional int, arg Arg) ([]Arg, int) {
	v := readVar(arg)
	if v.Name == "" {
		if positional < len(vars) {
			arg.Value = readVar(vars[positional]).Name + "=" + arg.Value
			vars[positional] = arg
			return vars, positional + 1
		}
		if arg.Value == "" {
			return vars, positional
		}
		return append(vars, arg), positional
	}
	for i := range vars {
		if readVar(vars[i]).Name == v.Name {
			vars = append(vars[:i:i], vars[i+1:]...)
			break
		}
	}
	return append(vars, arg), positional
}

// mergeWords adds words to those there are; each displaces the others of its
// group.
func mergeWords(have, add string, groups [][]string) string {
	words := strings.Fields(have)
	for _, w := range strings.Fields(add) {
		kept := words[:0]
		for _, old := range words {
			if old != w && !exclude(groups, old, w) {
				kept = append(kept, old)
			}
		}
		words = append(kept, w)
	}
	return strings.Join(words, " ")
}

func exclude(groups [][]string, a, b string) bool {
	for _, g := range groups {
		if slices.Contains(g, a) && slices.Contains(g, b) {
			return true
		}
	}
	return false
}
