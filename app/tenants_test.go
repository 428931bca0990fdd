package app

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"wb/internal/identity"
	"wb/sandbox/dock/store"
)

// tenantStores are what two tenants of one machine keep for one directory.
func tenantStores(t *testing.T) (dir string, projects, variables [2]*store.Store) {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CONFIG_HOME": filepath.Join(home, "config"), identity.EnvSeed: ""} {
		t.Setenv(name, value)
	}
	dir = t.TempDir()
	for i, tenant := range []string{"ada", "bob"} {
		host, err := (TenantFlag{Tenant: tenant}).Host()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { host.Close() })
		projects[i], variables[i] = host.Project(dir), host.Variables()
	}
	return dir, projects, variables
}

// TestTenantsCannotName has one tenant keep one of everything, and the other ask
// for it by the same names.
func TestTenantsCannotName(t *testing.T) {
	_, projects, variables := tenantStores(t)
	ctx := t.Context()
	ada, bob := projects[0], projects[1]
	for _, err := range []error{
		ada.Put(ctx, "scope", "key", []byte("ada's value")),
		ada.Push(ctx, "scope", "queue", []byte("ada's message")),
		ada.WriteFile(ctx, "memory:file", []byte("ada's file")),
		variables[0].SetVar(ctx, "scope", "var", store.Plain, []byte("ada's variable")),
		variables[0].SetVar(ctx, "scope", "secret", store.Secret, []byte("ada's secret")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, found, err := bob.Get(ctx, "scope", "key"); found || err != nil {
		t.Errorf("key: %v %v", found, err)
	}
	if keys, err := bob.Keys(ctx, "scope", ""); len(keys) > 0 || err != nil {
		t.Errorf("keys: %v %v", keys, err)
	}
	if n, err := bob.Length(ctx, "scope", "queue"); n != 0 || err != nil {
		t.Errorf("queue: %d %v", n, err)
	}
	if _, found, err := bob.Pop(ctx, "scope", "queue"); found || err != nil {
		t.Errorf("queue: %v %v", found, err)
	}
	if _, found, err := bob.ReadFile(ctx, "memory:file"); found || err != nil {
		t.Errorf("file: %v %v", found, err)
	}
	if _, rows, err := bob.Query(ctx, "SELECT path FROM vfs"); len(rows) > 0 || err != nil {
		t.Errorf("vfs: %v %v", rows, err)
	}
	if _, _, err := bob.Query(ctx, "ATTACH DATABASE 'x' AS other"); err == nil {
		t.Error("another database was attached")
	}
	if _, found, err := variables[1].Var(ctx, "scope", "var"); found || err != nil {
		t.Errorf("variable: %v %v", found, err)
	}
	if list, err := variables[1].Vars(ctx, "scope"); len(list) > 0 || err != nil {
		t.Errorf("variables: %v %v", list, err)
	}
	if _, found, err := variables[1].Sign(ctx, "scope", "secret", []byte("data")); found || err != nil {
		t.Errorf("secret: %v %v", found, err)
	}
	// What ada keeps is untouched by all this.
	if v, found, err := ada.Get(ctx, "scope", "key"); !found || err != nil || !bytes.Equal(v, []byte("ada's value")) {
		t.Errorf("ada's key: %q %v %v", v, found, err)
	}
	if n, err := ada.Length(ctx, "scope", "queue"); n != 1 || err != nil {
		t.Errorf("ada's queue: %d %v", n, err)
	}
}

// TestTenantsCannotExhaust has one tenant use up a quota; the other's is its own.
func TestTenantsCannotExhaust(t *testing.T) {
	_, projects, _ := tenantStores(t)
	ctx := t.Context()
	limit := new(store.LimitError)
	for n := 0; ; n++ {
		err := projects[0].Push(ctx, "scope", "queue", fmt.Appendf(nil, "message %d", n))
		if errors.As(err, &limit) {
			break
		}
		if err != nil || n > store.DefaultLimits.Depth {
			t.Fatalf("message %d: %v", n, err)
		}
	}
	if err := projects[1].Push(ctx, "scope", "queue", []byte("bob's")); err != nil {
		t.Errorf("bob's queue: %v", err)
	}
	if m, found, err := projects[1].Pop(ctx, "scope", "queue"); !found || err != nil || string(m) != "bob's" {
		t.Errorf("bob's message: %q %v %v", m, found, err)
	}
}

// TestTenantsHaveKeysOfTheirOwn looks at the keys that sign for tenants.
func TestTenantsHaveKeysOfTheirOwn(t *testing.T) {
	tenantStores(t)
	ada, err := identity.Load("", "ada")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := identity.Load("", "bob")
	if err != nil {
		t.Fatal(err)
	}
	if ada.DID() == bob.DID() {
		t.Error("two tenants sign with one key")
	}
	if err := identity.Verify(bob.DID(), []byte("data"), ada.Sign([]byte("data"))); err == nil {
		t.Error("ada signs as bob")
	}
	for _, name := range []string{"../ada", "ada/../bob", "", ".", "a\x00b", "ADA/"} {
		if host, err := (TenantFlag{Tenant: name}).Host(); err == nil {
			host.Close()
			t.Errorf("there is a tenant %q", name)
		}
	}
}
