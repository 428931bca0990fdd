package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/sandbox"
	"wb/workbook/plan"
)

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
