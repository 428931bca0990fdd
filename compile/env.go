package compile

import (
	"wb/compile/toolchain"
	"wb/sandbox"
)

// Env is what a lane needs from the process it lives in: the engine that runs
// wasm, the store that has or fetches compilers, and who hears about that.
type Env struct {
	Engine *sandbox.Engine
	Tools  *toolchain.Store
	// Cache keeps built artifacts; nil builds every time.
	Cache *Cache
	// Progress hears about installations on first use; nil is silent.
	Progress toolchain.Progress
}
