package app

import (
	"fmt"
	"os"
	"path/filepath"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/lazyregexp"
	"wb/internal/trace"
	"wb/sandbox/dock/store"
	"wb/workbook/capability"
)

var tenantName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,31}$`)

// CheckTenant says why a tenant cannot have a name.
func CheckTenant(name string) error {
	if !tenantName.MatchString(name) {
		return fmt.Errorf("tenant %q: a name consists of small letters, digits and hyphens", name)
	}
	return nil
}

// TenantState is where a tenant's state lies below a state directory.
func TenantState(dir, tenant string) *trace.State {
	if tenant == identity.DefaultTenant {
		return trace.NewState(dir)
	}
	return trace.NewState(filepath.Join(dir, "tenants", tenant))
}

// TenantFlag says whose state a verb is about.
type TenantFlag struct {
	Tenant string `on:"terminal" help:"Whose, on a machine that serves several tenants." default:"default" placeholder:"NAME"`
}

// State is where the state of the tenant lies.
func (f TenantFlag) State() (*trace.State, error) {
	if err := CheckTenant(f.Tenant); err != nil {
		return nil, diag.Usagef("", "%w", err)
	}
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return TenantState(dir, f.Tenant), nil
}

// Host returns the tenant's capabilities, from the same stores as a
// server of that tenant.
func (f TenantFlag) Host() (*capability.Host, error) {
	if f.Tenant == identity.DefaultTenant {
		return Capabilities()
	}
	state, err := f.State()
	if err != nil {
		return nil, err
	}
	key, err := identity.Load("", f.Tenant)
	if err != nil {
		return nil, err
	}
	return TenantCapabilities(f.Tenant, state.Dir(), key)
}

// project gives do the tenant's store of a directory.
func (f TenantFlag) project(dir string, do func(s *store.Store) error) error {
	return f.projectAt(dir, func(s *store.Store, _ string) error { return do(s) })
}

// projectAt also gives do the name of the directory that the store goes by.
func (f TenantFlag) projectAt(dir string, do func(s *store.Store, dir string) error) error {
	host, err := f.Host()
	if err != nil {
		return err
	}
	defer host.Close()
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if f.Tenant != identity.DefaultTenant { // a server knows directories without links
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return err
		}
	}
	return do(host.Project(dir), dir)
}
