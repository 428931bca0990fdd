package api

import (
	"encoding/json"

	"wb/agent"
	"wb/internal/clip"
	"wb/internal/trace"
)

// Frame is one thing that a stream tells. Type is subscribed, thinking, delta,
// tool_start, step, component_start, component, retry, review, denial, done or error;
// done and error are the last. Frames with a number are the run's log.
type Frame struct {
	N    int    `json:"n,omitempty"` // position in the log, from 1
	Type string `json:"type"`
	At   int64  `json:"at,omitempty"`  // when, in milliseconds since 1970
	Run  string `json:"run,omitempty"` // the run of the journal that it comes from

	Step   int             `json:"step,omitempty"`
	Agent  string          `json:"agent,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Text   string          `json:"text,omitempty"`   // what the model said
	Output string          `json:"output,omitempty"` // of a tool, at most 500 characters
	// OutputSHA256 and ArgsSHA256 are digests of the whole, where a frame tells a part.
	OutputSHA256 string `json:"output_sha256,omitempty"`
	ArgsSHA256   string `json:"args_sha256,omitempty"`
	// Component, its language and what its cache said, of what runs in workbooks.
	Component string       `json:"component,omitempty"`
	Lang      string       `json:"lang,omitempty"`
	Cache     string       `json:"cache,omitempty"`
	Exit      *int         `json:"exit_code,omitempty"`
	Error     string       `json:"error,omitempty"`
	Millis    int64        `json:"dur_ms,omitempty"`
	Model     string       `json:"model,omitempty"`
	Usage     *trace.Usage `json:"usage,omitempty"`
	// Status is how a run ended, or what became of a review: asked, allowed or
	// denied.
	Status string          `json:"status,omitempty"`
	Result string          `json:"result,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	Lost   int             `json:"lost,omitempty"` // deltas that this reader was too slow for
}

// maxOutput is how much of a tool's output a frame tells, in characters.
const maxOutput = 500

// frameOf is an event as streams tell it; most kinds are told.
func frameOf(e trace.Event) (Frame, bool) {
	f := Frame{Run: e.Run, Step: e.Step, Agent: e.Agent, Tool: e.Tool, Args: e.Args, Error: e.Error, Millis: e.Duration.Milliseconds(), Model: e.Model,
		Component: e.Component, Lang: e.Lang, Cache: e.Cache, ArgsSHA256: e.ArgsSHA256}
	if !e.Time.IsZero() {
		f.At = e.Time.UnixMilli()
	}
	switch e.Kind {
	case trace.KindModelTurn:
		f.Type, f.Text = "thinking", clip.Chars(e.Output, maxOutput)
		f.Usage = &e.Usage
	case trace.KindToolCall:
		f.Type, f.Output, f.Exit = "step", clip.Chars(e.Output, maxOutput), e.Exit
	case trace.KindRetry:
		f.Type, f.Output = "retry", clip.Chars(e.Output, maxOutput)
	case trace.KindDenial:
		f.Type = "denial"
	case trace.KindApproval:
		f.Type, f.Status, f.Text = "review", e.Status, clip.Chars(e.Output, maxOutput)
	case trace.KindComponentStart:
		f.Type = "component_start"
	case trace.KindComponentEnd, trace.KindCacheHit:
		f.Type, f.Output, f.Exit = "component", clip.Chars(e.Output, maxOutput), e.Exit
	default:
		return f, false
	}
	if f.Output+f.Text != e.Output && e.Output != "" {
		f.OutputSHA256 = e.OutputSHA256
	}
	return f, true
}

// lastFrame tells the end of a run.
func lastFrame(r *agent.Result, err error) Frame {
	switch {
	case err != nil:
		return Frame{Type: "error", Status: agent.StatusError, Error: err.Error()}
	case r.Status == agent.StatusError:
		return Frame{Type: "error", Run: r.RunID, Status: r.Status, Error: r.Error, Result: r.Result, Usage: &r.Usage}
	}
	return Frame{Type: "done", Run: r.RunID, Status: r.Status, Error: r.Error, Step: r.Steps, Result: r.Result, Data: r.Data, Usage: &r.Usage}
}

// last reports whether nothing comes after a frame.
func (f *Frame) last() bool { return f.Type == "done" || f.Type == "error" }
