package app

import "testing"

// TestOneRelease: a directory is written by one process at a time, others meanwhile.
func TestOneRelease(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	release, err := oneRelease("a/../site")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oneRelease("site"); err == nil {
		t.Error("two write to one directory")
	}
	other, err := oneRelease("elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	again, err := oneRelease("site")
	if err != nil {
		t.Fatal(err)
	}
	again()
}
