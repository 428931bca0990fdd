// Package verify decides whether a page, a site or a bundle is what its issuer
// signed. It reads bytes and nothing else: no network, no clock, no state but
// what the caller remembers and passes in.
//
// A verdict has one code, of the first check that fails; the order of the
// checks is part of the format. The package js has the same verifier for
// browsers, and one table of tampered sites tests both.
//
// What a verdict means: the holder of the named key signed these bytes. Who
// holds the key is not in the bytes; callers compare IssuerDID, or IdentityDID,
// with one they know from elsewhere ([Options].Want).
package verify

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
)

// Options hold what a verifier knows beforehand.
type Options struct {
	// Want is the did:key that must have signed: the key itself, or the first
	// key of its identity. "" accepts anybody.
	Want string
	// Keys is a key log known to be the issuer's, nil for none. A page without
	// a site is checked against it; a site's own log must continue it.
	Keys []byte
	// Known is the record of the site's earlier verification, nil for none.
	Known *Known
	// Heard is a key log that was seen elsewhere, nil for none: with another copy of
	// the site, in a list of revoked keys, or one's own. Whichever of the two logs
	// is longer counts. A log of another identity says nothing.
	Heard []byte
	// Partial says that only listed files could be looked at, as over HTTP.
	Partial bool
}

// Known is the part of a site to remember, so that an older or another one is
// noticed.
type Known struct {
	Sequence       int    `json:"sequence"`
	ManifestSHA256 string `json:"manifest_sha256"`
	Keys           string `json:"keys"`     // the key log
	LogRoot        string `json:"log_root"` // of the release log when it had Sequence entries
	First          string `json:"first"`    // the same when it had one: what tells an identity's sites apart
}

// Report is a verdict.
type Report struct {
	Valid          bool                 `json:"valid"`
	Kind           string               `json:"kind"`            // page, site or bundle
	Signature      bool                 `json:"signature"`       // the issuer signed the manifest
	AssetIntegrity bool                 `json:"asset_integrity"` // the bytes are those of the manifest
	IssuerDID      string               `json:"issuer_did,omitempty"`
	IdentityDID    string               `json:"identity_did,omitempty"`
	IssuedAt       string               `json:"issued_at,omitempty"`
	Sequence       int                  `json:"sequence,omitempty"`
	Files          int                  `json:"files,omitempty"`
	Assertions     []manifest.Assertion `json:"assertions"`
	Code           fault.Code           `json:"code,omitempty"`
	Path           string               `json:"path,omitempty"`
	Message        string               `json:"message,omitempty"`

	// Remember returns the part of a valid site to remember.
	Remember *Known `json:"-"`
}

// close ends a report with the outcome of its checks.
func (r *Report) close(err error) *Report {
	if r.Assertions == nil {
		r.Assertions = []manifest.Assertion{}
	}
	r.Valid = err == nil
	var e *fault.Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		r.Code, r.Path, r.Message = e.Code, e.Path, e.Text
	default:
		r.Code, r.Message = fault.JSONInvalid, err.Error()
	}
	return r
}

// Err is the failure, nil for a valid report.
func (r *Report) Err() error {
	if r.Valid {
		return nil
	}
	return &fault.Error{Code: r.Code, Path: r.Path, Text: r.Message}
}

// Page verifies one page on its own.
func Page(html []byte, opts Options) *Report {
	r := &Report{Kind: "page"}
	return r.close(r.page(html, opts))
}

func (r *Report) page(html []byte, opts Options) error {
	p, covered, err := manifest.ReadPage(html)
	if err != nil {
		return err
	}
	r.IssuerDID, r.IssuedAt, r.Assertions = p.IssuerDID, p.IssuedAt, p.Assertions
	r.AssetIntegrity = manifest.SHA256(covered) == p.AssetSHA256
	if err := p.CheckSignature(); err != nil {
		return err
	}
	r.Signature = true
	if !r.AssetIntegrity {
		return fault.New(fault.AssetChanged, "the page is not the one that was signed")
	}
	if opts.Keys != nil {
		log, err := keys.ParseLog(opts.Keys)
		if err != nil {
			return err
		}
		r.IdentityDID = log.Identity()
		if err := log.Allows(p.IssuerDID, keys.NoSequence); err != nil {
			return err
		}
	}
	if err := revoked(p.IssuerDID, keys.NoSequence, opts.Heard); err != nil {
		return err
	}
	if err := r.wanted(opts.Want); err != nil {
		return err
	}
	return r.embedded(covered, p)
}

