package verify

import (
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// KindDetached is the kind of report about a file and the signature beside it.
const KindDetached = "detached"

// Detached verifies a file against the signature that lies beside it.
func Detached(data, signature []byte, opts Options) *Report {
	r := &Report{Kind: KindDetached}
	d, err := r.detached(signature, opts)
	if d != nil {
		r.AssetIntegrity = len(data) == d.Size && manifest.SHA256(data) == d.SHA256
	}
	if err == nil && !r.AssetIntegrity {
		err = fault.New(fault.AssetChanged, "the file is not the one that was signed")
	}
	return r.close(err)
}

// Program verifies that a workbook does what the issuer of the signature beside
// it says, by the digest of its program: prose and results may have changed.
func Program(digest string, signature []byte, opts Options) *Report {
	r := &Report{Kind: KindDetached}
	d, err := r.detached(signature, opts)
	if d != nil {
		r.AssetIntegrity = digest != "" && d.Program() == digest
	}
	if err == nil && !r.AssetIntegrity {
		err = fault.New(fault.ProgramChanged, "the workbook's code differs from what was signed")
	}
	return r.close(err)
}

// detached checks everything but what the signature is about. The manifest comes
// back once it could be read.
func (r *Report) detached(text []byte, opts Options) (*manifest.Detached, error) {
	d, err := manifest.ReadDetached(text)
	if err != nil {
		return nil, err
	}
	r.IssuerDID, r.IdentityDID, r.IssuedAt, r.Assertions = d.IssuerDID, d.IdentityDID, d.IssuedAt, d.Assertions
	if err := d.CheckSignature(); err != nil {
		return d, err
	}
	r.Signature = true
	log, err := keys.ParseLog([]byte(d.Keys))
	if err != nil {
		return d, err
	}
	if log.Identity() != d.IdentityDID {
		return d, fault.New(fault.KeyUnknown, "the key log belongs to another identity")
	}
	if opts.Keys != nil { // what is known may be newer, and revoke
		if log, err = newer(log, opts.Keys); err != nil {
			return d, err
		}
	}
	if opts.Heard != nil {
		if err := revoked(d.IssuerDID, keys.NoSequence, opts.Heard); err != nil {
			return d, err
		}
		if log, err = heard(log, opts.Heard); err != nil {
			return d, err
		}
	}
	if err := log.Allows(d.IssuerDID, keys.NoSequence); err != nil {
		return d, err
	}
	return d, r.wanted(opts.Want)
}
