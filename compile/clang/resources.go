package clang

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wb/sandbox"
)

// unwanted are directories of the resources for other targets.
var unwanted = []string{"include/hlsl", "include/cuda_wrappers", "include/openmp_wrappers", "include/ppc_wrappers", "include/zos_wrappers", "include/sanitizer",
	"include/llvm_offload_wrappers", "include/llvm_libc_wrappers", "share"}

// readResources is the compiler's /usr, headers and libraries, as a read-only
// tree. Files are slices of the archive, which must not change.
func readResources(archive []byte) (sandbox.FS, error) {
	tree := sandbox.NewMemFS()
	reader := bytes.NewReader(archive)
	for tr := tar.NewReader(reader); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return sandbox.ReadOnly(tree), nil
		}
		if err != nil {
			return nil, fmt.Errorf("compiler resources: %w", err)
		}
		name := path.Clean(h.Name)
		if h.Typeflag != tar.TypeReg || !fs.ValidPath(name) || slices.ContainsFunc(unwanted, func(dir string) bool { return strings.HasPrefix(name, dir+"/") }) {
			continue
		}
		start := len(archive) - reader.Len()
		if err := tree.WriteFile(name, archive[start:start+int(h.Size):start+int(h.Size)]); err != nil {
			return nil, fmt.Errorf("compiler resources: %w", err)
		}
	}
}
