package app

import (
	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
)

// standing is the relation of a frozen file's signer to the user.
type standing string

const (
	standingOwn      standing = "own"      // a key of the user's own
	standingTrusted  standing = "trusted"  // somebody the user trusts
	standingForeign  standing = "foreign"  // anybody
	standingUnsigned standing = "unsigned" // nobody
	standingRevoked  standing = "revoked"  // whoever has got hold of a key that was the user's
)

// signedBy says who signed a frozen file, and what they are to the user.
func (who standing) signedBy(signer string) string {
	said, ok := map[standing]string{
		standingOwn:     ", a key of yours",
		standingTrusted: ", whom you trust",
		standingRevoked: ", a key of yours that was revoked",
		standingForeign: ", whom you do not trust"}[who]
	if !ok {
		return "not signed"
	}
	return "signed by " + signer + said
}

// ownSigner is the user's key, nil when there is none.
func ownSigner() (identity.Signer, error) {
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
	store, err := UserGrants()
	if err != nil {
		return "", err
	}
	others, err := trusted(store)
	if err != nil {
		return "", err
	}
	if others.Trusts(signer) {
		return standingTrusted, nil
	}
	return standingForeign, nil
}
