package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/keys"
	"wb/proof/sign"
)

// issuer is a key with its log.
func issuer(t *testing.T, seed string) sign.Issuer {
	t.Helper()
	key, err := identity.FromSeed([]byte(strings.Repeat(seed, 32)))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return sign.Issuer{Signer: key, Keys: log}
}

// signed writes a file and its signature.
func signed(t *testing.T, path, text string, by sign.Issuer) {
	t.Helper()
	at, signature, err := sign.File(path, []byte(text), by, time.Unix(0, 0))
	if err == nil {
		err = errors.Join(os.WriteFile(path, []byte(text), 0o644), os.WriteFile(at, signature, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	us, others := issuer(t, "1"), issuer(t, "2")
	binary, list := filepath.Join(dir, "wb"), filepath.Join(dir, Binaries)
	if err := os.WriteFile(binary, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte("program"))
	signed(t, list, hex.EncodeToString(digest[:])+"  linux-amd64/wb\n", us)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, at := range []string{list, server.URL + "/" + Binaries} {
		as, by, err := Executable(t.Context(), binary, at, us.Signer.DID())
		if err != nil || as != "linux-amd64/wb" || by.IssuerDID != us.Signer.DID() {
			t.Errorf("%s: %q, %v", at, as, err)
		}
		if _, _, err := Executable(t.Context(), binary, at, others.Signer.DID()); err == nil {
			t.Errorf("%s: a list of somebody else's is accepted", at)
		}
	}
	if err := os.WriteFile(binary, []byte("Program"), 0o755); err != nil {
		t.Fatal(err)
	}
	var unlisted *UnlistedError
	if _, _, err := Executable(t.Context(), binary, list, ""); !errors.As(err, &unlisted) || unlisted.ExitCode() != 5 {
		t.Errorf("a changed executable: %v", err)
	}
	if err := os.WriteFile(list, []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Executable(t.Context(), binary, list, ""); err == nil || !strings.Contains(err.Error(), "asset-changed") && !strings.Contains(err.Error(), "not the one") {
		t.Errorf("a changed list: %v", err)
	}
}

func TestUnsigned(t *testing.T) {
	dir := t.TempDir()
	pack := filepath.Join(dir, "a.pack")
	if err := os.WriteFile(pack, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, at := range []string{pack, server.URL + "/a.pack"} {
		var unsigned *UnsignedError
		if _, _, err := File(t.Context(), at, ""); !errors.As(err, &unsigned) {
			t.Errorf("%s: %v", at, err)
		}
	}
	nothing := filepath.Join(dir, "nothing")
	if _, _, err := File(t.Context(), nothing, ""); diag.ExitOf(err) != diag.ExitNotFound || err.Error() != nothing+": no such file" {
		t.Errorf("a file that is not there: %v", err)
	}
}
