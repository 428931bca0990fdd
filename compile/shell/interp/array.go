package interp

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// What parts the items of an array, and an item's key from its value, in the
// words of wb-array.
const (
	itemMark = "\x1e"
	keyMark  = "\x1f"
)

// builtinArray is wb-array NAME ITEMS: it fills an array that declare has made.
// Large variables come so, since a program with a word for each of their cells
// takes the parser longer than its run may last.
func builtinArray(sh *Shell, args []string) int {
	if len(args) != 3 {
		sh.errorf("wb-array: usage: wb-array name items")
		return 2
	}
	v := sh.lookup(args[1])
	items := strings.Split(args[2], itemMark)
	switch v.Set = true; v.Kind {
	case expand.Associative:
		v.Map = make(map[string]string, len(items))
		for _, item := range items {
			key, value, _ := strings.Cut(item, keyMark)
			v.Map[key] = value
		}
	default:
		v.Kind, v.List, v.Indexes = expand.Indexed, items, nil
	}
	if !sh.set(args[1], v) {
		return 1
	}
	return 0
}
