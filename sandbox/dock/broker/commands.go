package broker

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wb/sandbox/dock"
)

// Output is the result of a command.
type Output struct {
	Stdout []byte
	Stderr string
	Exit   int
}

// RunCommand runs a registered command: structured arguments, no shell.
type RunCommand func(ctx context.Context, name string, args []string, input []byte) (Output, error)

// Bounds of commands.
const (
	maxInputs = 1024 // inputs of one commands.many
	inputTime = 60 * time.Second
)

// Commands runs registered commands, by name; it serves the modules commands and
// exec. A grant may be narrowed to names: commands:jq. width is how many inputs of commands.many are worked on at once.
func Commands(names []string, run RunCommand, width int, running *Counter) dock.Broker {
	one := func(ctx context.Context, call *dock.Call, input []byte) (Output, error) {
		name, args, err := command(call, names)
		if err != nil {
			return Output{}, err
		}
		if !running.take() {
			return Output{}, dock.Errorf(dock.CodeLimit, "%s: %d commands are already running", call.Operation, running.most)
		}
		defer running.give()
		out, err := run(ctx, name, args, input)
		if err == nil && out.Exit != 0 {
			err = dock.Errorf(dock.CodeFailed, "%s exited with %d: %s", name, out.Exit, strings.TrimSpace(out.Stderr))
		}
		return out, err
	}
	return operations{
		"run": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			out, err := one(ctx, call, call.Args[1])
			if err != nil {
				return dock.Reply{}, err
			}
			return dock.Found(out.Stdout), nil
		},
		"many": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			var inputs []string
			if err := json.Unmarshal(call.Args[1], &inputs); err != nil {
				return dock.Reply{}, dock.Errorf(dock.CodeInvalid, "commands.many: inputs must be a list of texts")
			}
			if len(inputs) > maxInputs {
				return dock.Reply{}, dock.Errorf(dock.CodeLimit, "commands.many: %d inputs, at most %d", len(inputs), maxInputs)
			}
			// All answers together are one reply: what is beyond it ends the rest.
			ctx, stop := context.WithCancelCause(ctx)
			defer stop(nil)
			var total atomic.Int64
			results := many(inputs, width, func(input string) (Output, error) {
				if ctx.Err() != nil {
					return Output{}, ctx.Err()
				}
				ctx, cancel := context.WithTimeout(ctx, inputTime)
				defer cancel()
				out, err := one(ctx, call, []byte(input))
				if total.Add(int64(len(out.Stdout))) > dock.MaxReply {
					stop(errTooMuch)
					return Output{}, errTooMuch
				}
				return out, err
			})
			if errors.Is(context.Cause(ctx), errTooMuch) {
				return dock.Reply{}, dock.Errorf(dock.CodeLimit, "commands.many: the answers have more than %d bytes", dock.MaxReply)
			}
			return answer(call, results, nil)
		},
	}
}

// errTooMuch says that programs have printed more than a reply may hold.
var errTooMuch = errors.New("too much output")

// command reads the arguments name and args of an operation on registered
// commands: structured, no shell.
func command(call *dock.Call, names []string) (name string, args []string, err error) {
	name = call.Text(0)
	if err := outside(call, name); err != nil {
		return "", nil, err
	}
	if !slices.Contains(names, name) {
		e := dock.Errorf(dock.CodeNotFound, "no command %.80q is registered", name)
		e.Help = "there are " + strings.Join(names, ", ")
		return "", nil, e
	}
	if err := optionsOf(call, 2, &args, "a list of texts"); err != nil {
		return "", nil, err
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.ContainsRune(a, 0) }) {
		return "", nil, dock.Errorf(dock.CodeInvalid, "%s: an argument has a NUL", call.Operation)
	}
	return name, args, nil
}

// result is the outcome of one input.
type result struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// many works on all inputs, width at a time, and answers in their order.
func many(inputs []string, width int, do func(input string) (Output, error)) []result {
	results := make([]result, len(inputs))
	slots := make(chan struct{}, max(1, min(width, MaxRunning)))
	var all sync.WaitGroup
	for i, input := range inputs {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			out, err := do(input)
			if err != nil {
				results[i].Error = err.Error()
				return
			}
			text := string(out.Stdout)
			results[i].Output = &text
		})
	}
	all.Wait()
	return results
}
