package sandbox

import "wb/sandbox/fuel"

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
