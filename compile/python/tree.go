package python

import (
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/sandbox"
)

// stdlibDir is where the guest finds the standard library; sourcesDir has the
// files that came with the block.
const (
	stdlibDir  = "/usr/lib/python3.11"
	sourcesDir = "/usr/lib/block"
)

// newLibrary is the standard library of an installed toolchain.
func newLibrary(t toolchain.Toolchain) *vm.Archive {
	return vm.NewArchive(stdlibFile, func() ([]byte, error) { return t.ReadFile(stdlibFile) })
}

// newTree puts the library, and the block's sources and packs if it has any,
// behind the files of a job.
func newTree(job sandbox.FS, lib sandbox.FS, sources map[string][]byte, packs []sandbox.FS) (sandbox.FS, error) {
	hidden := map[string]sandbox.FS{stdlibDir: lib}
	if len(sources) > 0 {
		own := sandbox.NewMemFS()
		for name, data := range sources {
			if err := own.WriteFile(name, data); err != nil {
				return nil, err
			}
		}
		packs = append([]sandbox.FS{sandbox.ReadOnly(own)}, packs...)
	}
	if len(packs) > 0 {
		hidden[sourcesDir] = vm.Layers(packs...)
	}
	return vm.Behind(job, hidden), nil
}
