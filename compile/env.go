package compile

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// Env holds what a lane needs from its process: the engine that runs
// wasm, the store that has or fetches compilers, and who hears about that.
type Env struct {
	Engine *sandbox.Engine
	Tools  *toolchain.Depot
	// Cache keeps built artifacts; nil builds every time.
	Cache *Cache
	// Progress hears about installations on first use; nil is silent.
	Progress toolchain.Progress
	// Builder builds for lanes that compile; nil leaves it to them.
	Builder Builder
}

// Builder builds sources where compilers are loaded already (see package
// compile/place/resident).
type Builder interface {
	// Build is what the lane's own Build would give. Where done is false nothing
	// was built, and the lane has to do it itself.
	Build(ctx context.Context, lane Lane, src *Source) (art *Artifact, done bool, err error)
}

// EnvConfig says where an Env keeps what it keeps. The zero value uses
// directories below "wb" in the user's cache directory.
type EnvConfig struct {
	Dir string // in place of the user's "wb" cache directory
	// Shared is another such directory, which is only read: its toolchains are
	// used, and what is not in Dir is looked for there. It lets a process that
	// is not trusted have warm caches and yet leave nothing behind for others.
	Shared string
	// Sources is a place of the user's for the archives toolchains are made of.
	Sources  toolchain.Sources
	Workers  int // goroutines that compile one module, 0 for the engine's choice
	Progress toolchain.Progress
	// Interpreter runs guests in wazero's interpreter, many times slower: for
	// tests that compare the two engines.
	Interpreter bool
	// Keep keeps compilers loaded; see [sandbox.Config].
	Keep bool
}

// NewEnv starts an engine and opens the store and the cache. Close it to free
// the engine.
func NewEnv(ctx context.Context, config EnvConfig) (*Env, error) {
	dir := config.Dir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("cache directory: %w", err)
		}
		dir = filepath.Join(base, "wb")
	}
	tools, err := toolchain.Open(filepath.Join(cmp.Or(config.Shared, dir), "toolchains"))
	if err != nil {
		return nil, err
	}
	tools.From(config.Sources)
	cache, err := OpenCache(filepath.Join(dir, "artifacts"))
	if err != nil {
		return nil, err
	}
	engineConfig := sandbox.Config{CacheDir: filepath.Join(dir, "engine"), Workers: config.Workers, Interpreter: config.Interpreter, Keep: config.Keep}
	if config.Shared != "" {
		cache = cache.Over(&Cache{dir: filepath.Join(config.Shared, "artifacts")})
		engineConfig.Shared = filepath.Join(config.Shared, "engine")
	}
	engine, err := sandbox.NewEngine(ctx, engineConfig)
	if err != nil {
		return nil, err
	}
	return &Env{Engine: engine, Tools: tools, Cache: cache, Progress: config.Progress}, nil
}

// Close frees the engine.
func (e *Env) Close(ctx context.Context) error { return e.Engine.Close(ctx) }
