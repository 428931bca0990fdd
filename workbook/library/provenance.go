package library

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"

	"wb/internal/identity"
)

// statement is the signed text.
func (p Provenance) statement(m *Member) []byte {
	return fmt.Appendf(nil, "wb-library-1\n%s\n%s\n%s\n%s\n", m.ID(), m.Path, p.SHA256, p.Time)
}

// sign makes the provenance of a member.
func sign(key identity.Key, m *Member, digest, time string) Provenance {
	p := Provenance{SHA256: digest, Signer: key.DID(), Time: time}
	p.Signature = base64.StdEncoding.EncodeToString(key.Sign(p.statement(m)))
	return p
}

// Status is how a member's content and its drawer agree.
type Status string

// The states of a member.
const (
	StatusSigned   Status = "signed"   // it is as signed, by an allowed signer
	StatusChanged  Status = "changed"  // it was changed since
	StatusUnsigned Status = "unsigned" // it has no signature
	StatusForged   Status = "forged"   // the signature is not the signer's
	StatusStranger Status = "stranger" // somebody else than its owner has signed
	StatusMissing  Status = "missing"  // it is not there
)

// Status compares a member with its drawer. files are nil when it is missing.
func (l *Library) Status(m *Member) (Status, Files, error) {
	files, err := m.Files()
	if errors.Is(err, fs.ErrNotExist) {
		return StatusMissing, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	p := m.Provenance
	if p.Signature == "" && p.SHA256 == "" {
		return StatusUnsigned, files, nil
	}
	signature, err := base64.StdEncoding.DecodeString(p.Signature)
	if err != nil || identity.Verify(p.Signer, p.statement(m), signature) != nil {
		return StatusForged, files, nil
	}
	if p.Signer != l.config.Key.DID() && p.Signer != m.DID {
		return StatusStranger, files, nil
	}
	if files.Digest() != p.SHA256 {
		return StatusChanged, files, nil
	}
	return StatusSigned, files, nil
}