// revoked refuses what a key signed that a log says is not to be believed. What
// else the log says is for other checks.
func revoked(key string, sequence int, log []byte) error {
	if log == nil {
		return nil
	}
	known, err := keys.ParseLog(log)
	if err != nil {
		return err
	}
	if err := known.Allows(key, sequence); fault.CodeOf(err) == fault.KeyRevoked {
		return err
	}
	return nil
}

// wanted compares who signed with who should have.
func (r *Report) wanted(did string) error {
	if did != "" && did != r.IssuerDID && did != r.IdentityDID {
		return fault.New(fault.IssuerUnexpected, "signed by %s, not by %s", r.IssuerDID, did)
	}
	return nil
}

// embedded verifies the bundle in a page, if it has one: by the same issuer,
// with the source that the page says it was made from.
func (r *Report) embedded(html []byte, p *manifest.Page) error {
	zip, err := bundle.Extract(html)
	if fault.CodeOf(err) == fault.BundleMissing {
		return nil
	}
	if err != nil {
		return err
	}
	inner := Bundle(zip, Options{Want: p.IssuerDID})
	if !inner.Valid {
		return fault.In("wb-bundle", inner.Err())
	}
	files, err := bundle.Unpack(zip)
	if err != nil {
		return err
	}
	return sources(p.Assertions, files)
}

// SourceLabel is the label of the assertion that names the workbook a page was
// made from: path and sha256.
const SourceLabel = "workbooks.source"

// sources compares assertions about sources with the files they name.
func sources(assertions []manifest.Assertion, files manifest.Files) error {
	for _, a := range assertions {
		if a.Label != SourceLabel {
			continue
		}
		path, _ := a.Data["path"].(string)
		data, ok := files[path]
		if !ok || manifest.SHA256(data) != a.Data["sha256"] {
			return &fault.Error{Code: fault.StatementSubject, Path: path, Text: "is not the source the page was made from"}
		}
	}
	return nil
}

// Bundle verifies a .wbundle.
func Bundle(zip []byte, opts Options) *Report {
	r := &Report{Kind: manifest.KindBundle}
	files, err := bundle.Unpack(zip)
	if err != nil {
		return r.close(err)
	}
	return r.close(r.bundle(files, opts))
}

func (r *Report) bundle(files manifest.Files, opts Options) error {
	text, ok := files[manifest.BundlePath]
	if !ok {
		return fault.New(fault.BundleManifestMissing, "no %s", manifest.BundlePath)
	}
	s, err := r.manifest(text, manifest.KindBundle)
	if err != nil {
		return err
	}
	if err := r.contents(s, files, false); err != nil {
		return err
	}
	if err := r.keylog(s, files, manifest.BundleKeysPath, opts); err != nil {
		return err
	}
	if err := sources(s.Assertions, files); err != nil {
		return err
	}
	return r.pages(s, files)
}

// manifest reads the manifest of files and checks all that it says by itself.
func (r *Report) manifest(text []byte, kind string) (*manifest.Site, error) {
	s, err := manifest.ReadSite(text)
	if err != nil {
		return nil, err
	}
	r.IssuerDID, r.IdentityDID, r.IssuedAt = s.IssuerDID, s.IdentityDID, s.IssuedAt
	r.Sequence, r.Files, r.Assertions = s.Sequence, len(s.Files), s.Assertions
	if err := s.CheckSignature(); err != nil {
		return nil, err
	}
	r.Signature = true
	if s.Kind != kind {
		return nil, fault.New(fault.BundleKind, "the manifest is that of a %s", s.Kind)
	}
	return s, s.CheckList()
}

// contents compares files with their list.
func (r *Report) contents(s *manifest.Site, files manifest.Files, partial bool) error {
	listed := map[string]bool{}
	for _, f := range s.Files {
		listed[f.Path] = true
	}
	extra := map[string]string{} // by digest: a file that is not listed
	var unlisted []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		own := path == manifest.SitePath || strings.HasPrefix(path, manifest.LogPrefix)
		if s.Kind == manifest.KindBundle {
			own = path == manifest.BundlePath
		}
		if !listed[path] && !own {
			unlisted = append(unlisted, path)
			extra[manifest.SHA256(files[path])] = path
		}
	}
	for _, f := range s.Files {
		if err := same(s, f, files, extra); err != nil {
			return err
		}
	}
	if len(unlisted) > 0 && !partial {
		return &fault.Error{Code: fault.FileUnlisted, Path: unlisted[0], Text: "is not in the manifest"}
	}
	r.AssetIntegrity = true
	return nil
}

