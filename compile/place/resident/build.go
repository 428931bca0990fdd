package resident

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"os"
	"sync"

	"wb/internal/sha"
)

// ownBuild names the build of wb that this process is: by the note that Go's linker
// leaves, which has a digest of the program in it, or else by the digest of the
// whole executable.
var ownBuild = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if file, err := elf.Open(exe); err == nil {
		defer file.Close()
		if note := file.Section(".note.go.buildid"); note != nil {
			if text, err := note.Data(); err == nil && len(text) > 16 {
				return sha.Hex(text)[:16], nil
			}
		}
	}
	data, err := os.ReadFile(exe)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), err
})
