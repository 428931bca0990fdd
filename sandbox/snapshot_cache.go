package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wb/internal/whole"
)

// snapshotHead describes a snapshot in its file, as JSON at its
// start; the memory follows at headSize.
type snapshotHead struct {
	Format  string   `json:"format"`
	Module  string   `json:"module"` // key of the metered module
	Key     string   `json:"key"`
	Size    int64    `json:"size"`
	Globals []uint64 `json:"globals"`
	Note    []byte   `json:"note,omitempty"`
}

const (
	snapshotFormat = "wb snapshot 1"
	headSize       = 1 << 16 // a multiple of every page size
)

// staleSnapshot is the age at which a snapshot that no longer belongs to what
// is saved is removed.
const staleSnapshot = 7 * 24 * time.Hour

// SaveSnapshot keeps a snapshot in the engine's cache directory under a name
// and a key that says everything it was made from, with a note for whoever
// loads it. Without a cache directory it does nothing.
func (e *Engine) SaveSnapshot(name, key string, s *Snapshot, note []byte) error {
	if e.config.CacheDir == "" {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.image == nil {
		return fmt.Errorf("%s: the snapshot is closed", s.module.name)
	}
	memory, err := s.image.bytes()
	if err != nil {
		return fmt.Errorf("%s: save snapshot: %w", s.module.name, err)
	}
	head, err := json.Marshal(snapshotHead{snapshotFormat, s.module.source.key(), key, s.size, s.globals, note})
	if err != nil {
		return err
	}
	if len(head) > headSize {
		return fmt.Errorf("%s: save snapshot: the note is too long", s.module.name)
	}
	path := e.snapshotPath(e.config.CacheDir, name, key, s.module)
	if err := (whole.File{Dirs: 0o755}).Make(path, func(f *os.File) error {
		if _, err := f.WriteAt(head, 0); err != nil {
			return err
		}
		return writeSparse(f, headSize, memory)
	}); err != nil {
		return fmt.Errorf("%s: save snapshot: %w", s.module.name, err)
	}
	removeStale(filepath.Join(filepath.Dir(path), name+"-*"), path)
	return nil
}

// LoadSnapshot finds what SaveSnapshot kept under the same name and key for the
// same module, in this process or an earlier one. On Linux its memory is
// mapped, not read. ok is false when there is none.
func (e *Engine) LoadSnapshot(name, key string, m *Module) (s *Snapshot, note []byte, ok bool) {
	if e.config.CacheDir == "" {
		return nil, nil, false
	}
	f, err := os.Open(e.snapshotPath(e.config.CacheDir, name, key, m))
	if err != nil && e.config.Shared != "" {
		f, err = os.Open(e.snapshotPath(e.config.Shared, name, key, m))
	}
	if err != nil {
		return nil, nil, false
	}
	head, err := readHead(f)
	if err != nil || head.Module != m.source.key() || head.Key != key || len(head.Globals) != len(m.info.Globals) {
		f.Close()
		return nil, nil, false
	}
	image, err := openImage(f, headSize, head.Size)
	if err != nil {
		return nil, nil, false
	}
	return &Snapshot{module: m, size: head.Size, globals: head.Globals, image: image}, head.Note, true
}

func (e *Engine) snapshotPath(dir, name, key string, m *Module) string {
	sum := sha256.Sum256([]byte(snapshotFormat + "\x00" + m.source.key() + "\x00" + key))
	return filepath.Join(dir, "snapshots", name+"-"+hex.EncodeToString(sum[:16]))
}

// readHead reads and checks the start of a snapshot file.
func readHead(f *os.File) (*snapshotHead, error) {
	data := make([]byte, headSize)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	var head snapshotHead
	if err := json.Unmarshal(bytes.TrimRight(data, "\x00"), &head); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if head.Format != snapshotFormat || head.Size <= 0 || head.Size%pageSize != 0 || info.Size() != headSize+head.Size {
		return nil, errors.New("not a snapshot")
	}
	return &head, nil
}

// writeSparse writes memory at an offset; pages of zeroes take no space.
func writeSparse(f *os.File, offset int64, memory []byte) error {
	if err := f.Truncate(offset + int64(len(memory))); err != nil {
		return err
	}
	var zero [4096]byte
	for from := 0; from < len(memory); {
		to := from
		for to < len(memory) && !bytes.Equal(memory[to:to+len(zero)], zero[:]) {
			to += len(zero)
		}
		if to > from {
			if _, err := f.WriteAt(memory[from:to], offset+int64(from)); err != nil {
				return err
			}
		}
		from = to + len(zero)
	}
	return nil
}

// removeStale removes old files that match a pattern, except one.
func removeStale(pattern, except string) {
	paths, _ := filepath.Glob(pattern)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && path != except && time.Since(info.ModTime()) > staleSnapshot {
			os.Remove(path)
		}
	}
}
