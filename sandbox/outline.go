package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"wb/sandbox/fuel"
)

// wazero keeps the machine code of a module under a hash of the module, and
// decodes and validates all of the module again before it looks there. For a
// compiler of 40 or 80 MB that takes seconds in every process. So beside a large
// module that it has compiled, the engine keeps its outline (package fuel), which
// is what the module declares without its code, and gives the machine code a
// second name: the one that wazero looks for when it is given the outline.
//
// That weakens nothing. The machine code is what wazero made of the validated
// module, in the directory that it is trusted in already. An outline holds the
// digest of its module, so that no two modules have the same, and no module that
// a guest is made of is an outline. Where there is no machine code for an
// outline it is not compiled in its place (its functions would trap): the module
// is then loaded whole.

// outlined loads a module by its outline and the machine code that is kept for
// it. Any reason not to is an error.
func (m *Module) outlined() (wazero.CompiledModule, *fuel.Info, int, error) {
	outline, err := m.source.outline()
	if err != nil {
		return nil, nil, 0, err
	}
	if !m.engine.loadsOnly() {
		return nil, nil, 0, errors.New("wazero's cache format has changed: machine code cannot be recognised")
	}
	size, err := fuel.OutlinedSize(outline)
	if err != nil {
		return nil, nil, 0, err
	}
	info, err := fuel.Describe(outline)
	if err != nil {
		return nil, nil, 0, err
	}
	compiled, err := m.engine.runtime.CompileModule(cacheOnly(m.engine.ctx), outline)
	return compiled, info, size, err
}

// cacheOnly lets wazero load machine code, and fail where it would have to make
// some: several workers stop when their context has ended, and looking into the
// cache comes before that.
func cacheOnly(ctx context.Context) context.Context {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return experimental.WithCompilationWorkers(ended, 2)
}

// loadsOnly reports whether cacheOnly does what it says, which it does not where
// wazero interprets: a module that is not compiled yet must fail.
func (e *Engine) loadsOnly() bool {
	e.cacheOnly.Do(func() {
		// (func (export "f")) and a custom section of random bytes
		module := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x05\x01\x01f\x00\x00\x0a\x04\x01\x02\x00\x0b\x00\x12\x01r")
		var unique [16]byte
		_, _ = rand.Read(unique[:]) // never fails
		compiled, err := e.runtime.CompileModule(cacheOnly(e.ctx), append(module, unique[:]...))
		if err == nil {
			_ = compiled.Close(e.ctx)
		}
		e.cacheWorks = errors.Is(err, context.Canceled)
	})
	return e.cacheWorks
}

// keepOutline writes the outline of a module that has been compiled and names
// its machine code for it. It costs nothing but time if that fails.
func (m *Module) keepOutline(metered []byte) {
	s := &m.source
	if s.dir == "" || m.engine.config.Interpreter || len(metered) <= keepInMemory {
		return
	}
	outline, err := fuel.Outline(metered)
	if err != nil || !linkOutline(filepath.Join(s.dir, "code"), metered, outline) {
		return
	}
	_ = writeChecked(s.outlinePath(s.dir), outline)
}

// outline reads what keepOutline wrote, here or in the shared directory.
func (s *source) outline() ([]byte, error) {
	if s.kept != nil || s.dir == "" {
		return nil, os.ErrNotExist
	}
	outline, err := readChecked(s.outlinePath(s.dir))
	if err != nil && s.shared != "" {
		outline, err = readChecked(s.outlinePath(s.shared))
	}
	return outline, err
}

func (s *source) outlinePath(dir string) string {
	return filepath.Join(dir, "metered", s.key()+".outline")
}

// linkOutline names the machine code of a module for its outline, too, and
// reports whether it found the one and could do the other.
func linkOutline(code string, metered, outline []byte) bool {
	versions, _ := filepath.Glob(filepath.Join(code, "wazero-*-"+runtime.GOARCH+"-"+runtime.GOOS))
	from, to := moduleID(metered), moduleID(outline)
	linked := false
	for _, dir := range versions {
		for features := range uint64(8) {
			for _, ending := range []string{"", mappedEnding} {
				old, name := filepath.Join(dir, codeName(from, features)+ending), filepath.Join(dir, codeName(to, features)+ending)
				if _, err := os.Stat(old); err != nil {
					continue
				}
				_ = os.Remove(name) // it may lead to code of another
				linked = os.Link(old, name) == nil || linked
			}
		}
	}
	return linked
}

// moduleID is wazero's id of a module without listeners to its calls and
// contexts do not end them (AssignModuleID in its wasm/module.go).
func moduleID(wasm []byte) []byte {
	h := sha256.New()
	h.Write(wasm)
	h.Write([]byte{0})
	return h.Sum(nil)
}

// codeName is the name of a file of machine code in wazero's cache
// (fileCacheKey in its wazevo/engine_cache.go). Which of the
// three features of processors that it cares about are here is found out by
// looking for the file. Where wazero names files in another way there is none,
// and modules are loaded whole.
func codeName(id []byte, features uint64) string {
	h := sha256.New()
	h.Write(id)
	h.Write([]byte("WAZEVO"))
	h.Write(binary.LittleEndian.AppendUint64(nil, features))
	return hex.EncodeToString(h.Sum(nil))
}
