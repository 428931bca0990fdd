package app

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wb/agent/host"
	"wb/agent/tools"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/proof/keys"
	"wb/proof/sign"
	"wb/proof/trust"
	"wb/proof/verify"
	"wb/sandbox/grants"
	"wb/workbook/capability"
)

// UserState is the state directory of the user.
func UserState() (*trace.State, error) {
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return trace.NewState(dir), nil
}

// UserKey opens the user's key and log, as whoever signs with them.
func UserKey() (*keys.Ring, sign.Issuer, error) {
	s, err := keys.Open("", identity.DefaultTenant, time.Now())
	if err != nil {
		return nil, sign.Issuer{}, err
	}
	former, err := s.Former()
	return s, sign.Issuer{Signer: s.Key, Keys: s.Log, Former: former}, err
}

// oneRelease keeps other processes of the user from writing a site to the same directory
// until release is called: pages of one release would come to stand beside the list of another.
func oneRelease(output string) (release func(), err error) {
	state, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	at, err := filepath.Abs(output)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(at)))
	release, ok, err := trace.NewState(filepath.Join(state, "releasing")).Lock(name)
	if err == nil && !ok {
		err = diag.Busyf("wait until it ends, then try again", "another wb writes %s", output)
	}
	return release, err
}

// sitesSigned is the user's record of the sites that they have signed.
func sitesSigned() (*sign.Record, error) {
	state, err := trace.StateDir(os.Getenv)
	return sign.NewRecord(filepath.Join(state, "signed")), err
}

// sitesSeen is the user's memory of the sites that were verified.
func sitesSeen() (*verify.Memory, error) {
	state, err := trace.StateDir(os.Getenv)
	return verify.NewMemory(filepath.Join(state, "verified")), err
}

// UserGrants opens the user's lasting grants.
func UserGrants() (*grants.File, error) {
	dir, err := grants.Dir(os.Getenv)
	return grants.Open(dir, nil), err
}

// trusted are those whose signatures the user trusts.
func trusted(store *grants.File) (*trust.Trust, error) {
	seen, err := sitesSeen()
	if err != nil {
		return nil, err
	}
	all, err := trust.Open(store, seen)
	if err != nil {
		return nil, err
	}
	own, err := keys.Kept("", identity.DefaultTenant)
	all.Given = append(all.Given, string(own)) // the user may have revoked keys
	return all, err
}

// Capabilities opens the capabilities that this machine can give to documents. Close them.
func Capabilities() (*capability.Host, error) {
	state, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	store, err := UserGrants()
	if err != nil {
		return nil, err
	}
	signed := func(file, program string, asks []string) (string, []string, error) {
		all, err := trusted(store)
		if err != nil {
			return "", nil, err
		}
		return all.File(file, program, asks)
	}
	copies, err := volumeCopies()
	if err != nil {
		return nil, err
	}
	return &capability.Host{Copies: copies, Tenant: identity.DefaultTenant, StateDir: state, Grants: store, Signed: signed, Seal: sealingKey,
		Complete: host.Completer(os.Getenv), Readable: tools.Readable, Tiers: openTier, PythonIndex: os.Getenv("WB_PYTHON_INDEX")}, nil
}

// TenantCapabilities opens the capabilities for a tenant of a server, from
// stores of its own.
func TenantCapabilities(tenant, dir string, key identity.Key) (*capability.Host, error) {
	host, err := Capabilities()
	if err != nil {
		return nil, err
	}
	host.Tenant, host.StateDir = tenant, dir
	if tenant != identity.DefaultTenant {
		host.Seal = func() ([]byte, error) { return sealedWith(key), nil }
	}
	return host, nil
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
