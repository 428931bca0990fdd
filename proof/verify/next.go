package verify

import (
	"fmt"

	"wb/proof/fault"
	"wb/proof/manifest"
)

// Next verifies a site as what comes after the newest release that its readers
// may have seen, nil for none: of the same identity, with the key log and the
// log of releases continued, and, unless an older one is wanted, with no lower
// number.
func Next(files, newest manifest.Files, older bool) *Report {
	r := &Report{Kind: manifest.KindSite}
	if newest == nil {
		return Site(files, Options{})
	}
	last := Site(newest, Options{})
	if last.IdentityDID == "" {
		return r.close(fmt.Errorf("the newest saved release cannot be read: %w", last.Err()))
	}
	if s, err := manifest.ReadSite(files[manifest.SitePath]); err == nil && s.IdentityDID != last.IdentityDID {
		r.IssuerDID, r.IdentityDID = s.IssuerDID, s.IdentityDID
		return r.close(fault.New(fault.IssuerUnexpected, "the site belongs to %s, but the published one to %s", s.IdentityDID, last.IdentityDID))
	}
	opts := Options{Want: last.IdentityDID}
	if !older {
		opts.Known = last.Remember // nil when somebody changed files of the newest
	}
	return Site(files, opts)
}
