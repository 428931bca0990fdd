package sandbox

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"wb/internal/sha"
	"wb/internal/whole"
	"wb/sandbox/component"
	"wb/sandbox/fuel"
)

// source is where a module's bytes come from, again and again: its metered
// form is kept in the cache directory when it is big, else in memory.
type source struct {
	digest     string
	exceptions bool
	brief      bool   // see MayBeBrief
	size       int    // of the module, 0 where it is not known
	parallel   bool   // may be compiled by several goroutines whatever its size
	dir        string // the engine's cache directory, may be ""
	shared     string // another, only read, may be ""
	open       func() ([]byte, error)
	kept       []byte // metered, nil if in a file
}

// keepInMemory is the size up to which a metered module is kept in memory
// rather than in the cache directory.
const keepInMemory = 1 << 20

// tableLimit bounds the elements of each table: 8 MiB of host memory.
const tableLimit = 1 << 20

// key identifies what metered returns.
func (s *source) key() string {
	key := fmt.Sprintf("%s-v%d", s.digest, fuel.Version)
	if s.exceptions {
		key += "-exceptions"
	}
	return key
}

func (s *source) path() string { return s.pathIn(s.dir) }

func (s *source) pathIn(dir string) string { return filepath.Join(dir, "metered", s.key()+".wasm") }

// metered returns the instrumented module and what there is to know about it. Ahead
// is that module, where it has been made but not kept.
func (s *source) metered(ahead []byte) ([]byte, *fuel.Info, error) {
	if s.kept != nil {
		return describe(s.kept)
	}
	if s.dir != "" {
		if wasm, err := readChecked(s.path()); err == nil {
			return describe(wasm)
		}
	}
	if s.shared != "" {
		if wasm, err := readChecked(s.pathIn(s.shared)); err == nil {
			return describe(wasm)
		}
	}
	wasm := ahead
	if wasm == nil {
		var err error
		if wasm, err = s.instrumented(); err != nil {
			return nil, nil, err
		}
	}
	if s.dir == "" || len(wasm) <= keepInMemory || writeChecked(s.path(), wasm) != nil {
		s.kept = wasm
	}
	return describe(wasm)
}

// instrumented is the metered form of what open gives.
func (s *source) instrumented() ([]byte, error) {
	wasm, err := s.open()
	if err != nil {
		return nil, &openError{err}
	}
	if err := s.verify(wasm); err != nil {
		return nil, err
	}
	if component.Is(wasm) {
		if wasm, err = component.Lower(wasm); err != nil {
			return nil, fmt.Errorf("component: %w", err)
		}
	}
	wasm, _, err = fuel.Instrument(wasm, fuel.Options{Exceptions: s.exceptions, TableLimit: tableLimit})
	return wasm, err
}

// openError says that a module's bytes could not be had: they may be lost, or
// whoever wanted them was interrupted. It tells nothing about the module.
type openError struct{ error }

func (e *openError) Unwrap() error { return e.error }

func (s *source) verify(wasm []byte) error {
	if len(wasm) > maxModule {
		return fmt.Errorf("%d bytes is more than %s", len(wasm), byteSize(maxModule))
	}
	if err := checkHeader(wasm); err != nil {
		return err
	}
	if got := sha.Hex(wasm); got != s.digest {
		return fmt.Errorf("digest is %s, not %s", got, s.digest)
	}
	return nil
}

func describe(wasm []byte) ([]byte, *fuel.Info, error) {
	info, err := fuel.Describe(wasm)
	return wasm, info, err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readChecked reads a file that writeChecked wrote whole.
func readChecked(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := len(b) - 4
	if n < 0 || binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return nil, fmt.Errorf("%s: damaged", path)
	}
	return b[:n], nil
}

// writeChecked writes a file with a checksum at its end. Readers see all of it
// or nothing.
func writeChecked(path string, b []byte) error {
	return whole.File{Dirs: 0o700}.Make(path, func(f *os.File) error {
		if _, err := f.Write(b); err != nil {
			return err
		}
		_, err := f.Write(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli)))
		return err
	})
}
