package clang

import (
	"sync"

	"wb/compile"
)

// made holds, by key, what this process has made or found in the artifact cache:
// precompiled headers and objects of the runtime.
type made struct {
	mu    sync.Mutex
	ready map[string][]byte
}

// kept is what produce makes, kept in this process and, under key, in the
// artifact cache.
func (c *Compiler) kept(key, lane string, produce func() ([]byte, error)) ([]byte, error) {
	c.made.mu.Lock()
	defer c.made.mu.Unlock()
	if data := c.made.ready[key]; data != nil {
		return data, nil
	}
	data := c.cached(key)
	if data == nil {
		var err error
		if data, err = produce(); err != nil {
			return nil, err
		}
		if c.env.Cache != nil {
			if err := c.env.Cache.Put(key, &compile.Artifact{Lane: lane, Digest: key, Wasm: data}); err != nil {
				return nil, err
			}
		}
	}
	if c.made.ready == nil {
		c.made.ready = make(map[string][]byte)
	}
	c.made.ready[key] = data
	return data, nil
}

func (c *Compiler) cached(key string) []byte {
	if c.env.Cache == nil {
		return nil
	}
	art, ok, err := c.env.Cache.Get(key)
	if err != nil || !ok {
		return nil
	}
	return art.Wasm
}
