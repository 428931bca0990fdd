// Package sign makes signed sites and bundles of files: it signs each page,
// lists every file in a manifest, and logs the release.
package sign

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"wb/internal/identity"
	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// Issuer is who signs: a key, and the log that says whose it is.
type Issuer struct {
	Signer identity.Signer
	Keys   *keys.Log
	Former []*keys.Log // of identities that the issuer had before, whose revocations are published too
}

// unbound checks that the key may sign what is not a release of a site.
func (by Issuer) unbound() error { return by.Keys.Allows(by.Signer.DID(), keys.NoSequence) }

// Site signs files as the next release of a site, or for the first time when
// there is no manifest among them. Pages keep the assertions they have. When
// nothing changed since the last release, that release comes back, so that
// signing twice gives the same bytes; it needs no more than its [History] for
// that.
func Site(files manifest.Files, by Issuer, host string, at time.Time) (manifest.Files, *manifest.Site, error) {
	return Next(files, nil, by, host, at)
}

// Next is [Site] for files of which some stay as the last release lists them, whose
// digests the caller compared: pages among them keep their signatures.
func Next(files manifest.Files, stay map[string]manifest.File, by Issuer, host string, at time.Time) (manifest.Files, *manifest.Site, error) {
	bare, assertions, err := strip(files, stay)
	if err != nil {
		return nil, nil, err
	}
	releases := &manifest.Releases{Origin: by.Keys.Identity()}
	before, err := readPast(files, by)
	if err != nil {
		return nil, nil, err
	}
	if before != nil {
		last := before.site
		releases = before.releases
		when, err := time.Parse(time.RFC3339, last.IssuedAt)
		if err != nil {
			return nil, nil, fault.New(fault.ManifestFields, "issued_at: %v", err)
		}
		signed, _, err := release(bare, stay, assertions, by, host, last.Sequence, when)
		if err != nil {
			return nil, nil, err
		}
		if bytes.Equal(signed[manifest.SitePath], files[manifest.SitePath]) {
			return Onto(before.files, signed), last, nil
		}
	}
	signed, s, err := release(bare, stay, assertions, by, host, releases.Len()+1, at)
	if err != nil {
		return nil, nil, err
	}
	if err := releases.Append(signed[manifest.SitePath]); err != nil {
		return nil, nil, err
	}
	log, err := releases.Render(by.Signer)
	if err != nil {
		return nil, nil, err
	}
	for path, data := range log {
		signed[manifest.LogPrefix+path] = data
	}
	return signed, s, nil
}

// strip takes signatures out of files, but of those that stay, and gives the pages' own
// assertions.
func strip(files manifest.Files, stay map[string]manifest.File) (manifest.Files, map[string][]manifest.Assertion, error) {
	bare, assertions := manifest.Files{}, map[string][]manifest.Assertion{}
	for path, data := range files {
		if ofHistory(path) || path == manifest.RevokedPath {
			continue
		}
		if _, stays := stay[path]; manifest.IsPage(path) && !stays {
			p, _, err := manifest.ReadPage(data)
			if err != nil && fault.CodeOf(err) != fault.ManifestMissing {
				return nil, nil, fault.In(path, err)
			}
			if err == nil {
				assertions[path] = slices.DeleteFunc(p.Assertions, func(a manifest.Assertion) bool { return a.Label == manifest.SiteLabel })
			}
			if data, err = manifest.Strip(data); err != nil {
				return nil, nil, fault.In(path, err)
			}
		}
		bare[path] = data
	}
	return bare, assertions, nil
}

// release signs one release, without its log.
func release(bare manifest.Files, stay map[string]manifest.File, assertions map[string][]manifest.Assertion, by Issuer, host string,
	sequence int, at time.Time) (manifest.Files, *manifest.Site, error) {
	identity := by.Keys.Identity()
	if err := by.Keys.Allows(by.Signer.DID(), sequence); err != nil {
		return nil, nil, err
	}
	out := manifest.Files{}
	for _, path := range slices.Sorted(maps.Keys(bare)) {
		data := bare[path]
		if _, stays := stay[path]; manifest.IsPage(path) && !stays {
			var err error
			said := append(slices.Clone(assertions[path]), manifest.SiteAssertion(identity, sequence))
			if data, err = manifest.SignPage(data, by.Signer, at, said...); err != nil {
				return nil, nil, fault.In(path, err)
			}
		}
		out[path] = data
	}
	out[manifest.KeysPath] = by.Keys.Text()
	revoked, err := keys.RevokedList(append([]*keys.Log{by.Keys}, by.Former...)...)
	if err != nil {
		return nil, nil, err
	}
	if revoked != nil {
		out[manifest.RevokedPath] = revoked
	}
	if host != "" {
		doc, err := json.MarshalIndent(keys.Document(keys.DIDWeb(host), by.Signer.DID(), by.Keys.Revocations()...), "", "  ")
		if err != nil {
			return nil, nil, err
		}
		out[manifest.DIDPath] = append(doc, '\n')
	}
	text, err := manifest.SignFiles(manifest.KindSite, identity, sequence, out.ListWith(stay), by.Signer, at)
	if err != nil {
		return nil, nil, err
	}
	s, err := manifest.ReadSite(text)
	if err != nil {
		return nil, nil, err
	}
	out[manifest.SitePath] = text
	return out, s, s.CheckList()
}

// Bundle signs files as a bundle and packs them.
func Bundle(files manifest.Files, by Issuer, at time.Time, assertions ...manifest.Assertion) ([]byte, error) {
	if err := by.unbound(); err != nil {
		return nil, err
	}
	all := maps.Clone(files)
	all[manifest.BundleKeysPath] = by.Keys.Text()
	delete(all, manifest.BundlePath)
	text, err := manifest.SignFiles(manifest.KindBundle, by.Keys.Identity(), 0, all.List(), by.Signer, at, assertions...)
	if err != nil {
		return nil, err
	}
	s, err := manifest.ReadSite(text)
	if err != nil {
		return nil, err
	}
	if err := s.CheckList(); err != nil {
		return nil, err
	}
	all[manifest.BundlePath] = text
	return bundle.Pack(all)
}
