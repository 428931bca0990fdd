package sha

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHex(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	if got := Hex("abc"); got != abc {
		t.Errorf("Hex: %s", got)
	}
	if got := Hex([]byte("abc")); got != abc {
		t.Errorf("Hex of bytes: %s", got)
	}
	path := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, size, err := File(path); got != abc || size != 3 || err != nil {
		t.Errorf("File: %s, %d, %v", got, size, err)
	}
	if _, _, err := File(path + "x"); !os.IsNotExist(err) {
		t.Error(err)
	}
}
