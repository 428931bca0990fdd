package toolkit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/agent/toolkit"
	"wb/internal/identity"
	"wb/proof/keys"
	"wb/proof/sign"
)

// A signature covers the manifest and every other file, and names its maker.
func TestSign(t *testing.T) {
	root := toolkit.Root{Dir: t.TempDir()}
	kit, err := root.New("text")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kit.Signature(); err != toolkit.ErrNoSignature {
		t.Errorf("unsigned: %v", err)
	}
	key, err := identity.FromSeed([]byte(strings.Repeat("s", 32)))
	if err != nil {
		t.Fatal(err)
	}
	other, err := identity.FromSeed([]byte(strings.Repeat("t", 32)))
	if err != nil {
		t.Fatal(err)
	}
	log, err := keys.NewLog(key, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	by := sign.Issuer{Signer: key, Keys: log}
	for range 2 { // signing again replaces
		if err := kit.Sign(by); err != nil {
			t.Fatal(err)
		}
	}
	manifest := filepath.Join(kit.Dir, "manifest.org")
	signed, _ := os.ReadFile(manifest)
	if strings.Count(string(signed), "#+SIGNATURE:") != 1 {
		t.Errorf("%s", signed)
	}
	signer := func() (string, error) {
		again, err := root.Open("text")
		if err != nil {
			return "", err
		}
		s, err := again.Signature()
		if err != nil {
			return "", err
		}
		return s.DID, nil
	}
	if did, err := signer(); did != key.DID() || err != nil {
		t.Errorf("%s %v", did, err)
	}
	for what, text := range map[string]string{
		"another text":   strings.Replace(string(signed), "0.1.0", "0.2.0", 1),
		"another author": strings.Replace(string(signed), key.DID(), other.DID(), 1),
		"no author":      strings.Replace(string(signed), "#+AUTHOR_DID:", "#+NOBODY:", 1),
		"no base64":      strings.Replace(string(signed), "#+SIGNATURE: ", "#+SIGNATURE: ?", 1),
		"text behind":    string(signed) + "* more\n",
		"a line behind":  string(signed) + "\n",
		"two authors":    string(signed) + "#+AUTHOR_DID: " + other.DID() + "\n",
		"two signatures": "#+SIGNATURE: x\n" + string(signed),
		"another digest": strings.Replace(string(signed), "#+CONTENT_SHA256: ", "#+CONTENT_SHA256: 0", 1),
		"spaces":         strings.Replace(string(signed), "#+SIGNATURE: ", "#+SIGNATURE:  ", 1),
	} {
		if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if did, err := signer(); err == nil {
			t.Errorf("%s passes as signed by %s", what, did)
		}
	}
	if err := os.WriteFile(manifest, signed, 0o644); err != nil {
		t.Fatal(err)
	}
	extra := filepath.Join(kit.Dir, "skills", "extra.org")
	if err := os.WriteFile(extra, []byte("* When to use\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if did, err := signer(); err == nil {
		t.Errorf("a file more passes as signed by %s", did)
	}
}

// The index tells an agent no more than what there is.
func TestIndex(t *testing.T) {
	root := toolkit.Root{Dir: t.TempDir()}
	kit, err := root.New("text")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("a b c d e f g h i") {
		if err := os.WriteFile(filepath.Join(kit.Dir, "skills", name+".org"), []byte("* When to use\nsecret recipe\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index := root.Index([]string{"text", "gone"})
	for _, want := range []string{"## Toolkits", "- text: Say in one line", "skills: overview, a, b, c, d, e, f, g (+2 more)", "commands: count", "- gone: (not installed)"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q:\n%s", want, index)
		}
	}
	if strings.Contains(index, "secret recipe") || root.Index(nil) != "" {
		t.Errorf("the index tells too much:\n%s", index)
	}
}
