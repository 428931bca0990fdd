// Package everylane gives tests all languages at once. It stands apart from lanetest,
// which the lanes' own tests import.
package everylane

import (
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
)

// Need returns the languages of the environment that all tests share, or skips the
// test where one of these toolchains is missing.
func Need(t testing.TB, toolchains ...string) *compile.Registry {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, toolchains...)
	return registry
}
