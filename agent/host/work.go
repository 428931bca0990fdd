package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
	"wb/compile"
	"wb/compile/shell"
	"wb/sandbox"
)

// Ask puts one question to the model of the environment, outside of any run.
func (rt *Runtime) Ask(ctx context.Context, system, question string) (string, error) {
	client, err := rt.client(nil)
	if err != nil {
		return "", err
	}
	model, err := rt.model(&agent.Definition{}, Task{})
	if err != nil {
		return "", err
	}
	reply, err := client.Complete(ctx, agent.Request{Model: model, Messages: []agent.Message{{Role: agent.RoleSystem, Content: system}, {Role: agent.RoleUser, Content: question}}}, nil)
	return reply.Message.Content, err
}

// CheckIn runs a script in the sandbox's shell on a directory, whose files it
// sees and cannot change; the error is how it failed.
func (rt *Runtime) CheckIn(ctx context.Context, dir, script string) error {
	lane, ok := rt.Lanes.Lookup("sh")
	if !ok {
		return errors.New("there is no shell here")
	}
	sh, ok := compile.Unwrapped[*shell.Lane](lane)
	if !ok {
		return errors.New("the shell lane cannot run checks")
	}
	host, err := sandbox.HostDir(dir)
	if err != nil {
		return err
	}
	defer host.Close()
	result, err := sh.ScriptRunner.Run(ctx, shell.Script{Text: script, Stdin: strings.NewReader(""), Files: sandbox.Overlay(host), Limits: shellLimits})
	if err != nil {
		return err
	}
	if result.Exit != 0 {
		said := strings.TrimSpace(string(result.Stdout) + string(result.Stderr))
		return errors.New(strings.TrimSuffix(fmt.Sprintf("exit %d: %s", result.Exit, said), ": "))
	}
	return nil
}
