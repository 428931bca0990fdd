// Package trust grants capabilities to files with a trusted signature:
// workbooks with a signature beside them, pages and bundles, toolkits.
//
// A signature counts when it is valid, when the key that made it is the one
// trusted or belongs to the identity that is, by the key log that comes along,
// and when no log that is known here says that the key was revoked: neither the
// one that came along, nor the one the user trusted it with, nor those of sites
// that were verified.
package trust

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/sandbox/grants"
)

// Trust holds the signers a user trusts, and the known key logs.
type Trust struct {
	Signers []grants.TrustedSigner
	// Seen gives the key log of an identity that a verification saw, "" for none.
	Seen func(identity string) string
	// Given are more key logs: the user's own, and those named for this check.
	Given []string
}

// Open reads the user's stores.
func Open(s *grants.File, m *verify.Memory) (*Trust, error) {
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

// File gives what a workbook is granted for a signature, of what it asks for:
// the one beside it, for its program, or that of the page or bundle that it came
// in. did is the signer the grants are for, "" for none.
func (t *Trust) File(file, program string, asks []string) (did string, granted []string, err error) {
	if len(t.Signers) == 0 || len(asks) == 0 {
		return "", nil, nil
	}
	published := manifest.IsPage(file) || filepath.Ext(file) == ".wbundle"
	if !published {
		file += manifest.DetachedSuffix
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	issuer, log := "", []byte(nil)
	if published {
		issuer, log = ofPublished(data)
	} else {
		issuer, log = ofDetached(data, program)
	}
	if issuer == "" {
		return "", nil, nil
	}
	did, granted = t.By(issuer, log, asks)
	return did, granted, nil
}

// ofDetached is the did of a program's valid signer, "" without one.
func ofDetached(signature []byte, program string) (issuer string, log []byte) {
	if !verify.Program(program, signature, verify.Options{}).Valid {
		return "", nil
	}
	d, err := manifest.ReadDetached(signature)
	if err != nil {
		return "", nil
	}
	return d.IssuerDID, []byte(d.Keys)
}

// ofPublished is the did of a page's or bundle's valid signer, "" without one.
func ofPublished(data []byte) (issuer string, log []byte) {
	check, zip := verify.Bundle, data
	if !bytes.HasPrefix(data, []byte("PK")) {
		check = verify.Page
		var err error
		if zip, err = bundle.Extract(data); err != nil {
			return "", nil // there is no workbook in it
		}
	}
	r := check(data, verify.Options{})
	files, err := bundle.Unpack(zip)
	if !r.Valid || err != nil {
		return "", nil
	}
	return r.IssuerDID, files[manifest.BundleKeysPath]
}

// By gives what is granted to something that a key validly signed, of what it
// asks for. log is the key log that came along, nil when none did; the caller has
// not checked it.
func (t *Trust) By(issuer string, log []byte, asks []string) (did string, granted []string) {
	for _, s := range t.Signers {
		if !t.signs(s, issuer, log) {
			continue
		}
		if both := grants.Ceiling(s.Grants, asks); len(both) > 0 {
			return s.DID, both
		}
	}
	return "", nil
}

// Trusts reports whether a key is that of somebody the user trusts with anything
// at all, and was not revoked as far as is known here.
func (t *Trust) Trusts(issuer string) bool {
	return slices.ContainsFunc(t.Signers, func(s grants.TrustedSigner) bool { return t.signs(s, issuer, nil) })
}

// signs reports whether a key is that of a trusted signer, and was not revoked.
func (t *Trust) signs(s grants.TrustedSigner, issuer string, log []byte) bool {
	known := append([]string{s.Keys}, t.given(s.DID)...)
	if t.Seen != nil {
		known = append(known, t.Seen(s.DID))
	}
	whole, err := longest(log, known)
	if err != nil {
		return false // a log that goes another way than what is known proves nothing
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

// given are the logs of an identity among those given.
func (t *Trust) given(identity string) (out []string) {
	for _, text := range t.Given {
		if log, err := keys.ParseLog([]byte(text)); err == nil && log.Identity() == identity {
			out = append(out, text)
		}
	}
	return out
}

// longest is the longest of logs, which must continue each other; "" is none.
func longest(log []byte, known []string) ([]byte, error) {
	for _, text := range known {
		switch {
		case text == "" || bytes.HasPrefix(log, []byte(text)):
		case bytes.HasPrefix([]byte(text), log):
			log = []byte(text)
		default:
			return nil, fault.New(fault.KeylogRollback, "the key log contradicts one that is known here")
		}
	}
	return log, nil
}

// Check reports why something that a key validly signed is not to be believed:
// the key was revoked, or is missing from the log that came along, as far as that log
// and those known here say. log is nil when none came along. The log that counts
// comes back, nil when none is known; a Trust without signers is enough to ask.
func (t *Trust) Check(issuer string, log []byte) (*keys.Log, error) {
	var all []string
	for _, s := range t.Signers {
		all = append(all, s.Keys)
	}
	all = append(all, t.Given...)
	if t.Seen != nil {
		all = append(all, t.Seen(issuer)) // as an identity's first key
	}
	identity := ""
	if len(log) > 0 {
		came, err := keys.ParseLog(log)
		if err != nil {
			return nil, err
		}
		if identity = came.Identity(); t.Seen != nil {
			all = append(all, t.Seen(identity))
		}
	}
	var about []string // the same identity, or, when no log came, whoever has the key
	for _, text := range all {
		known, err := keys.ParseLog([]byte(text))
		if err != nil {
			continue
		}
		if identity == "" && fault.CodeOf(known.Allows(issuer, keys.NoSequence)) != fault.KeyUnknown {
			identity = known.Identity()
			if t.Seen != nil {
				about = append(about, t.Seen(identity))
			}
		}
		if known.Identity() == identity {
			about = append(about, text)
		}
	}
	whole, err := longest(log, about)
	if err != nil || len(whole) == 0 {
		return nil, err
	}
	held, err := keys.ParseLog(whole)
	if err != nil {
		return nil, err
	}
	return held, held.Allows(issuer, keys.NoSequence)
}
