package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"wb/compile/place/tier"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/sandbox/grants"
	"wb/workbook"
	"wb/workbook/frozen"
	"wb/workbook/instance"
)

// freezeFlags carry live sessions from one machine to another.
type freezeFlags struct {
	Freeze string `help:"When all has run, freeze the sessions, and the keys and volumes of the directory, into this file, signed with your key." placeholder:"FILE"`
	Resume string `help:"Go on with the sessions that you, or somebody you trust, have frozen in this file; what had run in them does not run again." placeholder:"FILE" type:"existingfile"`
}

// check refuses what cannot be frozen.
func (f *freezeFlags) check(files []string) error {
	if (f.Freeze != "" || f.Resume != "") && len(files) != 1 {
		return diag.Usagef("", "--freeze and --resume take one workbook")
	}
	return nil
}

// run runs a workbook, in an instance where the flags ask for one.
func (f *freezeFlags) run(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
	if f.Freeze == "" && f.Resume == "" {
		return workbook.Run(ctx, opts)
	}
	host, err := capabilities()
	if err != nil {
		return nil, err
	}
	config := instance.Config{Options: opts, Host: host}
	if config.Signer, err = ownSigner(); err != nil {
		return nil, errors.Join(err, host.Close())
	}
	config.Accept = func(signer string) (thirdParty bool, err error) { return f.accept(signer, opts.TrustTier) }
	report, err := f.runInstance(ctx, config)
	return report, errors.Join(err, host.Close())
}

// ownSigner is the user's key, nil when there is none.
func ownSigner() (frozen.Signer, error) {
	exists, err := identity.Exists("", identity.DefaultTenant)
	if err != nil || !exists {
		return nil, err
	}
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	return key, nil
}

// accept decides about a frozen file by its signer. A third party's sessions can
// be resumed in no other tier, so that the user must accept the risk.
func (f *freezeFlags) accept(signer, trustTier string) (thirdParty bool, err error) {
	who, err := standingOf(signer)
	if err != nil || who == standingOwn || who == standingTrusted {
		return false, err
	}
	if trustTier == string(tier.Instance) && who != standingRevoked {
		return true, nil
	}
	refused := &frozen.Error{Code: frozen.CodeSigner, Message: "nobody has signed it", Help: "--trust-tier instance accepts the risk, with profile compute and no grants, and without its keys and files"}
	switch who {
	case standingForeign:
		refused.Message = "it is signed by " + signer + ", whom you do not trust"
		refused.Help = "wb trust " + signer + " --grant CAP trusts all that they sign; " + refused.Help
	case standingRevoked:
		refused.Message, refused.Help = "it is signed by "+signer+", a key of yours that was revoked", "freeze it again"
	}
	return false, refused
}

// standing is what the signer of a frozen file is to the user.
type standing string

const (
	standingOwn      standing = "own"      // a key of the user's own
	standingTrusted  standing = "trusted"  // somebody the user trusts
	standingForeign  standing = "foreign"  // anybody
	standingUnsigned standing = "unsigned" // nobody
	standingRevoked  standing = "revoked"  // whoever has got hold of a key that was the user's
)

func standingOf(signer string) (standing, error) {
	if signer == "" {
		return standingUnsigned, nil
	}
	text, err := keys.Kept("", identity.DefaultTenant)
	if err != nil {
		return "", err
	}
	if text != nil {
		log, err := keys.ParseLog(text)
		if err != nil {
			return "", err
		}
		switch err := log.Allows(signer, keys.NoSequence); {
		case err == nil:
			return standingOwn, nil
		case fault.CodeOf(err) == fault.KeyRevoked:
			return standingRevoked, nil
		}
	}
	own, err := ownSigner()
	if err != nil {
		return "", err
	}
	if own != nil && own.DID() == signer {
		return standingOwn, nil
	}
	config, err := grants.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	others, err := trusted(grants.Open(config, nil))
	if err != nil {
		return "", err
	}
	if others.Trusts(signer) {
		return standingTrusted, nil
	}
	return standingForeign, nil
}

func (f *freezeFlags) runInstance(ctx context.Context, config instance.Config) (*workbook.Report, error) {
	nb, err := f.open(ctx, config)
	if err != nil {
		return nil, err
	}
	report, err := nb.Run(ctx)
	if err != nil || f.Freeze == "" {
		return report, err
	}
	return report, writeAside(f.Freeze, func(file *os.File) error { return nb.Freeze(ctx, file) })
}

func (f *freezeFlags) open(ctx context.Context, config instance.Config) (*instance.Instance, error) {
	if f.Resume == "" {
		return instance.Open(config)
	}
	file, err := os.Open(f.Resume)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	nb, err := instance.Resume(ctx, config, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Resume, err)
	}
	return nb, nil
}

// writeAside makes a file that is there whole or not at all, for its owner alone.
func writeAside(path string, write func(*os.File) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".wb-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails when the rename has succeeded
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
