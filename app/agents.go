package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"wb/agent"
	"wb/agent/toolkit"
	"wb/agent/tools"
	"wb/compile"
	"wb/internal/trace"
	"wb/workbook"
)

// ForAgents is the table as the tools of agents have it.
type ForAgents struct{}

var _ tools.Table = ForAgents{}

// Verbs are those that an agent may use.
func (ForAgents) Verbs() []tools.Verb {
	var all []tools.Verb
	for _, r := range At(Agents) {
		all = append(all, tools.Verb{Name: r.Name, Usage: r.usage(), Usual: r.Usual, Runs: r.Runs,
			Call: func(ctx context.Context, at *tools.Checkout, args []string) (agent.Output, error) {
				in, err := r.Words(args)
				if err != nil {
					return agent.Output{}, err
				}
				return r.atPlace(ctx, at, in)
			},
			JSON: func(ctx context.Context, at *tools.Checkout, args map[string]json.RawMessage) (agent.Output, error) {
				for name, raw := range args {
					if len(raw) == 0 {
						delete(args, name)
					}
				}
				text, err := json.Marshal(args)
				if err != nil {
					return agent.Output{}, err
				}
				in, err := r.JSON(text)
				if err != nil {
					return agent.Output{}, err
				}
				return r.atPlace(ctx, at, in)
			}})
	}
	return all
}

// Run runs a workbook with what is passed on, and tells the agent's events of it.
func (ForAgents) Run(ctx context.Context, held tools.Held, opts workbook.Options) (*workbook.Report, trace.Outcome, error) {
	keep := func(string) *workbook.Cache { return opts.Cache }
	ran, err := (&Home{Prepare: passed(held), Hear: heard(held), Cache: keep}).Run(ctx, opts)
	if ran == nil {
		return nil, trace.Outcome{}, err
	}
	return ran.Report, ran.Outcome, err
}

// passed gives a run what an agent passes on.
func passed(held tools.Held) func(context.Context, *workbook.Options) (func(context.Context) error, error) {
	return func(_ context.Context, opts *workbook.Options) (func(context.Context) error, error) {
		held.Give(opts)
		return held.Ended, nil
	}
}

// heard tells an agent's events of a run, which has no record of its own.
func heard(held tools.Held) func(trace.Sink) trace.Sink {
	return func(trace.Sink) trace.Sink { return held.Trace }
}

// atPlace does a verb on the tree of an agent.
func (r Row) atPlace(ctx context.Context, at *tools.Checkout, in any) (agent.Output, error) {
	out := agent.Output{}
	h := &Home{Root: at.Root, Dir: at.Dir, Files: treeFiles{at}, Cache: at.Cache,
		Outside:   func(string) error { return errors.New("read blocked: path escapes your working dir") },
		Languages: func(context.Context) (*compile.Registry, error) { return at.Lanes, nil }}
	h.Prepare = func(ctx context.Context, opts *workbook.Options) (func(context.Context) error, error) {
		name, err := filepath.Rel(at.Dir, opts.File)
		if err != nil {
			return nil, err
		}
		held := at.Pass(ctx, filepath.ToSlash(name))
		out.Taint, h.Hear = held.Taint(), heard(held)
		return passed(held)(ctx, opts)
	}
	h.Toolkits, h.Variables = at.Toolkits, at.Variables
	h.Command = func(ctx context.Context, t *toolkit.Toolkit, in *ToolkitRunIn) (toolkit.Call, func(context.Context) error, error) {
		held := at.Pass(ctx, "toolkits/"+t.ID)
		out.Taint = held.Taint()
		call, err := treeCommand(at.Tree, held, in)
		return call, held.Ended, err
	}
	reply, err := r.Reply(ctx, h, in)
	if ran, ok := dataOf[*RunOut](reply); ok && ran != nil {
		out.Fuel = ran.Ran.Outcome.Fuel
	}
	if err != nil {
		return out, err
	}
	if ran, ok := dataOf[*ToolkitRunOut](reply); ok {
		reply.Exit = ran.Code
	}
	out.Text, out.Exit = reply.Text, &reply.Exit
	return out, nil
}

// treeCommand gives a command of a toolkit the tree of an agent and what is passed
// on. Its last two words may be < FILE.
func treeCommand(tree *agent.Tree, held tools.Held, in *ToolkitRunIn) (toolkit.Call, error) {
	call := toolkit.Call{Args: in.Args, Files: tree.FS(), Grants: held.Grants, Docks: held.Docks, Trace: held.Trace}
	n := len(call.Args)
	if n < 2 || call.Args[n-2] != "<" {
		return call, nil
	}
	data, err := tree.Read(call.Args[n-1])
	call.Stdin, call.Args = bytes.NewReader(data), call.Args[:n-2]
	return call, err
}

// dataOf is an answer's data, if it has that type.
func dataOf[T any](r *Reply) (data T, ok bool) {
	if r.Answer != nil {
		data, ok = r.Data.(T)
	}
	return data, ok
}

// treeFiles writes into the tree of an agent's run.
type treeFiles struct{ at *tools.Checkout }

// Target is the place in the tree of a file that a document wants written.
func (s treeFiles) Target(file string) (string, error) {
	rel, err := filepath.Rel(s.at.Dir, filepath.FromSlash(file))
	if err != nil || !filepath.IsLocal(rel) { // an absolute name may mean the directory that the tree was copied from
		if rel, err = filepath.Rel(s.at.Tree.Dir(), filepath.FromSlash(file)); err != nil || !filepath.IsLocal(rel) {
			return "", errors.New("write blocked: path escapes your working dir")
		}
	}
	rel = filepath.ToSlash(rel)
	return rel, s.at.Tree.Writable(rel)
}

// Write writes a file. A tree knows no permissions: files keep those they have.
func (s treeFiles) Write(name string, content []byte) error { return s.at.Tree.Write(name, content) }

// usage is how an agent uses a row, in a line.
func (r Row) usage() string {
	line := r.Name
	var flags []string
	var fields func(t reflect.Type)
	fields = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			_, positional := f.Tag.Lookup("arg")
			name := f.Tag.Get("name")
			if name == "" {
				name = strings.ReplaceAll(snake(f.Name), "_", "-")
			}
			switch {
			case terminalOnly(f.Tag), f.Tag.Get("kong") == "-":
			case f.Anonymous:
				fields(f.Type)
			case positional:
				line += " " + argument(name, f)
			case f.Type.Kind() == reflect.Bool:
				flags = append(flags, fmt.Sprintf("[--%s]", name))
			default:
				flags = append(flags, fmt.Sprintf("[--%s %s]", name, cmp.Or(f.Tag.Get("placeholder"), strings.ToUpper(name))))
			}
		}
	}
	fields(reflect.TypeOf(r.New()).Elem())
	return strings.Join(append([]string{line}, flags...), " ") + ": " + strings.TrimSuffix(r.Model, ".")
}

// argument is a word that is not a flag, as usage shows it.
func argument(name string, f reflect.StructField) string {
	text := strings.ToUpper(name)
	if f.Type.Kind() == reflect.Slice {
		text += "…"
	}
	if _, optional := f.Tag.Lookup("optional"); optional {
		text = "[" + text + "]"
	}
	return text
}
