package workbook

import (
	"cmp"
	"fmt"
	"slices"

	"wb/compile/place/remote"
)

// Where is at which end of a fabric a program runs.
type Where string

// The ends, and neither of them.
const (
	AtWorkers Where = "workers"
	AtCaller  Where = "caller"
	AtNeither Where = "none" // nothing of it runs
)

// Placement says where a component's program runs in a run that has workers,
// and why not at them.
type Placement struct {
	Component string `json:"component"`
	Where     Where  `json:"where"`
	Why       string `json:"why,omitempty"`
}

// Placements foretells where the programs of a plan run when a run with opts has
// workers, in document order. Profile, Grants, Docks, ThirdParty, Tier and
// TrustTier of opts count.
func (p *Plan) Placements(opts Options) []Placement {
	opts.Tier = cmp.Or(opts.Tier, tierNode)
	r := &runner{opts: opts, plan: p}
	r.trust()
	all := make([]Placement, len(p.Components))
	for i, c := range p.Components {
		where, why := r.placement(c)
		all[i] = Placement{Component: c.ID, Where: where, Why: why}
	}
	return all
}

func (r *runner) placement(c *Component) (Where, string) {
	code := c
	if c.target.Present() && c.callee != nil {
		code = c.callee
	}
	switch {
	case c.Kind == KindData:
		return AtNeither, "a value in the document"
	case !c.mayRun():
		return AtNeither, ":eval " + c.Args.Value(":eval")
	case r.thirdParty && r.tier != tierNode:
		return AtCaller, fmt.Sprintf("a third-party document runs in the tier %s (--trust-tier node sends it)", r.tier)
	}
	_, session := code.session()
	ties := remote.Ties{Session: session}
	for _, use := range code.Uses {
		name := Capability(use)
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
		return AtCaller, why
	}
	return AtWorkers, ""
}
