package run

import (
	"cmp"
	"fmt"
	"slices"

	"wb/compile/place/remote"
	"wb/workbook/plan"
)

// Placements foretells where the programs of a plan run when a run has workers, in
// document order.
func Placements(p *plan.Plan, may Authority, at Venue) []plan.Placement {
	at.Tier = cmp.Or(at.Tier, tierNode)
	r := &runner{opts: Options{Authority: may, Venue: at}, plan: p}
	placing(r).trust()
	all := make([]plan.Placement, len(p.Components))
	for i, c := range p.Components {
		where, why := binding(r).placement(c)
		all[i] = plan.Placement{Component: c.ID, Where: where, Why: why}
	}
	return all
}

func (r binder) placement(c *plan.Component) (plan.Where, string) {
	code := c
	if c.Target().Present() && c.Callee() != nil {
		code = c.Callee()
	}
	switch {
	case c.Kind == plan.KindData:
		return plan.AtNeither, "a value in the document"
	case !c.MayRun():
		return plan.AtNeither, ":eval " + c.Args.Value(":eval")
	case r.thirdParty && r.tier != tierNode:
		return plan.AtCaller, fmt.Sprintf("a third-party document runs in the tier %s (--trust-tier node sends it)", r.tier)
	}
	_, session := code.Session()
	ties := remote.Ties{Session: session}
	for _, use := range code.Uses {
		name := plan.Capability(use)
		switch {
		case !r.granted(name) || r.unserved(name):
		case name == "clock":
			ties.Clock = true
		case name == "random":
			ties.Random = true
		case docked(name):
			ties.Granted = append(ties.Granted, name)
		}
	}
	slices.Sort(ties.Granted)
	if why := ties.Reason(); why != "" {
		return plan.AtCaller, why
	}
	return plan.AtWorkers, ""
}
