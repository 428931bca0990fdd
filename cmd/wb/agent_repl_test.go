package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"wb/agent"
)

// Ctrl-C ends what an agent is doing and not the conversation.
func TestInterruptedTask(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	a := &terminal{ctx: t.Context(), std: stdio{In: strings.NewReader("first\n\nsecond\n"), Out: &out, Err: &errs}}
	err = a.converse(true, func(ctx context.Context, text string) (*agent.Result, error) {
		if text == "first" {
			if err := self.Signal(os.Interrupt); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return &agent.Result{Status: agent.StatusCancelled, Result: "cancelled: interrupted"}, nil
		}
		return &agent.Result{Status: agent.StatusText, Result: "answer to " + text}, ctx.Err()
	})
	if err != nil || out.String() != "cancelled: interrupted\nanswer to second\n" {
		t.Errorf("%v, %q, %q", err, &out, &errs)
	}
}

// Where nobody types, what ends the program ends the conversation.
func TestInterruptedScript(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	a := &terminal{ctx: ctx, std: stdio{In: strings.NewReader("first\nsecond\n"), Out: &out, Err: &errs}}
	err := a.converse(false, func(context.Context, string) (*agent.Result, error) {
		cancel()
		return &agent.Result{Status: agent.StatusCancelled, Result: "cancelled: interrupted"}, nil
	})
	if err != context.Canceled || out.String() != "cancelled: interrupted\n" {
		t.Errorf("%v, %q", err, &out)
	}
}
