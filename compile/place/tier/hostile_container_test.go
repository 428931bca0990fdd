//go:build unix && long

package tier_test

import (
	"testing"

	"wb/compile/place/tier"
	"wb/internal/test/tiertest"
)

// TestHostileContainer tries the same from inside a container.
func TestHostileContainer(t *testing.T) {
	engine := tiertest.NeedContainer(t)
	tryHostile(t, func(c *tier.Config) { c.Tier, c.Runtime = tier.Container, engine })
}
