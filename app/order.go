package app

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// FlagsLast moves the flags of a command line behind its names and arguments, or
// between the two where -- ends them.
// Kong takes the arguments of a list to end at the first flag, so that wb query
// notes.org --count todo:NEXT would lack a query.
func FlagsLast(parser *kong.Kong, args []string) []string {
	at := 0
	for at < len(args) && strings.HasPrefix(args[at], "-") {
		at++
	}
	if at == len(args) {
		return args
	}
	verb := childOf(parser.Model.Node, args[at])
	if verb == nil || passesThrough(verb) {
		return args
	}
	return flagsLast(parser.Model.Node, verb, &kong.Node{Children: []*kong.Node{verb}}, args)
}

// flagsLast is [FlagsLast] for a verb of root, whose names are below node.
func flagsLast(root, verb, node *kong.Node, args []string) []string {
	var names, words, flags []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return slices.Concat(names, flags, args[i:i+1], words, args[i+1:])
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			if child := childOf(node, arg); child != nil && len(words) == 0 {
				names, node = append(names, arg), child
			} else {
				words = append(words, arg)
			}
		default:
			flags = append(flags, arg)
			if takesNext(root, verb, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		}
	}
	return slices.Concat(names, words, flags)
}

func childOf(n *kong.Node, name string) *kong.Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// passesThrough reports whether what follows some argument of a verb is not for
// the verb, flags included.
func passesThrough(n *kong.Node) bool {
	for _, p := range n.Positional {
		if p.Passthrough {
			return true
		}
	}
	for _, c := range n.Children {
		if passesThrough(c) {
			return true
		}
	}
	return false
}

// takesNext reports whether the value of a flag is the argument behind it.
func takesNext(root, verb *kong.Node, arg string) bool {
	name, long := strings.CutPrefix(arg, "--")
	if strings.Contains(name, "=") || !long && len(arg) != 2 {
		return false
	}
	for _, n := range append([]*kong.Node{root}, below(verb)...) {
		for _, f := range n.Flags {
			if long && (f.Name == name || slices.Contains(f.Aliases, name)) || !long && f.Short == rune(arg[1]) {
				return !f.IsBool() && !f.IsCounter()
			}
		}
	}
	return false // kong says that there is no such flag
}

func below(n *kong.Node) []*kong.Node {
	all := []*kong.Node{n}
	for _, c := range n.Children {
		all = append(all, below(c)...)
	}
	return all
}
