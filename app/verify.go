package app

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/fetch"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/rebuild"
)

// VerifyIn holds the arguments of wb verify.
type VerifyIn struct {
	Path    string `arg:"" help:"A page, a .wbundle, a file with a .sig beside it, the directory of a site, or its URL."`
	DID     string `name:"did" json:"did" help:"Fail unless this key, the identity that began with it, or a key of this did:web, signed." placeholder:"DID"`
	Online  bool   `on:"terminal" help:"Use the network: for a URL, and for the document of a did:web."`
	Keys    string `on:"terminal" help:"A key log known to be the issuer's, which may revoke keys, or a list of revoked keys." placeholder:"FILE" type:"existingfile"`
	Forget  bool   `on:"terminal" help:"Neither compare with releases of the site verified before, nor remember this one."`
	Rebuild bool   `on:"terminal" help:"Also run the workbooks inside again, and compare every byte of every result and its record."`
	Sources string `on:"terminal" help:"With --rebuild of a site: the directory with its source documents." placeholder:"DIR" type:"existingdir"`
}

// VerifyOut is the verdict about what a path leads to.
type VerifyOut struct {
	verdict *verify.Report
	path    string
}

// Data is the verdict as programs read it.
func (out *VerifyOut) Data() any { return out.verdict }

// OK is whether all is as it was signed.
func (out *VerifyOut) OK() bool { return out.verdict.Valid }

// Exit is 5 for what is not as it was signed.
func (out *VerifyOut) Exit() int {
	if out.OK() {
		return 0
	}
	return diag.ExitVerify
}

var verifyPath = Verb[VerifyIn, *VerifyOut]{
	Name: "verify", Help: "Check that a page, site, bundle or file is as it was signed.", Doors: Tools | Agents,
	About: `Examples:
  wb verify report.html --did did:key:z6Mk…
  wb verify analysis.org
  wb verify public/
  wb verify http://localhost:8080/ --rebuild --sources notes/
  wb verify https://example.org/ --did did:web:example.org --online
  wb verify analysis.wbundle --rebuild
  wb verify public/ --rebuild --sources notes/

Works without a network, unless you say --online. Exits with 5 and names one code when anything is not as
it was signed; docs/publishing.org lists the codes. A valid answer says which key
signed, not whose it is: compare it, or give --did.`,
	Do: func(ctx context.Context, h *Home, in *VerifyIn) (*VerifyOut, error) {
		report, err := in.verify(ctx, h)
		if err != nil {
			return nil, err
		}
		return &VerifyOut{report, in.Path}, nil
	},
	Text: func(p *Page, out *VerifyOut) error {
		r := out.verdict
		if !r.Valid {
			p.Printf("%s: NOT VALID: %v\n", out.path, r.Err())
			if r.Code == fault.ManifestMissing {
				p.Printf("hint: wb sign %s signs it, if it is yours\n", out.path)
			}
			return nil
		}
		p.Printf("%s: valid %s\nsigned by %s at %s (the issuer's clock)\n", out.path, r.Kind, r.IssuerDID, r.IssuedAt)
		if r.IdentityDID != "" && r.IdentityDID != r.IssuerDID {
			p.Printf("identity %s\n", r.IdentityDID)
		}
		switch {
		case r.Files > 0 && r.Sequence > 0:
			p.Printf("%s, release %d\n", Count(r.Files, "file"), r.Sequence)
		case r.Files > 0:
			p.Printf("%s\n", Count(r.Files, "file"))
		}
		return nil
	},
}

func (in *VerifyIn) verify(ctx context.Context, h *Home) (*verify.Report, error) {
	opts, named, err := in.options(ctx)
	var unnamed *fault.Error // why no signer is named
	if err != nil && (fault.CodeOf(err) == "" || !errors.As(err, &unnamed)) {
		return nil, err
	}
	s, err := in.subject(ctx, h)
	if err != nil { // what cannot even be read as what was signed; other errors are not verdicts
		kind := verify.KindDetached
		if s != nil && s.dir {
			kind = manifest.KindSite
		}
		return verify.Failed(kind, err)
	}
	if err := in.known(ctx, h, s, &opts); err != nil {
		return nil, err
	}
	report, err := in.report(h, s, opts)
	if err != nil {
		return nil, err
	}
	if report.Valid && unnamed != nil {
		report.Fail(unnamed)
	}
	if report.Valid && named != nil && !slices.Contains(named, report.IssuerDID) {
		report.Fail(fault.New(fault.IssuerUnexpected, "signed by %s, a key that %s does not name", report.IssuerDID, in.DID))
	}
	if report.Valid && in.Rebuild {
		err = in.rebuild(ctx, h, s, report)
	}
	return report, err
}

// options are the verifier's options from the flags; named are the keys that a did:web
// names, nil where none is asked for. An error with a code is about that.
func (in *VerifyIn) options(ctx context.Context) (opts verify.Options, named []string, err error) {
	switch {
	case in.Sources != "" && !in.Rebuild:
		return opts, nil, diag.Usagef("", "--sources goes with --rebuild")
	case strings.HasPrefix(in.DID, "did:web:"):
		var offline *fetch.OfflineError
		if named, err = fetch.Keys(ctx, in.DID, in.Online); errors.As(err, &offline) {
			err = fault.New(fault.DIDUnavailable, "%v; %s", offline, offline.Hint())
		}
	case strings.HasPrefix(in.DID, "did:key:"):
		if _, err := keys.Public(in.DID); err != nil {
			return opts, nil, diag.Usagef("", "--did: %w", err)
		}
		opts.Want = in.DID
	case in.DID != "":
		return opts, nil, diag.Usagef("wb key show prints yours", "--did %s: neither a did:key nor a did:web", in.DID)
	}
	return opts, named, err
}

