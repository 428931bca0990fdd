package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
	"wb/internal/value"
	"wb/workbook"
)

// RunVerb is the verb run of wb for an agent: what the tool [Workbooks] does, with
// the same capabilities.
func RunVerb(cache func(file string) *workbook.Cache, pass Pass) Verb {
	return Verb{"run", "run FILE [--set NAME=VALUE]…: run a workbook in the sandbox; gives its exports as JSON", func(ctx context.Context, at *Place, args []string) (agent.Output, error) {
		set := map[string]value.Value{}
		var names []string
		for i := 0; i < len(args); i++ {
			text, flag := strings.CutPrefix(args[i], "--set=")
			if args[i] == "--set" && i+1 < len(args) {
				i++
				text, flag = args[i], true
			}
			switch {
			case flag:
				name, v, err := at.given(text)
				if err != nil {
					return agent.Output{}, err
				}
				set[name] = v
			case args[i] == "--no-write": // it never writes
			case strings.HasPrefix(args[i], "-"):
				return agent.Output{}, fmt.Errorf("there is no flag %s", args[i])
			default:
				names = append(names, args[i])
			}
		}
		if len(names) != 1 {
			return agent.Output{}, errors.New("run takes one workbook")
		}
		_, text, err := at.text(names[0])
		if err != nil {
			return agent.Output{}, err
		}
		return runWorkbook(ctx, pass, names[0], at.Dir, workbook.Options{Source: text, Lanes: at.Lanes, Set: set}, cache)
	}}
}

// given reads NAME=VALUE, where the value is JSON, else text, or @FILE of the tree.
func (p *Place) given(text string) (name string, v value.Value, err error) {
	name, text, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return "", value.Nil(), errors.New("--set takes NAME=VALUE")
	}
	if file, ok := strings.CutPrefix(text, "@"); ok {
		_, data, err := p.text(file)
		if err != nil {
			return "", value.Nil(), err
		}
		text = string(data)
	}
	if v, err = value.ParseJSON([]byte(text)); err != nil {
		v = value.OfString(text)
	}
	return name, v, nil
}
