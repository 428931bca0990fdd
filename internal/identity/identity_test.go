package identity

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The first key of RFC 8032, section 7.1, and its did:key.
func TestDID(t *testing.T) {
	seed, _ := hex.DecodeString("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
	key, err := FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(key.Public()); got != "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a" {
		t.Errorf("public key %s", got)
	}
	did := key.DID()
	if !strings.HasPrefix(did, "did:key:z6Mk") {
		t.Errorf("did %s", did)
	}
	public, err := PublicOf(did)
	if err != nil || !bytes.Equal(public, key.Public()) {
		t.Errorf("did does not lead back: %v", err)
	}
	if !ed25519.Verify(public, []byte("x"), key.Sign([]byte("x"))) {
		t.Error("signature does not verify")
	}
}

func TestPublicOfRefuses(t *testing.T) {
	for _, did := range []string{"", "did:web:x", "did:key:z", "did:key:z0", "did:key:z6Mk", "did:key:z" + strings.Repeat("1", 200)} {
		if _, err := PublicOf(did); err == nil {
			t.Errorf("%q was accepted", did)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Setenv(EnvSeed, "")
	dir := filepath.Join(t.TempDir(), "keys")
	dids := make([]string, 8)
	var wg sync.WaitGroup
	for i := range dids { // all who come first at once get one key
		wg.Go(func() {
			key, err := Load(dir, "default")
			if err != nil {
				t.Error(err)
				return
			}
			dids[i] = key.DID()
		})
	}
	wg.Wait()
	for _, did := range dids {
		if did != dids[0] {
			t.Fatalf("two keys: %s and %s", did, dids[0])
		}
	}
	info, err := os.Stat(filepath.Join(dir, "default.ed25519"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v %v", info, err)
	}
	if _, err := Load(dir, "../x"); err == nil {
		t.Error("a tenant left the directory")
	}
	t.Setenv(EnvSeed, base64.StdEncoding.EncodeToString(make([]byte, 32)))
	key, err := Load(dir, "default")
	if err != nil || key.DID() == dids[0] {
		t.Errorf("the environment did not win: %v", err)
	}
	t.Setenv(EnvSeed, "short")
	if _, err := Load(dir, "default"); err == nil {
		t.Error("a bad seed was accepted")
	}
}

// Where no key can be kept, the error names the directory and what else would do.
func TestLoadNowhere(t *testing.T) {
	t.Setenv(EnvSeed, "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "keys")} {
		_, err := Load(dir, DefaultTenant)
		var refused *DirError
		if !errors.As(err, &refused) || refused.ExitCode() != 7 || !strings.Contains(refused.Hint(), dir) || !strings.Contains(refused.Hint(), EnvSeed) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
