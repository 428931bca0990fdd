package workbook_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/tier"
)

// What a tier costs a component: a block of JavaScript that adds two numbers,
// run in this process, in a child that is there, and in one that is started for
// it.
func BenchmarkTiers(b *testing.B) {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		b.Fatal(err)
	}
	defer env.Close(ctx)
	registry, err := lanes.New(env)
	if err != nil {
		b.Fatal(err)
	}
	lane, _ := registry.Lookup("js")
	if _, ok := env.Tools.Installed("quickjs"); !ok {
		b.Skip("toolchain quickjs is missing: wb toolchain install quickjs")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	open := func() compile.Place {
		place, err := tier.OpenPlace(ctx, tier.Config{Tier: tier.Process, Principal: "benchmark", Cache: filepath.Join(cache, "wb")}, nil)
		if err != nil {
			b.Fatal(err)
		}
		return place
	}
	execute := func(runner compile.Runner) {
		source := &compile.Source{Lang: "js", Shape: compile.ShapeBabel, Body: "return 1 + 1", Args: map[string][]string{}}
		if _, err := runner.Execute(ctx, &compile.Program{ID: "it", Lane: lane, Source: source, Job: &compile.Job{}}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("instance", func(b *testing.B) {
		for b.Loop() {
			execute(compile.Here)
		}
	})
	b.Run("process-warm", func(b *testing.B) {
		place := open()
		defer place.Close()
		execute(place)
		for b.Loop() {
			execute(place)
		}
	})
	b.Run("process-cold", func(b *testing.B) {
		for b.Loop() {
			place := open()
			execute(place)
			if err := place.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
