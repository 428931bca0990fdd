package capability

import (
	"bytes"
	"context"
	"runtime"
	"slices"

	"wb/compile"
	"wb/compile/shell"
	"wb/compile/toolbox"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
)

// Registered lists the commands that blocks can start, sorted: the tools of the
// sandbox's shell, without shells.
func Registered() []string {
	names := append(toolbox.Names(), "jq")
	slices.Sort(names)
	return slices.Compact(names)
}

// commands runs registered commands one call at a time.
func (r *run) commands(limits sandbox.Limits) dock.Broker {
	run := r.runner(limits)
	if run == nil {
		return nil
	}
	width := r.jobs
	if width <= 0 {
		width = runtime.GOMAXPROCS(0)
	}
	return broker.Commands(Registered(), run, width, r.running)
}

// runner runs a registered command, in the sandbox, within the limits of the
// component that asks; nil where there is no shell. Commands see no files but
// what is given to them, and hold no capabilities: what a component starts has
// no more than it has.
func (r *run) runner(limits sandbox.Limits) broker.RunCommand {
	if r.lanes == nil {
		return nil
	}
	lane, ok := r.lanes.Lookup("sh")
	if !ok {
		return nil
	}
	sh, ok := compile.Unwrapped[*shell.Lane](lane)
	if !ok {
		return nil
	}
	return func(ctx context.Context, name string, args []string, input []byte) (broker.Output, error) {
		result, err := sh.Tool(ctx, shell.Script{Stdin: bytes.NewReader(input), Limits: limits}, append([]string{name}, args...))
		return broker.Output{Stdout: result.Stdout, Stderr: string(result.Stderr), Exit: result.Exit}, err
	}
}
