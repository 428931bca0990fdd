package app

import (
	"testing"
	"time"

	"wb/internal/identity"
)

// TestStanding follows a key of the user's from its making to its revocation.
func TestStanding(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv(identity.EnvSeed, "")
	is := func(did string, want standing) {
		t.Helper()
		if got, err := standingOf(did); got != want || err != nil {
			t.Errorf("%s is %s, want %s (%v)", did, got, want, err)
		}
	}
	if by, err := ownSigner(); by != nil || err != nil {
		t.Fatalf("without a key %v signs (%v)", by, err)
	}
	stranger, err := identity.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	is("", standingUnsigned)
	is(stranger.DID(), standingForeign)
	mine, _, err := UserKey()
	if err != nil {
		t.Fatal(err)
	}
	first := mine.Key.DID()
	is(first, standingOwn)
	if _, err := mine.Rotate(1, time.Now()); err != nil {
		t.Fatal(err)
	}
	is(first, standingOwn) // what it signed before stays good
	is(mine.Key.DID(), standingOwn)
	if err := mine.Revoke(first, 0, "stolen", time.Now()); err != nil {
		t.Fatal(err)
	}
	is(first, standingRevoked)
	is(mine.Key.DID(), standingOwn)
	is(stranger.DID(), standingForeign)
	t.Setenv(identity.EnvSeed, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	is(stranger.DID(), standingOwn)
}
