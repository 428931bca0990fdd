package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"time"

	"wb/agent/host"
	"wb/agent/tools"
	"wb/app"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/proof/keys"
	"wb/proof/trust"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/serve/api"
	"wb/workbook"
	"wb/workbook/capability"
)

// capabilities are what this machine can give to documents. Close them.
func capabilities() (*capability.Host, error) {
	state, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	config, err := grants.Dir(os.Getenv)
	if err != nil {
		return nil, err
	}
	store := grants.Open(config, nil)
	signed := func(file, program string, asks []string) (string, []string, error) {
		trust, err := trusted(store)
		if err != nil {
			return "", nil, err
		}
		return trust.File(file, program, asks)
	}
	return &capability.Host{Tenant: identity.DefaultTenant, StateDir: state, Grants: store, Signed: signed, Seal: sealingKey,
		Complete: host.Completer(os.Getenv), Readable: tools.Readable, Tiers: openTier, PythonIndex: os.Getenv("WB_PYTHON_INDEX")}, nil
}

// trusted are those whose signatures the user trusts.
func trusted(store *grants.Store) (*trust.Trust, error) {
	seen, err := sitesSeen()
	if err != nil {
		return nil, err
	}
	trust, err := trust.Open(store, seen)
	if err != nil {
		return nil, err
	}
	own, err := keys.Kept("", identity.DefaultTenant)
	trust.Given = append(trust.Given, string(own)) // the user may have revoked keys
	return trust, err
}

// tenantCapabilities are what this machine can give to a tenant of a server, from
// stores of its own.
func tenantCapabilities(tenant, dir string, key identity.Key) (*capability.Host, error) {
	host, err := capabilities()
	if err != nil {
		return nil, err
	}
	host.Tenant, host.StateDir = tenant, dir
	if tenant != identity.DefaultTenant {
		host.Seal = func() ([]byte, error) { return sealedWith(key), nil }
	}
	return host, nil
}

// grant gives a run what the user granted its document for good, and what
// components ask the host through. Call finish when the run is over.
func (a *terminal) grant(_ context.Context, opts *workbook.Options) (finish func(context.Context) error, err error) {
	host, err := capabilities()
	if err != nil { // a machine without a home: components have nothing but their files
		a.note("wb: warning: %v", err)
		return func(context.Context) error { return nil }, nil
	}
	opts.Agents = a.componentAgents(opts.Lanes, host)
	host.Notice = func(text string) { a.note("wb: %s", text) }
	if opts.Source == nil {
		if opts.Source, err = os.ReadFile(opts.File); os.IsNotExist(err) {
			err = app.MissingFile(opts.File)
		}
		if err != nil {
			return nil, errors.Join(err, host.Close())
		}
	}
	end, err := host.Prepare(opts, workbook.NewPlan(opts.File, opts.Source))
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	return func(ctx context.Context) error { return errors.Join(end(ctx), host.Close()) }, nil
}

// revocations tells runs of agents what was taken back.
func revocations() (func(principal, capability string, granted time.Time) bool, error) {
	dir, err := grants.Dir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return grants.Open(dir, nil).Revoked, nil
}

// sealingKey is the key that secrets are sealed with. Ed25519 signs the same
// text in the same way every time, so it follows from the user's own key, which
// lies elsewhere than the secrets.
func sealingKey() ([]byte, error) {
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	return sealedWith(key), nil
}

func sealedWith(key identity.Key) []byte {
	sum := sha256.Sum256(key.Sign([]byte("wb: the key that seals secrets, version 1")))
	return sum[:]
}

// withVariables gives the store of the user's variables.
func withVariables(do func(s *store.Store) error) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	return do(host.Variables())
}

// tenantHost is what this machine can give to a tenant, from the same stores as a
// server of that tenant.
func tenantHost(tenant string) (*capability.Host, error) {
	if tenant == identity.DefaultTenant {
		return capabilities()
	}
	state, err := tenantState(tenant)
	if err != nil {
		return nil, err
	}
	key, err := identity.Load("", tenant)
	if err != nil {
		return nil, err
	}
	return tenantCapabilities(tenant, state.Dir(), key)
}

// tenantState is where the state of a tenant lies.
func tenantState(tenant string) (*trace.State, error) {
	if err := api.CheckTenant(tenant); err != nil {
		return nil, &diag.CodedError{Err: err, Help: "", Code: diag.ExitUsage}
	}
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return (&api.Config{State: dir}).TenantState(tenant), nil
}

// withTenantVariables gives the store of a tenant's variables.
func withTenantVariables(tenant string, do func(s *store.Store) error) error {
	host, err := tenantHost(tenant)
	if err != nil {
		return err
	}
	defer host.Close()
	return do(host.Variables())
}

// withProject gives a tenant's store of a directory.
func withProject(tenant, dir string, do func(s *store.Store) error) error {
	host, err := tenantHost(tenant)
	if err != nil {
		return err
	}
	defer host.Close()
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if tenant != identity.DefaultTenant { // a server knows directories without links
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return err
		}
	}
	return do(host.Project(dir))
}
