// Package identity keeps the Ed25519 key that signs what a user's runs
// recorded and what they publish.
//
// A key is known by its did:key, the name and the public key in one string:
// "did:key:z" and the base58 of 0xED 0x01 and the 32 key bytes (the did:key
// method, version 0.7). The seed lives in the user's config directory, one file
// a tenant, readable by the user only; WB_SIGNING_KEY (base64 of the 32-byte
// seed) stands in for it where there is no home, as in CI.
package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// EnvSeed names the environment variable that overrides the key file.
const EnvSeed = "WB_SIGNING_KEY"

// DefaultTenant is the tenant whose key is used by default.
const DefaultTenant = "default"

// Signer signs as the owner of a did:key; a [Key] is one.
type Signer interface {
	DID() string
	Sign(data []byte) []byte
}

// Key signs. The zero Key does not.
type Key struct {
	private ed25519.PrivateKey
}

// FromSeed makes the key of a 32-byte seed.
func FromSeed(seed []byte) (Key, error) {
	if len(seed) != ed25519.SeedSize {
		return Key{}, fmt.Errorf("signing key: seed has %d bytes, want %d", len(seed), ed25519.SeedSize)
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Public is the public half.
func (k Key) Public() ed25519.PublicKey { return k.private.Public().(ed25519.PublicKey) }

// DID is the did:key of the public half.
func (k Key) DID() string { return DIDOf(k.Public()) }

// String names the key and keeps the secret, whatever the format verb.
func (k Key) String() string {
	if k.IsZero() {
		return "no key"
	}
	return k.DID()
}

// IsZero reports whether k is the zero Key.
func (k Key) IsZero() bool { return k.private == nil }

// GoString is String, for %#v.
func (k Key) GoString() string { return "identity.Key(" + k.String() + ")" }

// Sign signs data (pure Ed25519, RFC 8032).
func (k Key) Sign(data []byte) []byte { return ed25519.Sign(k.private, data) }

var tenantName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Load returns the tenant's key: from WB_SIGNING_KEY when it is set, else from
// the key file in dir ("" is the user's config directory), which is made on
// first use with mode 0600.
func Load(dir, tenant string) (Key, error) {
	if text := os.Getenv(EnvSeed); text != "" {
		seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return Key{}, fmt.Errorf("%s: not base64", EnvSeed)
		}
		return FromSeed(seed)
	}
	if !tenantName.MatchString(tenant) {
		return Key{}, fmt.Errorf("tenant %q: use letters, digits, dot, dash and underscore", tenant)
	}
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return Key{}, fmt.Errorf("signing key: %w", err)
		}
		dir = filepath.Join(config, "wb", "keys")
	}
	path := filepath.Join(dir, tenant+".ed25519")
	key, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(dir, path)
	}
	return key, err
}

// read reads a key file. One that others may read is refused: its signatures
// would prove nothing.
func read(path string) (Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, &DirError{filepath.Dir(path), err}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return Key{}, fmt.Errorf("%s: others may read this key; hint: chmod 600 %s", path, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil {
		return Key{}, fmt.Errorf("%s: not a hex seed", path)
	}
	return FromSeed(seed)
}

// DirError is a directory that no key can be kept in.
type DirError struct {
	Dir string
	Err error
}

func (e *DirError) Error() string { return "signing key: " + e.Err.Error() }

// Unwrap is why.
func (e *DirError) Unwrap() error { return e.Err }

// Hint says how to choose another, or to do without.
func (e *DirError) Hint() string {
	return fmt.Sprintf("keys are kept in %s; set XDG_CONFIG_HOME to a directory that you may write, or %s", e.Dir, EnvSeed)
}

// ExitCode is that of things not permitted.
func (e *DirError) ExitCode() int { return diag.ExitForbidden }

// create makes a key file. Of two processes that try at once, both end up with
// the one key that was linked first.
func create(dir, path string) (Key, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Key{}, &DirError{dir, err}
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".key-*") // made with mode 0600
	if err != nil {
		return Key{}, &DirError{dir, err}
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(hex.EncodeToString(seed) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	return read(path)
}