// subject is the loaded thing to verify: a site's files, or one file with the
// signature that may be beside it.
type subject struct {
	name      string
	dir       bool
	files     manifest.Files // nil for one file
	partial   bool           // files that are not listed could not be seen
	data      []byte
	signature []byte // nil without one
}

// subject reads whatever the path is.
func (in *VerifyIn) subject(ctx context.Context, h *Home) (*subject, error) {
	if strings.HasPrefix(in.Path, "http://") || strings.HasPrefix(in.Path, "https://") {
		if h.Root != nil {
			return nil, errors.New("this server verifies no addresses")
		}
		return in.remote(ctx, h)
	}
	at, err := h.Path(in.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(at)
	if err != nil {
		return nil, missing(in.Path, err)
	}
	if info.IsDir() {
		files, err := verify.ReadDir(at)
		return &subject{name: in.Path, dir: true, files: files}, err
	}
	return oneFile(in.Path, func(name string) ([]byte, error) {
		at, err := h.Path(name)
		if err != nil {
			return nil, err
		}
		return ReadFile(at)
	})
}

// remote reads a site from its address, or one file from its own.
func (in *VerifyIn) remote(ctx context.Context, h *Home) (*subject, error) {
	u, err := url.Parse(in.Path)
	if err != nil {
		return nil, diag.Usagef("", "%w", err)
	}
	if path.Ext(u.Path) != "" {
		h.notef("this checks one file; give the address of the site's directory to verify all of it")
		return oneFile(in.Path, func(at string) ([]byte, error) { return fetch.File(ctx, at, in.Online) })
	}
	files, err := fetch.Site(ctx, in.Path, in.Online)
	if err != nil {
		return nil, err
	}
	h.notef("over HTTP, files that the manifest does not list cannot be found")
	return &subject{name: in.Path, files: files, partial: true}, nil
}

// oneFile reads a file and, unless it carries its own, the signature beside it;
// naming either means both.
func oneFile(name string, read func(string) ([]byte, error)) (*subject, error) {
	s := &subject{name: strings.TrimSuffix(name, manifest.DetachedSuffix)}
	var err error
	if s.data, err = read(s.name); err != nil || isBundle(s.name, s.data) || manifest.IsPage(s.name) {
		return s, err
	}
	s.signature, err = read(s.name + manifest.DetachedSuffix)
	if diag.ExitOf(err) == diag.ExitNotFound {
		err = fault.New(fault.ManifestMissing, "%s is not signed (there is no %s)", s.name, s.name+manifest.DetachedSuffix)
	}
	return s, err
}

func isBundle(name string, data []byte) bool {
	return filepath.Ext(name) == ".wbundle" || bytes.HasPrefix(data, []byte("PK"))
}

// report verifies a subject.
func (in *VerifyIn) report(h *Home, s *subject, opts verify.Options) (*verify.Report, error) {
	switch {
	case s.files == nil:
		return fileReport(s.name, s.data, s.signature, opts), nil
	case in.Forget || h.Root != nil:
		return in.first(s, opts)
	}
	seen, err := sitesSeen()
	if err != nil {
		return nil, err
	}
	opts.Partial = s.partial
	return seen.SiteSeen(s.files, opts)
}

// first verifies a site as if none had been verified before.
func (in *VerifyIn) first(s *subject, opts verify.Options) (*verify.Report, error) {
	dir, err := os.MkdirTemp("", "wb-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	opts.Partial = s.partial
	return verify.NewMemory(dir).SiteSeen(s.files, opts)
}

// fileReport verifies a bundle, a page, or a file by its signature.
func fileReport(name string, data, signature []byte, opts verify.Options) *verify.Report {
	switch {
	case isBundle(name, data):
		return verify.Bundle(data, opts)
	case manifest.IsPage(name):
		return verify.Page(data, opts)
	}
	return verify.Detached(data, signature, opts)
}

// rebuild runs what a valid page or bundle holds and turns the report invalid
// when it gives something else.
func (in *VerifyIn) rebuild(ctx context.Context, h *Home, s *subject, r *verify.Report) error {
	lanes, err := h.lanes(ctx)
	if err != nil {
		return err
	}
	opts := rebuild.Options{Lanes: lanes, Sources: in.Sources}
	var outcome *rebuild.Outcome
	if s.files != nil {
		outcome, err = rebuild.Site(ctx, s.files, opts)
	} else {
		outcome, err = rebuild.File(ctx, s.name, s.data, opts)
	}
	if err != nil {
		return verify.Downgrade(r, err)
	}
	for _, note := range outcome.Notes {
		h.notef("%s", note)
	}
	h.notef("%s: ran %s again; every byte of %s is the same, and their records hold (%s)", in.Path, Count(outcome.Components, "component"),
		strings.Join(outcome.Sources, ", "), Count(outcome.Statements, "statement"))
	return nil
}
