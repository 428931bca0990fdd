package broker

import (
	"context"
	"strings"

	"wb/sandbox/dock"
)

// BuildRequest is a request to build.run.
type BuildRequest struct {
	Language string
	Source   string
	Input    []byte
	Args     []string
	// Uses are capabilities that it asks for; it gets those that the one who
	// asks holds too.
	Uses []string
}

// Builder compiles a program and runs it.
type Builder func(ctx context.Context, p BuildRequest) (Output, error)

// maxBuilds is how deep built programs may build others.
const maxBuilds = 8

type depthKey struct{}

// Build compiles and runs programs. A grant may be narrowed to languages:
// build:js.
func Build(run Builder) dock.Broker {
	return operations{
		"run": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			p := BuildRequest{Language: strings.ToLower(call.Text(0)), Source: string(call.Args[1]), Input: call.Args[2]}
			if err := outside(call, p.Language); err != nil {
				return dock.Reply{}, err
			}
			options := struct {
				Args []string `json:"args"`
				Uses []string `json:"uses"`
			}{}
			if err := optionsOf(call, 3, &options, "{args, uses}, both lists of texts"); err != nil {
				return dock.Reply{}, err
			}
			p.Args, p.Uses = options.Args, options.Uses
			depth, _ := ctx.Value(depthKey{}).(int)
			if depth >= maxBuilds {
				return dock.Reply{}, dock.Errorf(dock.CodeLimit, "build.run: programs build each other more than %d levels deep", maxBuilds)
			}
			out, err := run(context.WithValue(ctx, depthKey{}, depth+1), p)
			if err != nil {
				return dock.Reply{}, err
			}
			return answer(call, Ended{out.Exit, string(out.Stdout), strings.TrimSpace(out.Stderr)}, nil)
		},
	}
}
