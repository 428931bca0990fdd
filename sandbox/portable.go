package sandbox

import (
	"fmt"

	"wb/sandbox/fuel"
)

// Portable is the metered form of a module for engines outside this process,
// such as a reader's browser: it burns the same fuel at the same instructions
// as here, within the same bounds on its tables. What it imports beyond WASI is
// described by [fuel.Options].
func Portable(wasm []byte, opts ...CompileOption) ([]byte, error) {
	var src source
	for _, o := range opts {
		o(&src)
	}
	if err := checkHeader(wasm); err != nil {
		return nil, err
	}
	metered, _, err := fuel.Instrument(wasm, fuel.Options{Exceptions: src.exceptions, TableLimit: tableLimit, Portable: true})
	return metered, err
}

// Parts are the parts of a snapshot, for engines outside this process: the
// memory, which must not be modified, and the mutable globals under the names
// by which metered modules export them, as the bits of their values.
func (s *Snapshot) Parts() (memory []byte, globals map[string]uint64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.image == nil {
		return nil, nil, fmt.Errorf("%s: the snapshot is closed", s.module.name)
	}
	if memory, err = s.image.bytes(); err != nil {
		return nil, nil, fmt.Errorf("%s: snapshot: %w", s.module.name, err)
	}
	globals = make(map[string]uint64, len(s.globals))
	for i, name := range s.module.info.Globals {
		globals[name] = s.globals[i]
	}
	return memory, globals, nil
}
