package sign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wb/internal/identity"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func issuer(t *testing.T) sign.Issuer {
	t.Helper()
	key, err := identity.FromSeed(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, noon)
	if err != nil {
		t.Fatal(err)
	}
	return sign.Issuer{Signer: key, Keys: log}
}

// TestDir: signing again changes nothing, and what a killed signing left is no
// part of the site.
func TestDir(t *testing.T) {
	dir, by := t.TempDir(), issuer(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("index.html", "<p>x")
	write("deep/style.css", "b{}")
	write("deep/.wb-new-style.css", "half a fi")
	for range 2 {
		s, err := sign.Dir(dir, by, nil, "example.org", noon)
		if err != nil || s.Sequence != 1 || len(s.Files) != 4 {
			t.Fatalf("%+v %v", s, err)
		}
	}
	files, err := verify.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.Site(files, verify.Options{Want: by.Signer.DID()}).Err(); err != nil {
		t.Error(err)
	}
}

// TestFile signs within a page and beside anything else, and keeps what a page
// asserts.
func TestFile(t *testing.T) {
	by := issuer(t)
	output, signed, err := sign.File("a.html", []byte("<p>x"), by, noon)
	if err != nil || output != "a.html" || !verify.Page(signed, verify.Options{}).Valid {
		t.Errorf("page: %s %v", output, err)
	}
	for _, name := range []string{"a.org", "a.csv"} {
		var said []manifest.Assertion
		if name == "a.org" {
			said = append(said, manifest.ProgramAssertion("digest"))
		}
		output, signed, err := sign.File(name, []byte("* x\n"), by, noon, said...)
		r := verify.Detached([]byte("* x\n"), signed, verify.Options{})
		if err != nil || output != name+".sig" || !r.Valid || (len(r.Assertions) == 1) != (name == "a.org") {
			t.Errorf("%s: %s %v %+v", name, output, err, r)
		}
	}
	revoked, err := by.Keys.Revoke(by.Signer, by.Signer.DID(), 0, "stolen", noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := sign.File("a.org", nil, sign.Issuer{Signer: by.Signer, Keys: revoked}, noon); err == nil {
		t.Error("a revoked key signed")
	}
}

// TestReplace replaces a file as a whole, behind a link too.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Skip(err)
	}
	if err := sign.Replace(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	info, lerr := os.Lstat(link)
	if err != nil || lerr != nil || string(text) != "new" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%q %v %v", text, err, lerr)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left: %v %v", left, err)
	}
}
