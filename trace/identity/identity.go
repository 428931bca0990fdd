// Package identity keeps the Ed25519 key that seals and signatures are made
// with, and names its owner with a did:key.
//
// A key belongs to a tenant and lives in the user's configuration directory,
// readable by the user alone. WB_SIGNING_KEY, the base64 of the 32-byte seed,
// takes its place where there is no such directory, as in CI.
package identity

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// SeedEnv is the environment variable that holds a seed in base64.
const SeedEnv = "WB_SIGNING_KEY"

// DefaultTenant owns the key where nobody says otherwise.
const DefaultTenant = "default"

// ErrNoKey is a tenant without a key.
var ErrNoKey = errors.New("no signing key")

// Key is a private key. It never prints itself.
type Key struct {
	private ed25519.PrivateKey
	did     string
}

// FromSeed makes a key of its 32-byte seed.
func FromSeed(seed []byte) (*Key, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("a signing key's seed has %d bytes, got %d", ed25519.SeedSize, len(seed))
	}
	private := ed25519.NewKeyFromSeed(seed)
	return &Key{private: private, did: DID(private.Public().(ed25519.PublicKey))}, nil
}

// FromEnv makes a key of the text of WB_SIGNING_KEY: base64 in any of its
// alphabets, with or without padding.
func FromEnv(text string) (*Key, error) {
	text = strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(strings.TrimSpace(text))
	seed, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not base64", SeedEnv) // the text stays out of messages
	}
	key, err := FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SeedEnv, err)
	}
	return key, nil
}

// New makes a new key.
func New() (*Key, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return nil, fmt.Errorf("new signing key: %w", err)
	}
	return FromSeed(seed)
}

// DID is the did:key of the key's owner.
func (k *Key) DID() string { return k.did }

// Public is the public half.
func (k *Key) Public() ed25519.PublicKey { return k.private.Public().(ed25519.PublicKey) }

// Sign signs a message; the signature has 64 bytes.
func (k *Key) Sign(message []byte) []byte { return ed25519.Sign(k.private, message) }

// String names the owner and keeps the secret.
func (k *Key) String() string { return k.did }

// GoString is String, so that %#v keeps the secret too.
func (k *Key) GoString() string { return "identity.Key(" + k.did + ")" }

// Store is the directory where a user's keys lie.
type Store struct{ dir string }

// NewStore is the key store in dir, usually wb/keys in the user's
// configuration directory.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Dir is where keys lie unless the user says otherwise: WB_CONFIG_DIR/keys,
// else wb/keys in the user's configuration directory.
func Dir(getenv func(string) string) (string, error) {
	if dir := getenv("WB_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "keys"), nil
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wb", "keys"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no configuration directory: %w", err)
	}
	return filepath.Join(dir, "wb", "keys"), nil
}

// Find returns the key to sign with: that of the environment when it has one,
// else the tenant's, made now if it is missing.
func Find(getenv func(string) string, tenant string) (*Key, error) {
	if text := getenv(SeedEnv); text != "" {
		return FromEnv(text)
	}
	dir, err := Dir(getenv)
	if err != nil {
		return nil, err
	}
	return NewStore(dir).LoadOrNew(tenant)
}

// Path is the file of a tenant's key: the seed in hex.
func (s *Store) Path(tenant string) string { return filepath.Join(s.dir, tenant+".ed25519") }

// Load reads a tenant's key. The error wraps [ErrNoKey] when there is none; a
// file that others may read is refused.
func (s *Store) Load(tenant string) (*Key, error) {
	if err := checkTenant(tenant); err != nil {
		return nil, err
	}
	path := s.Path(tenant)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrNoKey)
	}
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others; hint: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s is not the hex of a seed", path)
	}
	key, err := FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// LoadOrNew reads a tenant's key and makes one when there is none. Of several
// processes that do so at once, one wins and all get its key.
func (s *Store) LoadOrNew(tenant string) (*Key, error) {
	key, err := s.Load(tenant)
	if !errors.Is(err, ErrNoKey) {
		return key, err
	}
	if key, err = New(); err != nil {
		return nil, err
	}
	if err := s.Save(tenant, key); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	return s.Load(tenant)
}

// Save writes a tenant's key, and NAME.pub with the public half beside it. It
// does not replace a key: the error then wraps [os.ErrExist].
func (s *Store) Save(tenant string, key *Key) error {
	if err := checkTenant(tenant); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	temp, err := os.CreateTemp(s.dir, ".new-*") // mode 0600
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(hex.EncodeToString(key.private.Seed()) + "\n")
	if err == nil {
		err = temp.Sync()
	}
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil { // a link, unlike a rename, never replaces
		err = os.Link(temp.Name(), s.Path(tenant))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, tenant+".pub"), []byte(hex.EncodeToString(key.Public())+"\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("signing key: %w", err)
	}
	return nil
}

// checkTenant keeps tenants' names from leaving the store.
func checkTenant(tenant string) error {
	if tenant == "" || tenant[0] == '.' || strings.ContainsAny(tenant, "/\\\x00") {
		return fmt.Errorf("%q is no tenant name", tenant)
	}
	return nil
}
