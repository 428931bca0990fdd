package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/agent"
	"wb/compile"
	"wb/internal/diag"
)

// WB is the wb command line as an agent may use it: the verbs that look, and those
// that change nothing but the run's tree. They are functions of this process; no
// word of the model's becomes a command line of the host's, and paths lead nowhere
// but into the tree.
func (b Bench) WB() agent.Tool {
	verbs := slices.DeleteFunc(b.Table.Verbs(), func(v Verb) bool { return v.Runs && b.Pass == nil })
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name)
	}
	return &tool{name: "wb", description: "Run a wb command on the working directory: " + strings.Join(names, ", ") + ". `help` shows how each is used.",
		schema: `{"type":"object","properties":{"args":{"description":"the words after wb, as a list","anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}},"required":["args"],"additionalProperties":false}`,
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			words := commandLine(args)
			if len(words) == 0 || words[0] == "help" {
				return agent.Output{Text: usage(verbs)}, nil
			}
			verb, rest, err := named(verbs, words)
			if err != nil {
				return agent.Output{}, err
			}
			out, err := b.at(ctx, func(at *Checkout) (agent.Output, error) { return verb.Call(ctx, at, rest) })
			if err != nil {
				return out, fmt.Errorf("wb %s error: %w", words[0], err)
			}
			if *out.Exit != 0 {
				out.Text = joined(out.Text, fmt.Sprintf("exit %d", *out.Exit))
			}
			return changed(ctx, b.Tree, out)
		}}
}

// named is the verb that words name, and the words after its name.
func named(verbs []Verb, words []string) (*Verb, []string, error) {
	var below, names []string
	for i := range verbs {
		parts := strings.Fields(verbs[i].Name)
		if len(words) >= len(parts) && slices.Equal(words[:len(parts)], parts) {
			return &verbs[i], words[len(parts):], nil
		}
		if verbs[i].Usual && slices.Equal(words, parts[:1]) {
			return &verbs[i], nil, nil
		}
		if parts[0] == words[0] {
			below = append(below, "wb "+verbs[i].Usage)
		}
		names = append(names, verbs[i].Name)
	}
	if len(below) > 0 && len(words) == 1 {
		return nil, nil, errors.New(strings.Join(below, "\n"))
	}
	if len(below) > 0 {
		return nil, nil, fmt.Errorf("wb %s error: %s %s not permitted to an agent; %s", words[0], words[0], words[1], strings.Join(below, ", "))
	}
	return nil, nil, fmt.Errorf("wb %s not permitted to an agent; there are %s", words[0], strings.Join(names, ", "))
}

// at calls do with the tree as a temporary directory, whose name no message shows.
func (b Bench) at(ctx context.Context, do func(*Checkout) (agent.Output, error)) (agent.Output, error) {
	dir, remove, err := laidOut(b.Tree)
	if err != nil {
		return agent.Output{}, err
	}
	defer remove()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return agent.Output{}, err
	}
	defer root.Close()
	out, err := do(&Checkout{Bench: b, Dir: dir, Root: root})
	inside := func(text string) string { return strings.ReplaceAll(text, dir+string(filepath.Separator), "") }
	out.Text = inside(out.Text)
	if out.Taint == "" {
		out.Taint = filesTaint
	}
	if err != nil {
		exit := diag.ExitOf(err)
		if ctx.Err() != nil {
			exit = diag.ExitInterrupted
		}
		out.Exit = &exit
		return out, errors.New(inside(explained(err)))
	}
	if out.Exit == nil {
		out.Exit = new(int)
	}
	return out, nil
}

// commandLine is the words after wb.
func commandLine(args agent.Args) []string {
	words := compile.Words(args.Text("args"))
	_ = json.Unmarshal(args["args"], &words)
	if len(words) > 0 && words[0] == "wb" {
		words = words[1:]
	}
	return words
}

// WBVerb is the verb that a call of the tool wb names, "" when it names none.
func WBVerb(args string) string {
	var given agent.Args
	if json.Unmarshal([]byte(args), &given) != nil {
		return ""
	}
	words := commandLine(given)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// Verb is a verb of wb that an agent may use: one word, or two.
type Verb struct {
	Name, Usage string
	// Usual is the verb of a group that its first word alone names.
	Usual bool
	// Runs says that the verb starts programs, which need what is passed on.
	Runs bool
	Call func(ctx context.Context, at *Checkout, args []string) (agent.Output, error)
	// JSON is Call with the arguments as members of an object; nil has none.
	JSON func(ctx context.Context, at *Checkout, args map[string]json.RawMessage) (agent.Output, error)
}

// Checkout is the tree that a verb looks at, as a directory. What a verb writes it
// writes into the tree.
type Checkout struct {
	Bench
	Dir  string
	Root *os.Root
}

// usage is the text that help shows.
func usage(verbs []Verb) string {
	var b strings.Builder
	for _, v := range verbs {
		fmt.Fprintf(&b, "wb %s\n", v.Usage)
	}
	return b.String()
}

// explained is an error with its hint.
func explained(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + "; " + hinted.Hint()
	}
	return err.Error()
}
