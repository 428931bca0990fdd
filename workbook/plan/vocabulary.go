package plan

import (
	"maps"
	"slices"
)

// Capabilities lists what :uses may ask for, sorted.
func Capabilities() []string { return slices.Sorted(slices.Values(KnownCapabilities)) }

// Profiles lists the profiles, sorted; ProfileHolds says what each holds.
func Profiles() []string { return slices.Sorted(maps.Keys(ProfileCaps)) }

// ProfileHolds lists the capabilities of a profile, nil for one that is not
// there.
func ProfileHolds(profile string) []string { return slices.Clone(ProfileCaps[profile]) }

// ExecShapes lists the words that :exec knows, sorted.
func ExecShapes() []string { return slices.Sorted(maps.Keys(ShapeOf)) }
