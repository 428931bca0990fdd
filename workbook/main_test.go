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

// TestMain is also the main function of the children of tiers, which are this
// executable.
func TestMain(m *testing.M) {
	if tier.IsChild(os.Args[1:]) {
		os.Exit(tier.Child(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, lanes.New))
	}
	os.Exit(m.Run())
}

// tiers opens tiers for tests, with the user's caches below their own.
func tiers(t *testing.T) func(ctx context.Context, name, principal string) (compile.Place, error) {
	return tiersWith(t, tier.Config{})
}

func tiersWith(t *testing.T, config tier.Config) func(ctx context.Context, name, principal string) (compile.Place, error) {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, name, principal string) (compile.Place, error) {
		config := config
		config.Tier, config.Principal, config.Cache = tier.Tier(name), t.Name(), filepath.Join(cache, "wb")
		return tier.OpenPlace(ctx, config, nil)
	}
}
