package replica

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/internal/s3"
	"wb/internal/whole"
)

// Target is where copies lie: names with slashes and what stands under them. A name is
// there whole or not at all.
type Target interface {
	Put(ctx context.Context, name string, data []byte) error
	// Get is [fs.ErrNotExist] for a name that is not there.
	Get(ctx context.Context, name string) ([]byte, error)
	// List gives the last elements of the names directly below a directory.
	List(ctx context.Context, dir string) ([]string, error)
	Delete(ctx context.Context, name string) error
	// String names the target to people, without anything secret.
	String() string
}

// Config says where copies go.
type Config struct {
	// To is a directory, or s3://BUCKET/PREFIX.
	To string
	// Endpoint and Region are those of a bucket; "" is what the environment says,
	// else AWS and us-east-1.
	Endpoint, Region string
	// KeyEnv and SecretEnv name the variables that hold the key of a bucket and its
	// secret; "" is AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
	KeyEnv, SecretEnv string
	Getenv            func(string) string
}

// Open gives the target that a config names. Nothing is asked of it yet.
func Open(c Config) (Target, error) {
	if strings.HasPrefix(c.To, "s3://") {
		bucket, err := s3.Open(s3.Config(c))
		if err != nil {
			return nil, err
		}
		return bucket, nil
	}
	dir, err := filepath.Abs(c.To)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() { // such as a disk that is not mounted
		return nil, diag.NotFoundf("make it, or mount the disk that it lies on", "there is no directory %s to copy volumes to", dir)
	}
	return directory(dir), nil
}

// directory is a target on a file system, such as another disk or one of the network.
type directory string

func (d directory) String() string { return string(d) }

func (d directory) path(name string) string {
	return filepath.Join(string(d), filepath.FromSlash(name))
}

func (d directory) Put(_ context.Context, name string, data []byte) error {
	return whole.File{Dirs: 0o700, Sync: true}.Write(d.path(name), data)
}

func (d directory) Get(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(d.path(name))
}

func (d directory) List(_ context.Context, dir string) ([]string, error) {
	entries, err := os.ReadDir(d.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // such as what a crash has left half
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (d directory) Delete(_ context.Context, name string) error { return os.Remove(d.path(name)) }
