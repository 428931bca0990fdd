package tier

import (
	"context"

	"wb/compile"
	"wb/compile/place/remote"
)

// OpenPlace opens a tier as a place where programs run. ensure provides
// toolchains before a program that needs them leaves: children have no network.
func OpenPlace(ctx context.Context, config Config, ensure func(ctx context.Context, toolchain string) error) (compile.Place, error) {
	pool, err := Open(ctx, config)
	if err != nil {
		return nil, err
	}
	return &place{Runner: remote.NewRunner(pool, remote.Config{Ensure: ensure, Sessions: true}), pool: pool}, nil
}

type place struct {
	compile.Runner
	pool *Pool
}

func (p *place) Notes() []string { return p.pool.Notes() }
func (p *place) Close() error    { return p.pool.Close() }
