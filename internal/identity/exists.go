package identity

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Exists reports whether [Load] would find a key instead of making one.
func Exists(dir, tenant string) (bool, error) {
	if os.Getenv(EnvSeed) != "" {
		return true, nil
	}
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return false, fmt.Errorf("signing key: %w", err)
		}
		dir = filepath.Join(config, "wb", "keys")
	}
	_, err := os.Stat(filepath.Join(dir, tenant+".ed25519"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
