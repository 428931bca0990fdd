package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"wb/agent"
	"wb/internal/trace"
)

// entry is one row of a run's page: a turn of the model, a call of a tool with what
// came of it, or a note. A call and its end are one row.
type entry struct {
	ID      int // stable while the run goes on: the frame that began it
	Kind    string
	Step    int
	Agent   string
	Tool    string
	Args    string
	Text    string
	Output  string
	Error   string
	Status  string
	Exit    *int
	Millis  int64
	Model   string
	Usage   *trace.Usage
	Going   bool
	Depth   int // how many calls of other agents it happened in
	From, W int // on the time axis, in thousandths of the run
	at      int64
	raw     json.RawMessage
}

// Failed reports whether the row is one of something that went wrong.
func (e entry) Failed() bool { return e.Error != "" || e.Exit != nil && *e.Exit != 0 }

// trail makes rows of a run's frames.
func trail(frames []Frame, began, now time.Time) []entry {
	var all []entry
	open := func(f Frame) int {
		for i := range all {
			if e := all[i]; e.Going && e.Tool == f.Tool && e.Agent == f.Agent && e.Step == f.Step && bytes.Equal(compact(e.raw), compact(f.Args)) {
				return i
			}
		}
		return -1
	}
	depth := func(agent string) (n int) {
		for _, e := range all {
			if e.Going && e.Agent != agent {
				n++
			}
		}
		return n
	}
	for _, f := range frames {
		e := entry{ID: f.N, Kind: f.Type, Step: f.Step, Agent: f.Agent, Tool: f.Tool, Args: pretty(f.Args), Text: f.Text, Output: f.Output,
			Error: f.Error, Status: f.Status, Exit: f.Exit, Millis: f.Millis, Model: f.Model, Usage: f.Usage, Depth: depth(f.Agent), at: f.At, raw: f.Args}
		switch f.Type {
		case "tool_start":
			e.Kind, e.Going = "call", true
		case "step":
			e.Kind = "call"
			if i := open(f); i >= 0 {
				e.ID, e.Depth = all[i].ID, all[i].Depth
				all[i] = e
				continue
			}
		case "done", "error":
			for i := range all { // what was under way is no longer
				all[i].Going = false
			}
			continue
		}
		all = append(all, e)
	}
	end := max(now.Sub(began).Milliseconds(), 1)
	for i := range all {
		from, to := all[i].at-began.UnixMilli()-all[i].Millis, all[i].at-began.UnixMilli()
		if all[i].Going {
			from, to = to, end
		}
		if all[i].at == 0 || to < 0 {
			continue
		}
		from, to = max(from, 0), min(to, end)
		all[i].From = int(min(from*1000/end, 995))
		all[i].W = int(max((to-from)*1000/end, 5))
	}
	return all
}

func compact(text json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// pretty is JSON over several lines; a single text as it is.
func pretty(text json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) == nil && len(fields) == 1 {
		for name, value := range fields {
			var s string
			if json.Unmarshal(value, &s) == nil {
				return name + ": " + s
			}
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return string(text)
	}
	return b.String()
}

// The words for how a run stands.
const (
	wordWaits = "waiting for you"
	wordDone  = "done"
	wordBound = "stopped at a bound"
)

// statusWord is how a run stands, in words.
func statusWord(status string, waits bool) string {
	switch status {
	case statusRunning:
		if waits {
			return wordWaits
		}
		return "running"
	case agent.StatusDone, agent.StatusText, agent.StatusSilent:
		return wordDone
	case agent.StatusMaxSteps, agent.StatusTimeout, agent.StatusBudget:
		return wordBound
	case agent.StatusError:
		return "failed"
	case agent.StatusBlocked:
		return "refused by the guard"
	}
	return strings.ReplaceAll(status, "_", " ")
}

// statusClass is the class of a status on the page.
func statusClass(status string, waits bool) string {
	switch word := statusWord(status, waits); word {
	case wordWaits:
		return "waiting"
	case wordDone:
		return "done"
	case wordBound:
		return "bound"
	default:
		return status
	}
}
