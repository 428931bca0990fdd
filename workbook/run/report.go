package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org"
	"wb/sandbox"
	"wb/workbook/format"
	"wb/workbook/plan"
)

// Status says how a component's turn ended.
type Status string

// The ways a turn ends.
const (
	StatusOK        Status = "ok"        // it ran
	StatusCached    Status = "cached"    // nothing changed, its kept result was used
	StatusData      Status = "data"      // a value in the document, nothing to run
	StatusSkipped   Status = "skipped"   // :eval says no, or no lane runs it
	StatusFailed    Status = "failed"    // it ran into an error
	StatusBlocked   Status = "blocked"   // something it needs failed
	StatusCancelled Status = "cancelled" // the run was interrupted first
)

// Begun is a component that begins to run: it has its slot.
type Begun struct {
	ID string
	Of int // components of the run that are not mere data
}

// Done reports one component.
type Done struct {
	ID       string
	Title    string
	Lang     string
	Status   Status
	Why      string // why it ran or did not, one line
	Value    value.Value
	Stdout   string
	Stderr   string
	Exit     int
	Usage    sandbox.Usage
	Duration time.Duration // of its turn, without Queued
	Queued   time.Duration // how long it waited for a slot, or a worker
	Err      error         // nil unless failed, blocked or cancelled
	Warnings []diag.Finding
	Pos      diag.Position
	// Where names the worker it ran at, "" when in this process.
	Where string
}

// props are the properties of the event that ends a turn.
func (d *Done) props() []trace.Prop {
	all := placed(d.Where)
	if queued := d.Queued.Milliseconds(); queued > 0 {
		all = append(all, trace.Prop{Name: trace.PropQueued, Value: strconv.FormatInt(queued, 10)})
	}
	if said := strings.TrimSpace(d.Stderr); said != "" && (d.Err == nil || strings.Contains(said, "\n")) { // an error has one line of it
		all = append(all, trace.Prop{Name: trace.PropStderr, Value: said})
	}
	return all
}

// placed is the property that names the worker a program ran at.
func placed(where string) []trace.Prop {
	if where == "" {
		return nil
	}
	return []trace.Prop{{Name: "WORKER", Value: where}}
}

// reason is one line on why a component failed or did not run.
func (d *Done) reason() string {
	text := firstLine(d.Why)
	if d.Err == nil {
		return text
	}
	text = firstLine(d.Err.Error())
	for _, prefix := range []string{d.Pos.String() + ": ", d.ID + ": "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// Report describes a run.
type Report struct {
	Plan       *plan.Plan
	Components []Done // those whose turn came, in document order
	// Exports are the outputs that no component consumes, in document order.
	Exports []value.Field
	// Findings are the lint's findings.
	Findings []diag.Finding
	// Notes say which query blocks could not be answered, and what is doubtful of others.
	Notes []format.Note
	// Edits put the results into the text that was run.
	Edits []org.Edit
	// Tier is where programs ran, and TierNotes the walls that it lacks on this
	// system.
	Tier      string
	TierNotes []string
	// Wrote reports whether the file was changed.
	Wrote    bool
	Duration time.Duration
}

// Count is how many components ended with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, d := range r.Components {
		if d.Status == s {
			n++
		}
	}
	return n
}

// Failed returns the first component that failed, nil when none did.
func (r *Report) Failed() *Done {
	i := slices.IndexFunc(r.Components, func(d Done) bool { return d.Status == StatusFailed })
	if i < 0 {
		return nil
	}
	return &r.Components[i]
}

// Idle is how many errors the lint found that stop no component, such as broken
// links.
func (r *Report) Idle() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == diag.Error && f.Component == "" {
			n++
		}
	}
	return n
}

// maxReasonIDs is how many components one line of [Report.Reasons] names.
const maxReasonIDs = 5

// Reasons says why components did not run, or failed: a line for each reason,
// with those it holds for.
func (r *Report) Reasons() []string {
	type group struct {
		status Status
		why    string
		ids    []string
	}
	var groups []*group
	for _, status := range []Status{StatusFailed, StatusBlocked, StatusSkipped, StatusCancelled} {
		for _, d := range r.Components {
			if d.Status != status {
				continue
			}
			why := d.reason()
			i := slices.IndexFunc(groups, func(g *group) bool { return g.status == status && g.why == why })
			if i < 0 {
				i, groups = len(groups), append(groups, &group{status: status, why: why})
			}
			groups[i].ids = append(groups[i].ids, d.ID)
		}
	}
	lines := make([]string, len(groups))
	for i, g := range groups {
		ids := strings.Join(g.ids[:min(len(g.ids), maxReasonIDs)], ", ")
		if more := len(g.ids) - maxReasonIDs; more > 0 {
			ids += fmt.Sprintf(" and %d more", more)
		}
		lines[i] = fmt.Sprintf("%s: %s: %s", g.status, ids, g.why)
	}
	return lines
}
