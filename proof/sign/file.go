package sign

import (
	"os"
	"path/filepath"
	"time"

	"wb/internal/whole"
	"wb/proof/fault"
	"wb/proof/manifest"
)

// File signs one file: a page within itself, keeping what it asserts, any other
// file beside it, with what the caller says about it. It gives the path to write
// to, and what.
func File(path string, data []byte, by Issuer, at time.Time, said ...manifest.Assertion) (output string, signed []byte, err error) {
	if err := by.unbound(); err != nil {
		return "", nil, err
	}
	if manifest.IsPage(path) {
		said = nil
		if p, _, err := manifest.ReadPage(data); err == nil {
			said = p.Assertions
		} else if fault.CodeOf(err) == "" {
			return "", nil, err
		}
		signed, err = manifest.SignPage(data, by.Signer, at, said...)
		return path, signed, err
	}
	signed, err = manifest.SignDetached(data, by.Signer, by.Keys, at, said...)
	return path + manifest.DetachedSuffix, signed, err
}

// Replace writes a file as a whole: whatever happens, the old one or the new one
// is there. A link stays one, to a file that is replaced.
func Replace(path string, data []byte, perm os.FileMode) error {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		path = at
	}
	return whole.File{Mode: perm, Sync: true}.Write(path, data)
}