// same compares one file with its entry.
func same(s *manifest.Site, f manifest.File, files manifest.Files, extra map[string]string) error {
	data, ok := files[f.Path]
	switch {
	case !ok && extra[f.SHA256] != "":
		return &fault.Error{Code: fault.FileRenamed, Path: f.Path, Text: "is there as " + extra[f.SHA256]}
	case !ok:
		return &fault.Error{Code: fault.FileMissing, Path: f.Path, Text: "is in the manifest but does not exist"}
	case manifest.SHA256(data) == f.SHA256 && len(data) == f.Size:
		return nil
	}
	if manifest.IsPage(f.Path) && otherRelease(s, data) {
		return &fault.Error{Code: fault.SnapshotMixed, Path: f.Path, Text: "is of another release of the site"}
	}
	if len(data) != f.Size {
		return &fault.Error{Code: fault.FileSize, Path: f.Path, Text: "has another length than in the manifest"}
	}
	return &fault.Error{Code: fault.FileChanged, Path: f.Path, Text: "has other bytes than in the manifest"}
}

// otherRelease reports whether a page is authentic and of another release.
func otherRelease(s *manifest.Site, html []byte) bool {
	p, covered, err := manifest.ReadPage(html)
	if err != nil || p.CheckSignature() != nil || manifest.SHA256(covered) != p.AssetSHA256 {
		return false
	}
	identity, sequence, ok := p.Release()
	return ok && identity == s.IdentityDID && sequence != s.Sequence
}

// keylog checks that the issuer's key was current, by the log among the files.
func (r *Report) keylog(s *manifest.Site, files manifest.Files, path string, opts Options) error {
	text, ok := files[path]
	if !ok {
		return &fault.Error{Code: fault.KeylogMalformed, Path: path, Text: "is missing"}
	}
	log, err := keys.ParseLog(text)
	if err != nil {
		return fault.In(path, err)
	}
	if log.Identity() != s.IdentityDID {
		return &fault.Error{Code: fault.KeyUnknown, Path: path, Text: "belongs to another identity"}
	}
	sequence := s.Sequence
	if s.Kind == manifest.KindBundle {
		sequence = keys.NoSequence
	}
	for _, old := range []string{string(opts.Keys), opts.Known.keys(), string(opts.Heard)} {
		if old == "" {
			continue
		}
		if err := revoked(s.IssuerDID, sequence, []byte(old)); err != nil { // it says more than that the log is short
			return fault.In(path, err)
		}
	}
	for _, old := range []string{string(opts.Keys), opts.Known.keys()} {
		if old == "" {
			continue
		}
		if s.Kind == manifest.KindSite {
			if err := log.Continues([]byte(old)); err != nil {
				return fault.In(path, err)
			}
			continue
		}
		if log, err = newer(log, []byte(old)); err != nil { // a bundle may be old
			return err
		}
	}
	if opts.Heard != nil {
		if log, err = heard(log, opts.Heard); err != nil {
			return fault.In(path, err)
		}
	}
	if err := log.Allows(s.IssuerDID, sequence); err != nil {
		return fault.In(path, err)
	}
	return r.wanted(opts.Want)
}

// heard is newer, where a log of another identity says nothing.
func heard(log *keys.Log, other []byte) (*keys.Log, error) {
	known, err := keys.ParseLog(other)
	if err != nil || known.Identity() != log.Identity() {
		return log, err
	}
	return newer(log, other)
}

// newer is the longer of two logs of which one continues the other.
func newer(log *keys.Log, known []byte) (*keys.Log, error) {
	other, err := keys.ParseLog(known)
	if err != nil {
		return nil, err
	}
	if log.Continues(known) == nil {
		return log, nil
	}
	return other, other.Continues(log.Text())
}

func (k *Known) keys() string {
	if k == nil {
		return ""
	}
	return k.Keys
}

