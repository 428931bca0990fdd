package trace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/sha"
)

// BlobStore keeps bytes under the SHA-256 of their content. Blobs are written
// to a temporary file and renamed, so a reader sees a whole blob or none; the
// same bytes are kept once. It is safe for concurrent use, also by several
// processes. A blob is the file DIR/ab/cdef… for the digest abcdef….
type BlobStore struct{ dir string }

// NewBlobStore is the store in a directory, which is created when needed.
func NewBlobStore(dir string) *BlobStore { return &BlobStore{dir: dir} }

// ErrNoBlob is a digest that the store has no blob for.
var ErrNoBlob = errors.New("no such blob")

// Digest is the SHA-256 of data, in hex: the name of its blob.
func Digest(data []byte) string {
	return sha.Hex(data)
}

// Put keeps data and returns its digest.
func (s *BlobStore) Put(data []byte) (digest string, err error) { return s.put(data, false) }

// PutSynced is Put that returns when the blob is safe on disk.
func (s *BlobStore) PutSynced(data []byte) (digest string, err error) { return s.put(data, true) }

func (s *BlobStore) put(data []byte, synced bool) (string, error) {
	digest := Digest(data)
	path := s.path(digest)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) && !synced {
		return digest, nil
	}
	temp, err := s.temp(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	return digest, s.finish(temp, path, synced, err)
}

// temp makes a temporary file in dir, and dir itself when it is missing.
func (s *BlobStore) temp(dir string) (*os.File, error) {
	temp, err := os.CreateTemp(dir, tempPrefix+"*")
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			temp, err = os.CreateTemp(dir, tempPrefix+"*")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return temp, nil
}

const tempPrefix = ".new-"

// finish closes and renames a temporary file, or removes it after a failure.
func (s *BlobStore) finish(temp *os.File, path string, synced bool, err error) error {
	if err == nil && synced {
		err = temp.Sync()
	}
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err == nil && synced {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		os.Remove(temp.Name())
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// Get returns a blob after checking its digest. The error
// wraps [ErrNoBlob] when there is none.
func (s *BlobStore) Get(digest string) ([]byte, error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("blob %q: not a SHA-256", digest)
	}
	data, err := os.ReadFile(s.path(digest))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("blob %s: %w", digest, ErrNoBlob)
	}
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	if Digest(data) != digest {
		return nil, fmt.Errorf("blob %s: content was changed", digest)
	}
	return data, nil
}

func (s *BlobStore) path(digest string) string { return filepath.Join(s.dir, digest[:2], digest[2:]) }

// isDigest reports whether text is a SHA-256 in lower-case hex, and so safe in
// a path.
func isDigest(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// syncDir makes the entries of a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
