package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
	"wb/agent/toolkit"
)

// Toolkits is the verb toolkit of wb for an agent: what there is, how it is used,
// and its commands, which see the run's tree where they ask for files and have,
// of the capabilities they ask for, those that pass gives.
func Toolkits(root toolkit.Root, tree *agent.Tree, pass Pass) Verb {
	const usage = "toolkit list | show ID [SKILL] | search WORDS | run ID COMMAND [ARGS…] [< FILE]: capabilities and how to use them"
	return Verb{Name: "toolkit", Usage: usage, Call: func(ctx context.Context, at *Place, args []string) (agent.Output, error) {
		if len(args) == 0 {
			args = []string{"list"}
		}
		switch op, rest := args[0], args[1:]; {
		case op == "list":
			list, errs := root.List()
			return agent.Output{Text: toolkit.Lines(list, root)}, errors.Join(errs...)
		case op == "search":
			matches, err := root.Search(strings.Join(rest, " "))
			return agent.Output{Text: toolkit.MatchLines(strings.Join(rest, " "), matches)}, err
		case op == "show" && (len(rest) == 1 || len(rest) == 2):
			t, err := root.Open(rest[0])
			if err != nil {
				return agent.Output{}, err
			}
			if len(rest) == 1 {
				return agent.Output{Text: t.Show()}, nil
			}
			text, err := t.Skill(rest[1])
			return agent.Output{Text: toolkit.ShowSkill(text)}, err
		case op == "run" && len(rest) >= 2:
			return runCommand(ctx, root, tree, at, rest, pass)
		}
		return agent.Output{}, fmt.Errorf("toolkit %s not permitted to an agent; wb %s", args[0], usage)
	}}
}

// runCommand runs a command of a toolkit. Its last two words may be < FILE.
func runCommand(ctx context.Context, root toolkit.Root, tree *agent.Tree, at *Place, words []string, pass Pass) (agent.Output, error) {
	t, err := root.Open(words[0])
	if err != nil {
		return agent.Output{}, err
	}
	held := pass(ctx, "toolkits/"+t.ID)
	call := toolkit.Call{Args: words[2:], Files: tree.FS(), Grants: held.Grants, Docks: held.Docks, Trace: held.Trace}
	if n := len(call.Args); n >= 2 && call.Args[n-2] == "<" {
		data, err := tree.Read(call.Args[n-1])
		if err != nil {
			return agent.Output{}, err
		}
		call.Stdin, call.Args = strings.NewReader(string(data)), call.Args[:n-2]
	}
	out, err := t.Run(ctx, at.Lanes, words[1], call)
	if err = errors.Join(err, held.Ended(ctx)); err != nil {
		return agent.Output{}, err
	}
	return agent.Output{Text: joined(string(out.Stdout), string(out.Stderr)), Exit: &out.Exit, Taint: held.Taint()}, nil
}
