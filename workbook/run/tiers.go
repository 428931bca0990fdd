package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"wb/compile"
	"wb/internal/diag"
	"wb/workbook/plan"
)

// The tiers of isolation, as package tier has them.
const (
	tierInstance  = "instance"
	tierProcess   = "process"
	tierContainer = "container"
	tierNode      = "node"
)

// stronger is the tier above each.
var stronger = map[string]string{tierInstance: tierProcess, tierProcess: tierContainer, tierContainer: tierContainer}

// TierError says that a document asks for isolation that cannot be had.
type TierError struct {
	Pos  diag.Position // of #+TRUST:, or the file's beginning
	Tier string
	Err  error
	// Asked says that the document asks, and not the user.
	Asked bool
}

func (e *TierError) Error() string {
	if e.Asked {
		return fmt.Sprintf("%s: a third-party document runs in the tier %s: %v", e.Pos, e.Tier, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Pos, e.Err)
}

// Unwrap is why the tier is not there.
func (e *TierError) Unwrap() error { return e.Err }

// ExitCode is that of something not permitted.
func (e *TierError) ExitCode() int { return diag.ExitForbidden }

// Hint says how to get it, or how to accept the risk.
func (e *TierError) Hint() string {
	hint := ""
	var hinted interface{ Hint() string }
	if errors.As(e.Err, &hinted) {
		hint = hinted.Hint()
	}
	if e.Asked {
		if hint != "" {
			hint += "; "
		}
		hint += "wb run --trust-tier instance runs it in this process, with profile compute and no grants"
	}
	return hint
}

// trust settles the tier: the user's choice, and for a third-party document one
// above it. It is never a weaker one than was asked for.
func (r placer) trust() {
	r.tier = cmp.Or(r.opts.Tier, tierInstance)
	if r.opts.Tier == "" && r.opts.Runner != nil {
		r.tier = tierNode
	}
	r.tierAt = diag.Position{File: r.plan.File}
	r.thirdParty = r.opts.ThirdParty
	if word, is := plan.ThirdParty(r.plan.Document()); is {
		r.thirdParty = true
		r.tierAt.Line, r.tierAt.Col = r.plan.Document().Position(word.Start)
	}
	if !r.thirdParty {
		return
	}
	r.tier = cmp.Or(r.opts.TrustTier, stronger[r.tier], tierProcess)
	if r.tier == tierInstance {
		r.opts.Profile, r.opts.Grants = "compute", nil
	}
}

var (
	errNoTiers = errors.New("only the tier instance is available here")
	errNoNode  = errors.New("the tier node is not available: no queue of workers was named")
)

// open makes the run's programs run at its tier.
func (r placer) open(ctx context.Context) error {
	place, err := r.place(ctx)
	if err != nil {
		return &TierError{Pos: r.tierAt, Tier: r.tier, Err: err, Asked: r.thirdParty}
	}
	if place != nil {
		r.opts.Runner, r.away = place, place
	}
	if r.opts.Runner == nil {
		r.opts.Runner = compile.Here
	}
	r.report.Tier = r.tier
	return nil
}

// place opens the tier, nil when programs run where they would anyway.
func (r placer) place(ctx context.Context) (compile.Place, error) {
	switch r.tier {
	case tierInstance:
		r.opts.Runner = nil
		return nil, nil
	case tierNode:
		if r.opts.Runner == nil {
			return nil, errNoNode
		}
		return nil, nil
	}
	if r.opts.Tiers == nil {
		return nil, errNoTiers
	}
	principal, err := filepath.Abs(cmp.Or(r.opts.Principal, r.opts.File, "."))
	if err != nil {
		return nil, err
	}
	return r.opts.Tiers(ctx, r.tier, principal)
}

// close ends what open opened, and keeps what it had to say.
func (r placer) close() error {
	if r.away == nil {
		return nil
	}
	r.report.TierNotes = r.away.Notes()
	return r.away.Close()
}
