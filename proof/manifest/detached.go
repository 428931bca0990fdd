package manifest

import (
	"bytes"
	"time"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
)

// DetachedVersion is the version of detached signatures.
const DetachedVersion = "workbooks-detached/1"

// DetachedSuffix is the suffix that a signature file adds to the name of the file
// that it is about.
const DetachedSuffix = ".sig"

// Detached is the signature of a file that has no room for one, in a file of its
// own: report.org.sig beside report.org. The name is not signed; a file that is
// renamed together with its signature is the same file.
type Detached struct {
	Version        string      `json:"version"`
	IdentityDID    string      `json:"identity_did"` // the first key of the log
	IssuerDID      string      `json:"issuer_did"`   // the key that signed
	ClaimGenerator string      `json:"claim_generator"`
	IssuedAt       string      `json:"issued_at"`
	Size           int         `json:"size"`   // bytes
	SHA256         string      `json:"sha256"` // hex
	Assertions     []Assertion `json:"assertions"`
	Keys           string      `json:"keys"` // the issuer's key log
	Signature      string      `json:"signature"`
}

// ProgramLabel is the label of the assertion that names what a workbook does, as
// its sha256: it stays when prose and results change.
const ProgramLabel = "workbooks.program"

// ProgramAssertion names what a workbook does.
func ProgramAssertion(digest string) Assertion {
	return Assertion{Label: ProgramLabel, Data: map[string]any{"sha256": digest}}
}

// SignDetached signs a file apart from it. The text ends with a line, which is no
// part of the canonical form.
func SignDetached(data []byte, signer identity.Signer, log *keys.Log, at time.Time, assertions ...Assertion) ([]byte, error) {
	if assertions == nil {
		assertions = []Assertion{}
	}
	d := Detached{Version: DetachedVersion, IdentityDID: log.Identity(), IssuerDID: signer.DID(), ClaimGenerator: Generator, IssuedAt: Stamp(at),
		Size: len(data), SHA256: SHA256(data), Assertions: assertions, Keys: string(log.Text())}
	message, err := signedForm(d)
	if err != nil {
		return nil, err
	}
	d.Signature = keys.Encode(signer.Sign(message))
	text, err := jcs.Marshal(d)
	return append(text, '\n'), err
}

// ReadDetached reads a detached signature.
func ReadDetached(text []byte) (*Detached, error) {
	if len(text) == 0 {
		return nil, fault.New(fault.ManifestMissing, "the signature is empty")
	}
	bare, ok := bytes.CutSuffix(text, []byte("\n"))
	v, err := jcs.Check(bare)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.JSONNoncanonical, "the signature does not end with a line")
	}
	if err := checkVersion(v, DetachedVersion); err != nil {
		return nil, err
	}
	var d Detached
	if err := jcs.Assign(v, &d, fault.ManifestFields); err != nil {
		return nil, err
	}
	return &d, nil
}

// CheckSignature checks who signed, and nothing else.
func (d *Detached) CheckSignature() error {
	message, err := signedForm(d)
	if err != nil {
		return err
	}
	return keys.Verify(d.IssuerDID, message, d.Signature)
}

// Program is the digest of what the workbook does, as the issuer signed it; "" for no workbook.
func (d *Detached) Program() string {
	for _, a := range d.Assertions {
		if a.Label == ProgramLabel {
			digest, _ := a.Data["sha256"].(string)
			return digest
		}
	}
	return ""
}
