// Package signer grants what a user trusts to what bears a trusted signature:
// workbooks with a signature beside them, pages and bundles, toolkits.
//
// A signature counts when it is valid, when the key that made it is the one
// trusted or belongs to the identity that is, by the key log that comes along,
// and when no log that is known here says that the key was revoked: neither the
// one that came along, nor the one the user trusted it with, nor those of sites
// that were verified.
package signer

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"wb/publish/keys"
	"wb/publish/manifest"
	"wb/publish/verify"
	"wb/sandbox/grants"
)

// Trust is what a user trusts, and what is known of keys.
type Trust struct {
	Signers []grants.Signer
	// Seen gives the key log of an identity that a verification saw, "" for none.
	Seen func(identity string) string
}

// Open is what the user's stores hold.
func Open(s *grants.Store, m *verify.Memory) (*Trust, error) {
	signers, err := s.Signers()
	if err != nil {
		return nil, err
	}
	return &Trust{Signers: signers, Seen: func(identity string) string {
		known, err := m.Recall(identity)
		if err != nil || known == nil {
			return ""
		}
		return known.Keys
	}}, nil
}

// Granted is who is trusted and what for.
type Granted struct {
	DID    string
	Grants []string
}

// Workbook gives what a workbook is granted for the signature beside its file,
// if there is one for its program, of what it asks for.
func (t *Trust) Workbook(file, program string, asks []string) (Granted, bool) {
	if len(t.Signers) == 0 || len(asks) == 0 {
		return Granted{}, false
	}
	signature, err := os.ReadFile(file + manifest.DetachedSuffix)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return Granted{}, false
	}
	r := verify.Program(program, signature, verify.Options{})
	d, err := manifest.ReadDetached(signature)
	if !r.Valid || err != nil {
		return Granted{}, false
	}
	return t.By(r.IssuerDID, []byte(d.Keys), asks)
}

// By gives what is granted to something that a key validly signed, of what it
// asks for. log is the key log that came along, nil when none did; the caller has
// not checked it.
func (t *Trust) By(issuer string, log []byte, asks []string) (Granted, bool) {
	for _, s := range t.Signers {
		if !t.signs(s, issuer, log) {
			continue
		}
		if both := grants.Ceiling(s.Grants, asks); len(both) > 0 {
			return Granted{s.DID, both}, true
		}
	}
	return Granted{}, false
}

// signs reports whether a key is that of a trusted signer, and was not revoked.
func (t *Trust) signs(s grants.Signer, issuer string, log []byte) bool {
	known := []string{s.Keys}
	if t.Seen != nil {
		known = append(known, t.Seen(s.DID))
	}
	whole := log // the longest of logs that continue each other
	for _, text := range known {
		switch {
		case text == "" || bytes.HasPrefix(whole, []byte(text)):
		case bytes.HasPrefix([]byte(text), whole):
			whole = []byte(text)
		default:
			return false // a log that goes another way than what is known proves nothing
		}
	}
	if len(whole) == 0 {
		return s.DID == issuer
	}
	held, err := keys.ParseLog(whole)
	if err != nil || held.Allows(issuer, keys.NoSequence) != nil {
		return false
	}
	return s.DID == issuer || s.DID == held.Identity()
}