// pages verifies each page by itself: signed by the same key, for this release or, when
// it has not changed since, for one before.
func (r *Report) pages(s *manifest.Site, files manifest.Files) error {
	for _, f := range s.Files {
		if !manifest.IsPage(f.Path) {
			continue
		}
		one := &Report{}
		err := one.page(files[f.Path], Options{})
		if fault.CodeOf(err) == fault.ManifestMissing {
			return &fault.Error{Code: fault.PageUnsigned, Path: f.Path, Text: "has no manifest of its own"}
		}
		if err != nil {
			return fault.In(f.Path, err)
		}
		if one.IssuerDID != s.IssuerDID {
			return &fault.Error{Code: fault.PageIssuer, Path: f.Path, Text: "is signed by " + one.IssuerDID}
		}
		if s.Kind == manifest.KindBundle {
			continue
		}
		p := manifest.Page{Assertions: one.Assertions}
		if identity, sequence, ok := p.Release(); !ok || identity != s.IdentityDID || sequence < 1 || sequence > s.Sequence {
			return &fault.Error{Code: fault.SnapshotMixed, Path: f.Path, Text: "belongs to no release of the site up to this one"}
		}
	}
	return nil
}

// Site verifies all files of a site.
func Site(files manifest.Files, opts Options) *Report {
	r := &Report{Kind: manifest.KindSite}
	return r.close(r.site(files, opts))
}

func (r *Report) site(files manifest.Files, opts Options) error {
	text, ok := files[manifest.SitePath]
	if !ok {
		return fault.New(fault.SiteManifestMissing, "no %s", manifest.SitePath)
	}
	s, err := r.manifest(text, manifest.KindSite)
	if err != nil {
		return fault.In(manifest.SitePath, err)
	}
	if err := r.contents(s, files, opts.Partial); err != nil {
		return err
	}
	if err := r.keylog(s, files, manifest.KeysPath, opts); err != nil {
		return err
	}
	if err := r.pages(s, files); err != nil {
		return err
	}
	releases, err := released(s, text, files)
	if err != nil {
		return err
	}
	if err := opts.Known.allows(s, text, releases); err != nil {
		return err
	}
	r.Remember = &Known{Sequence: s.Sequence, ManifestSHA256: manifest.SHA256(text), Keys: string(files[manifest.KeysPath]),
		LogRoot: releases.RootAt(releases.Len()), First: releases.RootAt(1)}
	return nil
}

// released checks that the log of releases ends with this one.
func released(s *manifest.Site, text []byte, files manifest.Files) (*manifest.Releases, error) {
	releases, err := releasesOf(s, files)
	if err != nil {
		return nil, err
	}
	last, err := releases.Last()
	if err != nil {
		return nil, err
	}
	if last.Sequence != s.Sequence || last.ManifestSHA256 != manifest.SHA256(text) {
		return nil, fault.New(fault.LogEntry, "the log ends with another release (%d)", last.Sequence)
	}
	return releases, nil
}

// releasesOf reads a site's log of releases.
func releasesOf(s *manifest.Site, files manifest.Files) (*manifest.Releases, error) {
	log := manifest.Files{}
	for path, data := range files {
		if name, ok := strings.CutPrefix(path, manifest.LogPrefix); ok {
			log[name] = data
		}
	}
	return manifest.ReadReleases(log, s.IdentityDID, s.IssuerDID)
}

// allows compares a site with what was seen of it before.
func (k *Known) allows(s *manifest.Site, text []byte, releases *manifest.Releases) error {
	switch {
	case k == nil:
		return nil
	case s.Sequence < k.Sequence:
		return fault.New(fault.SequenceRollback, "release %d; release %d was seen before", s.Sequence, k.Sequence)
	case s.Sequence == k.Sequence && manifest.SHA256(text) != k.ManifestSHA256:
		return fault.New(fault.SequenceFork, "release %d differs from the one seen before", s.Sequence)
	case releases.RootAt(k.Sequence) != k.LogRoot:
		return fault.New(fault.LogFork, "the log does not continue the one seen before")
	}
	return nil
}

// Fail turns a report invalid for what its caller found out.
func (r *Report) Fail(err *fault.Error) { r.close(err) }

// Failed is the report of what could not even be read; errors that are no
// failures of verification come back.
func Failed(kind string, err error) (*Report, error) {
	if fault.CodeOf(err) == "" {
		return nil, err
	}
	return (&Report{Kind: kind}).close(err), nil
}

// Downgrade turns a report invalid for a failure found afterwards; errors that
// are no failures of verification come back.
func Downgrade(r *Report, err error) error {
	if fault.CodeOf(err) == "" {
		return err
	}
	r.close(err)
	return nil
}
