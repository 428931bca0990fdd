package agent

import (
	"encoding/json"
	"time"

	"wb/internal/diag"

	"wb/internal/trace"
)

// How runs end.
const (
	StatusDone      = "done"      // the model called done
	StatusText      = "text"      // it answered without calling a tool
	StatusSilent    = "silent"    // every call of a turn was silent
	StatusMaxSteps  = "max_steps" // a bound, see [BoundError]
	StatusTimeout   = "timeout"
	StatusBudget    = "budget"
	StatusCancelled = "cancelled"
	StatusError     = "error"
	StatusBlocked   = "blocked" // the content guard refused the task
)

// Statuses are all of them.
var Statuses = []string{StatusDone, StatusText, StatusSilent, StatusMaxSteps, StatusTimeout, StatusBudget, StatusCancelled, StatusError, StatusBlocked}

// Result is the outcome of a run for its caller.
type Result struct {
	Result string          `json:"result"`
	Data   json.RawMessage `json:"data,omitempty"` // Result as the :OUTPUT: schema describes it
	Status string          `json:"status"`
	Error  string          `json:"error,omitempty"`
	Bound  *BoundError     `json:"bound,omitempty"` // that ended it, if one did
	Diff   string          `json:"diff,omitempty"`  // from the journal, where the run would have done something else

	Steps     int         `json:"steps"`
	Events    []StepEvent `json:"events"`
	Log       []Message   `json:"log"` // the transcript
	Usage     trace.Usage `json:"usage"`
	Artifacts []Artifact  `json:"artifacts,omitempty"`
	Taint     []string    `json:"taint,omitempty"` // sources of untrusted text that was read
	Report    Report      `json:"report"`

	RunID     string `json:"run_id"`
	RootRunID string `json:"root_run_id"`
	SessionID string `json:"session_id,omitempty"`
	Agent     string `json:"agent"`
}

// Report is how a run went.
type Report struct {
	Trips    []Trip   `json:"trips"`
	Warnings []string `json:"warnings,omitempty"`
}

// Trip is one turn of the model.
type Trip struct {
	Index    int         `json:"index"`
	Finish   string      `json:"finish_reason"`
	Usage    trace.Usage `json:"usage"`
	Duration int64       `json:"dur_ms"`
	Model    string      `json:"model"`
}

// StepEvent is one tool call.
type StepEvent struct {
	Step     int             `json:"step"`
	Agent    string          `json:"agent"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Output   string          `json:"output"`
	Exit     *int            `json:"exit_code"`
	Error    string          `json:"error,omitempty"`
	Duration int64           `json:"dur_ms"`
}

// ExitCode is the exit code of the command line for a run.
func (r *Result) ExitCode() int { return ExitCode(r.Status) }

// ExitCode is the exit code of a run that ended with a status.
func ExitCode(status string) int {
	switch status {
	case StatusDone, StatusText, StatusSilent:
		return 0
	case StatusCancelled:
		return diag.ExitInterrupted
	}
	return diag.ExitFailed
}

func milliseconds(d time.Duration) int64 { return d.Milliseconds() }
