package app

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/fetch"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/rebuild"
)

// knownLog is the longest key log with a key, among those given, the user's own and,
// if seen, those of sites that were verified; nil when none has it.
func knownLog(key string, given []*keys.Log, seen bool) ([]byte, error) {
	own, err := keys.KnownLogs("", identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	var others []*keys.Log
	if seen {
		memory, err := sitesSeen()
		if err != nil {
			return nil, err
		}
		if others, err = memory.Logs(); err != nil {
			return nil, err
		}
	}
	log := keys.LogOf(key, slices.Concat(given, own, others))
	if log == nil {
		return nil, nil
	}
	return log.Text(), nil
}

// known adds the known keys to the verifier's options: the log that the
// user names, and of the issuer's identity the longest log that is known here,
// that a list of revoked keys has, or that the server of what is verified
// publishes in one.
func (in *VerifyIn) known(ctx context.Context, h *Home, s *subject, opts *verify.Options) error {
	var more []*keys.Log
	if in.Keys != "" {
		text, err := os.ReadFile(in.Keys)
		if err != nil {
			return err
		}
		if more, err = keys.ReadLogs(text); err != nil {
			return fault.In(in.Keys, err)
		}
		if bytes.Equal(more[0].Text(), text) {
			opts.Keys = text
		}
	}
	if strings.Contains(in.Path, "://") {
		published, err := fetch.Revoked(ctx, in.Path, in.Online)
		if err != nil {
			h.notef("the server's list of revoked keys cannot be used: %v", err)
		}
		more = append(more, published...)
	}
	var err error
	opts.Heard, err = knownLog(s.issuer(), more, !in.Forget && h.Root == nil)
	return err
}

// issuer is who says to have signed, "" where that cannot be read.
func (s *subject) issuer() string {
	site := s.files[manifest.SitePath]
	if s.files == nil && isBundle(s.name, s.data) {
		if files, err := rebuild.Contents(s.data); err == nil {
			site = files[manifest.BundlePath]
		}
	}
	if m, err := manifest.ReadSite(site); site != nil && err == nil {
		return m.IssuerDID
	}
	if p, _, err := manifest.ReadPage(s.data); err == nil {
		return p.IssuerDID
	}
	if d, err := manifest.ReadDetached(s.signature); err == nil {
		return d.IssuerDID
	}
	return ""
}

// soundFile verifies a page or bundle that the user has, with what is known of
// keys here.
func soundFile(name string, data []byte, did string) error {
	log, err := knownLog((&subject{name: name, data: data}).issuer(), nil, true)
	if err != nil {
		return err
	}
	return fault.In(name, fileReport(name, data, nil, verify.Options{Want: did, Heard: log}).Err())
}
