package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/tier"
)

// openTier opens a tier for a document.
func openTier(ctx context.Context, name, principal string) (compile.Place, error) {
	t, err := tier.Parse(name)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	config := tier.Config{Tier: t, Principal: principal, Cache: filepath.Join(cache, "wb")}
	tools := &lateTools{}
	place, err := tier.OpenPlace(ctx, config, tools.ensure)
	if err != nil {
		return nil, err
	}
	return &toolPlace{Place: place, tools: tools}, nil
}

// tryTier starts a child and says which walls it lacks.
func tryTier(ctx context.Context, t tier.Tier) (notes []string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	pool, err := tier.Open(ctx, tier.Config{Tier: t, Principal: "wb doctor", Cache: filepath.Join(cache, "wb")})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := pool.Try(ctx); err != nil {
		return nil, err
	}
	return pool.Notes(), nil
}

// toolPlace is a place with the tools that programs sent there need.
type toolPlace struct {
	compile.Place
	tools *lateTools
}

// Close closes both.
func (p *toolPlace) Close() error { return errors.Join(p.Place.Close(), p.tools.close()) }

// lateTools provides toolchains, from an environment that is made when the first
// of them is needed.
type lateTools struct {
	mu  sync.Mutex
	env *compile.Env
}

func (t *lateTools) ensure(ctx context.Context, name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.env == nil {
		env, err := compile.NewEnv(ctx, compile.EnvConfig{})
		if err != nil {
			return err
		}
		t.env = env
		if _, err := lanes.New(env); err != nil { // which makes the recipes known
			return err
		}
	}
	_, err := t.env.Tools.Ensure(ctx, name, t.env.Progress)
	return err
}

func (t *lateTools) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.env == nil {
		return nil
	}
	return t.env.Close(context.Background())
}
