package run

import (
	"sync"

	"wb/internal/value"
)

// callMemo runs equal calls once.
type callMemo struct {
	mu    sync.Mutex
	calls map[string]*callResult
}

type callResult struct {
	once  sync.Once
	value value.Value
	err   error
}

// do answers with what the first call of a key gave.
func (m *callMemo) do(key string, run func() (value.Value, error)) (value.Value, error) {
	m.mu.Lock()
	if m.calls == nil {
		m.calls = map[string]*callResult{}
	}
	c := m.calls[key]
	if c == nil {
		c = &callResult{}
		m.calls[key] = c
	}
	m.mu.Unlock()
	c.once.Do(func() { c.value, c.err = run() })
	return c.value, c.err
}
