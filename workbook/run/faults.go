package run

import (
	"errors"
	"slices"

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
