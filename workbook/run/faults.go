package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook/plan"
)

// An error in a document stops the components it concerns and those that need
// them; everything else runs. Which component an error concerns is its
// Finding's Component. Mistakes in prose concern none.

// unreadable reports whether a document is not text, so that nothing in it can be
// believed.
func unreadable(found []diag.Finding) bool {
	return slices.ContainsFunc(found, func(d diag.Finding) bool { return d.Code == "not-text" })
}

// findFaults takes from the lint's findings what stops components. It refuses a
// document that is not text and, when the run is strict, one with any error.
func (r *runner) findFaults(found []diag.Finding) error {
	r.report.Findings = found
	if unreadable(found) || r.opts.Strict && diag.HasErrors(found) {
		return &PlanError{Findings: found}
	}
	r.faults = make([]*diag.Finding, len(r.plan.Components))
	for c, f := range r.plan.Faults() {
		r.faults[c.Index()] = &f
	}
	for _, f := range found {
		c := r.plan.ByID(f.Component)
		if c != nil && f.Severity == diag.Error && r.faults[c.Index()] == nil {
			r.faults[c.Index()] = &f
		}
	}
	return nil
}

// faultOf is the error that stops a component, nil when there is none.
func (r *runner) faultOf(c *plan.Component) error {
	if r.faults == nil || r.faults[c.Index()] == nil {
		return nil
	}
	return &diag.FindingsError{Findings: []diag.Finding{*r.faults[c.Index()]}}
}

// blocker is why a component cannot run although nothing is wrong with itself:
// something it needs failed, has no value, or includes itself.
func (r *runner) blocker(c *plan.Component) error {
	for _, e := range r.plan.Incoming(c) {
		from := r.plan.ByID(e.From.Component)
		if e.CodeOnly() {
			if r.plan.Endless(from) {
				return &BlockedError{Needs: from.ID}
			}
			continue
		}
		if t := r.tasks[from.Index()]; t != nil {
			if err := t.withheld(from); err != nil {
				return err
			}
		}
	}
	return nil
}

// withheld is why a component whose turn is over has no value to give.
func (t *task) withheld(c *plan.Component) error {
	switch {
	case t.done.Err != nil:
		return &BlockedError{Needs: c.ID}
	case t.lacking != nil:
		return t.lacking
	}
	return nil
}

// skip ends the turn of a component that wb cannot run, which is not a mistake of
// its author's. What stands in the document stays and is its value; without that,
// those that need it are skipped too.
func (r *runner) skip(c *plan.Component, t *task, why error) {
	t.done.Status, t.done.Err, t.done.Why = StatusSkipped, nil, reasonOf(why)
	t.done.Value = value.Nil()
	if v, ok := r.recorded(c); ok {
		t.done.Value = v
		return
	}
	var lacking *lackingError
	if !errors.As(why, &lacking) {
		lacking = &lackingError{needs: c.ID, why: why}
	}
	t.lacking = lacking
}

// lackingError says that a component has no value because wb cannot run it.
type lackingError struct {
	needs string
	why   error
}

func (e *lackingError) Error() string {
	return fmt.Sprintf("it needs %s: %s", e.needs, reasonOf(e.why))
}

// unrunnable reports whether an error says that wb has no way to run something,
// rather than that something is wrong.
func unrunnable(c *plan.Component, err error) bool {
	var unknown *UnknownLanguageError
	var lacking *lackingError
	return errors.As(err, &lacking) || errors.As(err, &unknown) && c.Dialect == plan.DialectBabel
}

// reasonOf is an error's first line without its place.
func reasonOf(err error) string {
	text := firstLine(err.Error())
	var unknown *UnknownLanguageError
	if errors.As(err, &unknown) {
		text = strings.TrimPrefix(text, unknown.Pos.String()+": ")
		if unknown.Near != "" {
			text += " (" + unknown.Hint() + ")"
		}
	}
	return text
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
