package tier

import (
	"fmt"
	"slices"
	"strings"

	"wb/internal/diag"
)

// Tier says how far from this process programs run.
type Tier string

// The tiers.
const (
	Instance  Tier = "instance"
	Process   Tier = "process"
	Container Tier = "container"
	Node      Tier = "node"
)

// All lists the tiers, weakest first.
func All() []Tier { return []Tier{Instance, Process, Container, Node} }

// Parse reads the name of a tier.
func Parse(name string) (Tier, error) {
	if t := Tier(name); slices.Contains(All(), t) {
		return t, nil
	}
	names := make([]string, 0, 4)
	for _, t := range All() {
		names = append(names, string(t))
	}
	return "", fmt.Errorf("no tier %q: they are %s", name, strings.Join(names, ", "))
}

// UnavailableError says why a tier cannot be used here.
type UnavailableError struct {
	Tier   Tier
	Reason string
	Fix    string
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the tier %s is not available: %s", e.Tier, e.Reason)
}

// Hint says how to make it available.
func (e *UnavailableError) Hint() string { return e.Fix }

// ExitCode is that of something not permitted: it would have run in a weaker
// tier.
func (e *UnavailableError) ExitCode() int { return diag.ExitForbidden }

// LostError says that the process which ran a program is gone, and how it went.
type LostError struct {
	Component string
	// How is the end of the process: "signal: killed", "exit status 2".
	How string
	// Said is the first line of what it wrote before, may be empty.
	Said string
}

func (e *LostError) Error() string {
	text := fmt.Sprintf("%s: the process that ran it has ended (%s)", e.Component, e.How)
	if e.Said != "" {
		text += ": " + e.Said
	}
	return text
}

// Hint says what it means.
func (e *LostError) Hint() string {
	return "the rest of the run went on; nothing of the program was kept"
}

// OverrunError says that a program was killed because it did not end by itself
// when its limit was reached.
type OverrunError struct {
	Component string
	What      string // "building" or "running"
	After     string // a duration, or a size
	Err       error  // the limit, as the program would have met it
}

func (e *OverrunError) Error() string {
	return fmt.Sprintf("%s: its process was killed while %s it, beyond %s", e.Component, e.What, e.After)
}

// Unwrap is the limit that was reached.
func (e *OverrunError) Unwrap() error { return e.Err }
