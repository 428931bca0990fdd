package main

import (
	"encoding/json"
	"os"
	"slices"
	"sync"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/trace/activity"
)

// agentEvents are the flags of verbs that stream the events of a run.
type agentEvents struct {
	Events string   `help:"Write every event as it happens, one JSON object a line, to a file; - is standard output, in place of the result." placeholder:"FILE"`
	Hear   []string `help:"With --events, whose events: definition (every run of every agent), instance (the runs of this agent) or call (this run and the runs inside it)." default:"call" enum:"definition,instance,call"`
}

// hearing gives do what attaches the listeners that were asked for.
func (c agentEvents) hearing(a *terminal, do func(hear func(*host.Runtime, *host.Task)) error) error {
	if c.Events == "" {
		return do(func(*host.Runtime, *host.Task) {})
	}
	out := a.std.Out
	if c.Events != "-" {
		file, err := os.OpenFile(c.Events, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		out = file
	} else {
		a.quietResult = true
	}
	stream := &eventStream{encoder: json.NewEncoder(out)}
	stream.encoder.SetEscapeHTML(false)
	err := do(func(rt *host.Runtime, task *host.Task) {
		if slices.Contains(c.Hear, "definition") {
			rt.On = append(rt.On, stream.at("definition"))
		}
		if slices.Contains(c.Hear, "instance") {
			task.Instance = agent.New(nil)
			task.Instance.On(stream.at("instance"))
		}
		if slices.Contains(c.Hear, "call") {
			task.On = append(task.On, stream.at("call"))
		}
	})
	if err == nil {
		err = stream.err
	}
	return err
}

// eventStream writes events a line each; those of runs at the same time come at the
// same time.
type eventStream struct {
	mu      sync.Mutex
	encoder *json.Encoder
	err     error // the first write error: the reader may be gone
}

// at is a listener that says at which level it hears.
func (s *eventStream) at(level string) agent.Listener {
	return func(e agent.Event) {
		line := activity.LineOf(e.Event)
		line.Level, line.Run, line.RootRun, line.Session = level, e.RunID, e.RootRunID, e.SessionID
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.encoder.Encode(line); s.err == nil && err != nil {
			s.err = err
		}
	}
}
