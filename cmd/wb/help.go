package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"wb/internal/nearest"
	"wb/workbook"
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
	// Languages are the words that blocks which run here may begin with; of wb as a
	// whole.
	Languages []string `json:"languages,omitempty"`
}

type flagJSON struct {
	Name string `json:"name"`
	Help string `json:"help"`
	Type string `json:"type"`
}

func (c *helpCmd) Run(a *terminal) error {
	tree := verbTree(a.parser.Model.Node)
	if a.json {
		lanes, err := a.languages(a.ctx)
		if err != nil {
			return err
		}
		tree.Languages = append(lanes.Words(), workbook.LangAgent)
	}
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

// nearestVerb returns the verb that word was probably meant to be, or "".
func nearestVerb(parser *kong.Kong, word string) string {
	var verbs []string
	for _, child := range parser.Model.Children {
		verbs = append(verbs, child.Name)
	}
	return nearest.Word(word, verbs)
}

func (c *helpCmd) Help() string { return "Examples:\n  wb help run\n  wb help --json" }
