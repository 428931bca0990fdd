// Package lanetest helps the tests of lanes: one environment for all tests of
// a process, with the user's own toolchains and caches, so that they are
// installed and compiled once per machine.
package lanetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"wb/compile"
)

var shared = sync.OnceValues(func() (*compile.Env, error) { return compile.NewEnv(context.Background(), compile.EnvConfig{}) })

// Env is the environment all tests of this process share. It keeps no
// artifacts: what a test builds, it builds.
func Env(t testing.TB) *compile.Env {
	t.Helper()
	env, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Need skips the test unless the toolchains of a lane are installed, telling
// the command that installs them. Where the environment has CI=true it fails.
func Need(t testing.TB, env *compile.Env, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := env.Tools.Installed(name); ok {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("toolchain %s is missing: wb toolchain install %s", name, name)
		}
		t.Skipf("toolchain %s is missing: wb toolchain install %s", name, name)
	}
}
