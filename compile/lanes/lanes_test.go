package lanes

import (
	"context"
	"testing"

	"wb/compile"
)

// TestEveryLaneIsWired proves that names do not collide and that what a lane
// says it needs is something the store can install.
func TestEveryLaneIsWired(t *testing.T) {
	env, err := compile.NewEnv(context.Background(), compile.EnvConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(context.Background())
	registry, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, name := range env.Tools.Names() {
		known[name] = true
	}
	for _, lane := range registry.All() {
		info := lane.Info()
		if info.Name == "" || info.Summary == "" || len(info.Shapes) == 0 {
			t.Errorf("incomplete: %+v", info)
		}
		for _, tool := range info.Toolchains {
			if !known[tool] {
				t.Errorf("lane %s needs toolchain %q, which nobody registers", info.Name, tool)
			}
		}
		if lane.Fingerprint() == "" {
			t.Errorf("lane %s has no fingerprint", info.Name)
		}
	}
	for _, word := range []string{"c", "C", "cpp", "C++", "c++"} {
		if _, ok := registry.Lookup(word); !ok {
			t.Errorf("no lane for %q", word)
		}
	}
}
