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
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// EnvSeed names the environment variable that overrides the key file.
const EnvSeed = "WB_SIGNING_KEY"

// DefaultTenant is whose key is used when nobody says.
const DefaultTenant = "default"

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

// Sign signs data (pure Ed25519, RFC 8032).
func (k Key) Sign(data []byte) []byte { return ed25519.Sign(k.private, data) }

var tenantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

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
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(dir, path)
	}
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil {
		return Key{}, fmt.Errorf("%s: not a hex seed", path)
	}
	return FromSeed(seed)
}

// create makes a key file. Of two processes that try at once, both end up with
// the one key that was linked first.
func create(dir, path string) (Key, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".key-*") // made with mode 0600
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(hex.EncodeToString(seed) + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("signing key: %w", err)
	}
	seed, err = hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil {
		return Key{}, fmt.Errorf("%s: not a hex seed", path)
	}
	return FromSeed(seed)
}

// didPrefix and the multicodec prefix of an Ed25519 public key.
const didPrefix = "did:key:z"

var multicodec = []byte{0xed, 0x01}

// DIDOf is the did:key of a public key.
func DIDOf(public ed25519.PublicKey) string {
	return didPrefix + base58(append(append([]byte(nil), multicodec...), public...))
}

// PublicOf reads the public key out of a did:key.
func PublicOf(did string) (ed25519.PublicKey, error) {
	text, ok := strings.CutPrefix(did, didPrefix)
	if !ok {
		return nil, fmt.Errorf("%q is no did:key", did)
	}
	data, err := unbase58(text)
	if err != nil || len(data) != len(multicodec)+ed25519.PublicKeySize || data[0] != multicodec[0] || data[1] != multicodec[1] {
		return nil, fmt.Errorf("%q is no Ed25519 did:key", did)
	}
	return ed25519.PublicKey(data[len(multicodec):]), nil
}

// bitcoin is the base58 alphabet of Bitcoin.
const bitcoin = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58(data []byte) string {
	n, rem, radix := new(big.Int).SetBytes(data), new(big.Int), big.NewInt(58)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, radix, rem)
		out = append(out, bitcoin[rem.Int64()])
	}
	for i := 0; i < len(data) && data[i] == 0; i++ {
		out = append(out, bitcoin[0])
	}
	for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
		out[a], out[b] = out[b], out[a]
	}
	return string(out)
}

func unbase58(text string) ([]byte, error) {
	if len(text) > 128 {
		return nil, errors.New("base58: too long")
	}
	n, radix := new(big.Int), big.NewInt(58)
	for _, c := range text {
		digit := strings.IndexRune(bitcoin, c)
		if digit < 0 {
			return nil, fmt.Errorf("base58: bad character %q", c)
		}
		n.Mul(n, radix).Add(n, big.NewInt(int64(digit)))
	}
	zeros := 0
	for zeros < len(text) && text[zeros] == bitcoin[0] {
		zeros++
	}
	return append(make([]byte, zeros), n.Bytes()...), nil
}
