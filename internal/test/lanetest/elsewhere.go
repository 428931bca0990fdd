package lanetest

import (
	"os"
	"testing"
	"time"
)

// Elsewhere makes the rest of the test that of another user, far away, with the same
// toolchains.
func Elsewhere(t *testing.T) {
	t.Helper()
	cache, err := os.UserCacheDir() // where toolchains are
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"} {
		t.Setenv(name, t.TempDir())
	}
	for name, value := range map[string]string{"USER": "zoë", "LOGNAME": "zoë", "TZ": "Asia/Tokyo", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"} {
		t.Setenv(name, value)
	}
	local := time.Local
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	time.Local = tokyo
	t.Cleanup(func() { time.Local = local })
	t.Chdir(t.TempDir())
}
