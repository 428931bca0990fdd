package workbook

import (
	"maps"
	"slices"
)

// Capabilities lists what :uses may ask for, sorted.
func Capabilities() []string { return slices.Sorted(slices.Values(capabilities)) }

// Profiles lists the profiles, sorted; ProfileHolds says what each holds.
func Profiles() []string { return slices.Sorted(maps.Keys(profiles)) }

// ProfileHolds lists the capabilities of a profile, nil for one that is not
// there.
func ProfileHolds(profile string) []string { return slices.Clone(profiles[profile]) }

// ExecShapes lists the words that :exec knows, sorted.
func ExecShapes() []string { return slices.Sorted(maps.Keys(execShapes)) }
