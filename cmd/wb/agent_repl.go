package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/diag"
)

type agentReplCmd struct {
	Target string `arg:"" complete:"files" optional:"" help:"The agent: FILE#ID; the default agent without one."`
	agentLimits
}

func (c *agentReplCmd) Help() string {
	return "Example:\n  wb agent repl team.org#waldo --session morning\n\nEach line is a task; the agent remembers the conversation. Ctrl-C ends the running task,\nor the conversation when no task runs, as Ctrl-D does."
}

func (c *agentReplCmd) Run(a *terminal) error {
	if c.Session == "" {
		c.Session = "repl-" + time.Now().UTC().Format("20060102-150405")
	}
	task := c.task("")
	if c.Target != "" {
		if err := taskTarget(&task, c.Target); err != nil {
			return err
		}
	}
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		if _, err := rt.Ready(task); err != nil {
			return err
		}
		return a.converse(isTerminal(a.std.In), func(ctx context.Context, text string) (*agent.Result, error) {
			task.Text = text
			return rt.Run(ctx, task)
		})
	})
}

// converse does a task for each line, until there are no more. A person who
// interrupts a task is asked for the next one; a program that is interrupted ends.
func (a *terminal) converse(person bool, do func(ctx context.Context, text string) (*agent.Result, error)) error {
	if person { // an interrupt is for the task; what ends the process is SIGTERM
		signal.Reset(os.Interrupt)
		between := make(chan os.Signal, 1)
		signal.Notify(between, os.Interrupt)
		defer signal.Stop(between)
	}
	lines := linesOf(bufio.NewScanner(a.std.In))
	for {
		if person {
			fmt.Fprint(a.std.Err, "> ")
		}
		ctx, stop := a.interruptible(person)
		text, more := "", true
		select {
		case line, ok := <-lines:
			if text, more = strings.TrimSpace(line.text), ok; line.err != nil {
				stop()
				return line.err
			}
		case <-ctx.Done():
			more = false
		}
		if !more {
			stop()
			if person {
				fmt.Fprintln(a.std.Err)
			}
			return a.ctx.Err()
		}
		var err error
		if text != "" {
			var result *agent.Result
			if result, err = do(ctx, text); err == nil {
				err = a.agentResult(result)
			}
		}
		stop()
		var told *diag.CodedError
		switch {
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case err != nil && !(errors.As(err, &told) && told.Told):
			if !person {
				return err
			}
			a.note("wb: %v", err)
		}
	}
}

// line is one line of a conversation, or why there are no more.
type line struct {
	text string
	err  error
}

// linesOf reads lines beside whoever waits for them.
func linesOf(s *bufio.Scanner) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- line{text: s.Text()}
		}
		if err := s.Err(); err != nil {
			lines <- line{err: err}
		}
	}()
	return lines
}

// interruptible is a context that Ctrl-C ends, each time anew, where a person is
// there; otherwise it is the program's own.
func (a *terminal) interruptible(person bool) (context.Context, context.CancelFunc) {
	if !person {
		return a.ctx, func() {}
	}
	return signal.NotifyContext(a.ctx, os.Interrupt)
}
