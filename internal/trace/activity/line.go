package activity

import (
	"encoding/json"
	"time"

	"wb/internal/trace"
)

// Line is an event as streams tell it, one JSON object.
type Line struct {
	// Level is where it was heard: definition, instance or call; "" where it was read.
	Level     string          `json:"level,omitempty"`
	Kind      trace.Kind      `json:"kind"`
	Time      time.Time       `json:"time"`
	Run       string          `json:"run"`
	RootRun   string          `json:"root_run,omitempty"`
	InnerRun  string          `json:"inner_run,omitempty"`
	Session   string          `json:"session,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Workbook  string          `json:"workbook,omitempty"`
	Component string          `json:"component,omitempty"`
	Step      int             `json:"step,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"`
	Model     string          `json:"model,omitempty"`
	Output    string          `json:"output,omitempty"` // at most 500 characters
	Error     string          `json:"error,omitempty"`
	Status    string          `json:"status,omitempty"`
	Exit      *int            `json:"exit_code,omitempty"`
	Millis    int64           `json:"dur_ms,omitempty"`
	Usage     *trace.Usage    `json:"usage,omitempty"`
}

// outputLen is how much of an output a line has, in characters.
const outputLen = 500

// LineOf is an event as a line.
func LineOf(e trace.Event) Line {
	l := Line{Kind: e.Kind, Time: e.Time, Run: e.Run, RootRun: e.RootRun, InnerRun: e.InnerRun, Session: e.Session, Agent: e.Agent, Workbook: e.Workbook,
		Component: e.Component, Step: e.Step, Tool: e.Tool, Model: e.Model, Output: e.Output, Error: e.Error, Status: e.Status, Exit: e.Exit, Millis: e.Duration.Milliseconds()}
	if json.Valid(e.Args) {
		l.Args = e.Args
	}
	if runes := []rune(l.Output); len(runes) > outputLen {
		l.Output = string(runes[:outputLen-1]) + "…"
	}
	if e.Usage != (trace.Usage{}) {
		usage := e.Usage
		l.Usage = &usage
	}
	return l
}
