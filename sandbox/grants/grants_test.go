package grants

import (
	"slices"
	"testing"
	"time"
)

func TestTrust(t *testing.T) {
	now := time.Unix(1000, 0)
	dir := t.TempDir()
	s := Open(dir, func() time.Time { return now })
	if _, found, err := s.Trusted("d1"); found || err != nil {
		t.Fatal(found, err)
	}
	if _, err := s.Trust("d1", "/a.org", []string{"net:b", "kv", "kv"}); err != nil {
		t.Fatal(err)
	}
	other := Open(dir, nil) // another process
	got, found, err := other.Trusted("d1")
	if err != nil || !found || !slices.Equal(got.Grants, []string{"kv", "net:b"}) {
		t.Fatal(got, found, err)
	}
	if !s.Changed("d2", "/a.org") || s.Changed("d1", "/a.org") || s.Changed("d2", "/b.org") {
		t.Error("changed")
	}
	gone, err := other.Revoke("/a.org", "net")
	if err != nil || len(gone) != 1 {
		t.Fatal(gone, err)
	}
	if got, _, _ = s.Trusted("d1"); !slices.Equal(got.Grants, []string{"kv"}) {
		t.Error("after revoking net:", got.Grants)
	}
	if _, err := s.Revoke("/a.org", ""); err != nil {
		t.Fatal(err)
	}
	if _, found, _ = other.Trusted("d1"); found {
		t.Error("still trusted after everything was revoked")
	}
}

func TestRevoked(t *testing.T) {
	now := time.Unix(1000, 0)
	s := Open(t.TempDir(), func() time.Time { return now })
	if s.Revoked("/a.org", "kv", now) {
		t.Error("revoked before anything was")
	}
	now = now.Add(time.Second)
	if _, err := s.Revoke("/a.org", "kv"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		principal, capability string
		granted               time.Time
		want                  bool
	}{
		{"/a.org", "kv", now.Add(-time.Second), true},
		{"/a.org", "kv", now, true},
		{"/a.org", "kv", now.Add(1), false}, // granted anew since
		{"/a.org", "net", now.Add(-time.Second), false},
		{"/b.org", "kv", now.Add(-time.Second), false},
	} {
		if got := s.Revoked(c.principal, c.capability, c.granted); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if _, err := s.Revoke("/b.org", ""); err != nil {
		t.Fatal(err)
	}
	if !s.Revoked("/b.org", "anything", now) {
		t.Error("revoking everything leaves something")
	}
}

func TestCeiling(t *testing.T) {
	for _, c := range []struct{ holds, asks, want []string }{
		{[]string{"kv", "net"}, []string{"net:a", "llm"}, []string{"net:a"}},
		{[]string{"net:a", "net:b"}, []string{"net"}, []string{"net:a", "net:b"}},
		{[]string{"vars:build-*"}, []string{"vars:build-id", "vars:key"}, []string{"vars:build-id"}},
		{nil, []string{"kv"}, nil},
		{[]string{"kv"}, nil, nil},
	} {
		if got := Ceiling(c.holds, c.asks); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.asks, c.holds, got, c.want)
		}
	}
}
