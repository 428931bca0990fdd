package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/sandbox"
	"wb/workbook/plan"
)

// AgentTask is the task of a component that is an agent.
type AgentTask struct {
	Component string
	File      string
	Source    string        // the document's text
	Pos       diag.Position // of the heading or block that defines the agent
	// Prompt and Args are of an agent that a block defines: its text, and its
	// header arguments by name. A heading's are read from Source.
	Prompt string
	Args   map[string][]string
	// Text is the task: the only input as it is, several as a JSON object.
	Text string
	// Outs are the names of the outputs; an agent with several answers with a JSON
	// object that has each.
	Outs []string
	// Grants are the capabilities of the run.
	Grants []string
	// Events take what the agent does, as events of the workbook's run.
	Events trace.Sink
}

// AgentAnswer is the answer of an agent.
type AgentAnswer struct {
	Text  string
	Usage trace.Usage
	Taint []string // where untrusted text came from that it has read
}

// Agents does the tasks of components that are agents; see package agent/runtime.
type Agents func(ctx context.Context, task AgentTask) (AgentAnswer, error)

// agent gives a component that is an agent its turn. It is asked anew in each run:
// what it reads and what the model says are not a function of its inputs.
func (r executor) agent(ctx context.Context, c *plan.Component, t *task) error {
	t.done.Why = "an agent runs every time"
	switch {
	case r.dry:
		return errWouldRun
	case !binding(r.runner).granted("llm"):
		return diag.Errorf(c.Pos, "%s is an agent and needs the capability llm, which is not granted", c.ID).WithHint("wb run --grant llm")
	case r.opts.Agents == nil:
		return diag.Errorf(c.Pos, "%s is an agent, but agents cannot run here", c.ID)
	}
	text, err := r.agentText(c)
	if err != nil {
		return err
	}
	release, err := r.acquire(ctx, t)
	if err != nil {
		return err
	}
	defer release()
	r.emit(trace.Event{Kind: trace.KindComponentStart, Component: c.ID, Lang: c.Lang, Profile: binding(r.runner).profileOf(c)})
	want := AgentTask{Component: c.ID, File: r.opts.File, Source: r.plan.Document().Source(), Pos: c.Pos, Text: text, Outs: plan.PortNames(c.Out), Grants: r.opts.Grants, Events: r.opts.Trace}
	if c.Node() != nil {
		want.Prompt, want.Args = c.Body, plan.ByName(c.Args)
	}
	answer, err := r.opts.Agents(ctx, want)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.Pos, c.ID, err)
	}
	t.made = true
	t.done.Status, t.done.Stdout, t.done.Usage = StatusOK, answer.Text, sandbox.Usage{}
	t.done.Value = streamValue(answer.Text, want.Outs)
	return checkOutputs(c, t.done.Value)
}

// agentText is the task of an agent: what a command would read, or the title of one
// that takes nothing.
func (r executor) agentText(c *plan.Component) (string, error) {
	inputs, err := binding(r.runner).inputs(c)
	if err != nil {
		return "", err
	}
	text := streamOf(inputs, binding(r.runner).workflowInput(c))
	if text == nil {
		return c.Title, nil
	}
	var pretty strings.Builder
	if len(inputs) > 1 { // a model reads it
		encoder := json.NewEncoder(&pretty)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if encoder.Encode(json.RawMessage(text)) == nil {
			return strings.TrimSpace(pretty.String()), nil
		}
	}
	return string(text), nil
}

// streamOf is a program's standard input: the only input as it is,
// several as a JSON object, else what the workflow was given; nil when that is
// nothing.
func streamOf(inputs []value.Field, first *value.Value) []byte {
	switch {
	case len(inputs) == 1:
		return streamText(inputs[0].Value)
	case len(inputs) > 1:
		return value.OfObject(inputs...).AppendJSON(nil)
	case first != nil:
		return streamText(*first)
	}
	return nil
}

// streamValue reads standard output as a value: JSON where it
// parses, else text.
func streamValue(text string, outs []string) value.Value {
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return unwrap(v, outs)
	}
	return value.OfString(strings.TrimRight(text, "\r\n"))
}
