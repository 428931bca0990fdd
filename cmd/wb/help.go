package main

import (
	"fmt"
	"io"
	"sort"

	"github.com/alecthomas/kong"
)

// helpCmd exists so that `wb help --json` prints the verb tree for tools;
// plain `wb help [VERB]` is turned into --help before parsing.
type helpCmd struct {
	Verb []string `arg:"" optional:"" help:"Verb to explain."`
}

// verbJSON is one node of the verb tree.
type verbJSON struct {
	Name  string     `json:"name"`
	Help  string     `json:"help"`
	Args  []string   `json:"args,omitempty"`
	Flags []flagJSON `json:"flags,omitempty"`
	Verbs []verbJSON `json:"verbs,omitempty"`
}

type flagJSON struct {
	Name string `json:"name"`
	Help string `json:"help"`
	Type string `json:"type"`
}

func (c *helpCmd) Run(a *app) error {
	tree := verbTree(a.parser.Model.Node)
	return a.answer("help", tree, func(w io.Writer) error {
		for _, verb := range tree.Verbs {
			fmt.Fprintf(w, "%-12s %s\n", verb.Name, verb.Help)
		}
		return nil
	})
}

func verbTree(n *kong.Node) verbJSON {
	v := verbJSON{Name: n.Name, Help: n.Help}
	for _, arg := range n.Positional {
		v.Args = append(v.Args, arg.Summary())
	}
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			v.Flags = append(v.Flags, flagJSON{f.Name, f.Help, f.Target.Kind().String()})
		}
	}
	for _, child := range n.Children {
		if !child.Hidden {
			v.Verbs = append(v.Verbs, verbTree(child))
		}
	}
	return v
}

// nearestVerb returns the verb closest to word by edit distance, or "" when
// none is close enough to be what was meant.
func nearestVerb(parser *kong.Kong, word string) string {
	type candidate struct {
		name string
		dist int
	}
	var near []candidate
	for _, child := range parser.Model.Children {
		if d := editDistance(word, child.Name); d <= 1+len(child.Name)/4 {
			near = append(near, candidate{child.Name, d})
		}
	}
	if len(near) == 0 {
		return ""
	}
	sort.Slice(near, func(i, j int) bool { return near[i].dist < near[j].dist })
	return near[0].name
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
