package grants

import (
	"slices"
	"time"
)

// TrustedSigner is somebody whose signature a user trusts: whatever validly bears it is
// granted, of what it asks for, what is named here.
type TrustedSigner struct {
	DID    string    `json:"did"`            // a did:key: the key, or the first key of an identity
	Name   string    `json:"name,omitempty"` // as what the user named it: a did:web, a file
	Grants []string  `json:"grants"`         // sorted
	Keys   string    `json:"keys,omitempty"` // the key log that was known, which may grow
	At     time.Time `json:"at"`
}

// TrustSigner remembers grants for a signer; what was remembered of it is
// replaced.
func (s *File) TrustSigner(t TrustedSigner) (TrustedSigner, error) {
	t.Grants, t.At = slices.Compact(slices.Sorted(slices.Values(t.Grants))), s.now().UTC()
	return t, s.change(func(c *content) {
		c.Signers = slices.DeleteFunc(c.Signers, func(o TrustedSigner) bool { return o.DID == t.DID })
		c.Signers = append(c.Signers, t)
	})
}

// Signers are those that are trusted, in the order of their trust.
func (s *File) Signers() ([]TrustedSigner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load()
	return slices.Clone(c.Signers), err
}

// Forget ends the trust in a document, by its path or digest, or in a signer, by
// its did or name. Runs under way keep what they have; [File.Revoke] takes it
// back from them too.
func (s *File) Forget(what string) (documents []Trust, signers []TrustedSigner, err error) {
	return documents, signers, s.change(func(c *content) {
		c.Trusted = slices.DeleteFunc(c.Trusted, func(t Trust) bool {
			if t.File != what && t.Digest != what {
				return false
			}
			documents = append(documents, t)
			return true
		})
		c.Signers = slices.DeleteFunc(c.Signers, func(t TrustedSigner) bool {
			if t.DID != what && t.Name != what {
				return false
			}
			signers = append(signers, t)
			return true
		})
	})
}

// without is a signer's grants without a capability; "" is every one.
func (t TrustedSigner) without(capability string) []string {
	return slices.DeleteFunc(slices.Clone(t.Grants), func(g string) bool { return capability == "" || Capability(g) == capability || g == capability })
}
