package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"

	"wb/agent/runtime"
	"wb/agent/tools"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/trace"
	"wb/trace/identity"
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
	return &capability.Host{Tenant: identity.DefaultTenant, StateDir: state, Grants: grants.Open(config, nil), Seal: sealingKey,
		Complete: runtime.Completer(os.Getenv), Readable: tools.Readable}, nil
}

// sealingKey is the key that secrets are sealed with. Ed25519 signs the same
// text in the same way every time, so it follows from the user's own key, which
// lies elsewhere than the secrets.
func sealingKey() ([]byte, error) {
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(key.Sign([]byte("wb: the key that seals secrets, version 1")))
	return sum[:], nil
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

// withProject gives the store of a directory.
func withProject(dir string, do func(s *store.Store) error) error {
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	return do(host.Project(dir))
}
