// Package tiertest finds what tests of tiers need.
package tiertest

import (
	"os"
	"testing"

	"wb/compile/place/tier"
)

// NeedContainer names a container engine that has the image: the one of the
// environment, else docker or podman. Where there is none it skips the test,
// saying what is missing.
func NeedContainer(t *testing.T) (engine string) {
	t.Helper()
	engines := []string{os.Getenv(tier.RuntimeVariable)}
	if engines[0] == "" {
		engines = []string{tier.DefaultRuntime, "podman"}
	}
	var missing error
	for _, engine := range engines {
		err := tier.Available(t.Context(), tier.Config{Tier: tier.Container, Runtime: engine})
		if err == nil {
			return engine
		}
		if missing == nil {
			missing = err
		}
	}
	t.Skip(missing)
	return ""
}
