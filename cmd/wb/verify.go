package main

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/fault"
	"wb/proof/fetch"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/publish/rebuild"
)

// verifyCmd checks what a page, site or bundle says about itself.
type verifyCmd struct {
	Path    string `arg:"" help:"A page, a .wbundle, a file with a .sig beside it, the directory of a site, or its URL."`
	DID     string `name:"did" help:"Fail unless this key, the identity that began with it, or a key of this did:web, signed." placeholder:"DID"`
	Online  bool   `help:"Ask other machines too: for a URL, and for the document of a did:web."`
	Keys    string `help:"A key log known to be the issuer's, which may revoke." placeholder:"FILE" type:"existingfile"`
	Forget  bool   `help:"Do not compare with releases of the site that were verified before, nor remember this one."`
	Rebuild bool   `help:"Also run the workbooks inside again, and compare every byte of every result and what is said of it."`
	Sources string `help:"With --rebuild of a site: the directory with the documents it was made from." placeholder:"DIR" type:"existingdir"`
}

func (c *verifyCmd) Help() string {
	return `Examples:
  wb verify report.html --did did:key:z6Mk…
  wb verify analysis.org
  wb verify public/
  wb verify http://localhost:8080/ --rebuild --sources notes/
  wb verify https://example.org/ --did did:web:example.org --online
  wb verify analysis.wbundle --rebuild
  wb verify public/ --rebuild --sources notes/

Works without a network, unless you say --online. Exits with 5 and names one code when anything is not as
it was signed; docs/publishing.org lists the codes. A valid answer says which key
signed, not whose it is: compare it, or give --did.`
}

func (c *verifyCmd) Run(a *terminal) error {
	if c.Sources != "" && !c.Rebuild {
		return diag.Usagef("", "--sources goes with --rebuild")
	}
	if strings.HasPrefix(c.DID, "did:key:") {
		if _, err := keys.Public(c.DID); err != nil {
			return diag.Usagef("", "--did: %w", err)
		}
	} else if c.DID != "" && !strings.HasPrefix(c.DID, "did:web:") {
		return diag.Usagef("wb key show prints yours", "--did %s: neither a did:key nor a did:web", c.DID)
	}
	opts := verify.Options{Want: c.DID}
	var named []string // by a did:web
	if strings.HasPrefix(c.DID, "did:web:") {
		var err error
		if named, err = fetch.Keys(a.ctx, c.DID, c.Online); err != nil {
			return err
		}
		opts.Want = ""
	}
	if c.Keys != "" {
		log, err := os.ReadFile(c.Keys)
		if err != nil {
			return err
		}
		opts.Keys = log
	}
	s, err := c.subject(a)
	if err != nil {
		return c.unreadable(a, err)
	}
	report, err := c.report(a, s, opts)
	if err != nil {
		return err
	}
	if report.Valid && named != nil && !slices.Contains(named, report.IssuerDID) {
		report.Fail(fault.New(fault.IssuerUnexpected, "signed by %s, which %s does not name", report.IssuerDID, c.DID))
	}
	if report.Valid && c.Rebuild {
		if err := c.rebuild(a, s, report); err != nil {
			return err
		}
	}
	if err := a.showVerdict(c.Path, report); err != nil {
		return err
	}
	if !report.Valid {
		return diag.Told(diag.ExitVerify)
	}
	return nil
}

// subject is what is to be verified, read: a site's files, or one file with the
// signature that may be beside it.
type subject struct {
	name      string
	files     manifest.Files // nil for one file
	partial   bool           // files that are not listed could not be seen
	data      []byte
	signature []byte // nil without one
}

// subject reads whatever the path is.
func (c *verifyCmd) subject(a *terminal) (*subject, error) {
	if strings.HasPrefix(c.Path, "http://") || strings.HasPrefix(c.Path, "https://") {
		return c.remote(a)
	}
	info, err := os.Stat(c.Path)
	if err != nil {
		return nil, missing(c.Path, err)
	}
	if info.IsDir() {
		files, err := verify.ReadDir(c.Path)
		return &subject{name: c.Path, files: files}, err
	}
	return oneFile(c.Path, readFile)
}

// remote reads a site from its address, or one file from its own.
func (c *verifyCmd) remote(a *terminal) (*subject, error) {
	u, err := url.Parse(c.Path)
	if err != nil {
		return nil, &diag.CodedError{Err: err, Help: "", Code: diag.ExitUsage}
	}
	if path.Ext(u.Path) != "" {
		a.note("one file was asked for; the address of the site's directory verifies all of it")
		return oneFile(c.Path, func(at string) ([]byte, error) { return fetch.File(a.ctx, at, c.Online) })
	}
	files, err := fetch.Site(a.ctx, c.Path, c.Online)
	if err != nil {
		return nil, err
	}
	a.note("files that the manifest does not list cannot be seen over HTTP")
	return &subject{name: c.Path, files: files, partial: true}, nil
}

// oneFile reads a file and, unless it carries its own, the signature beside it;
// naming either means both.
func oneFile(name string, read func(string) ([]byte, error)) (*subject, error) {
	s := &subject{name: strings.TrimSuffix(name, manifest.DetachedSuffix)}
	var err error
	if s.data, err = read(s.name); err != nil || s.isBundle() || manifest.IsPage(s.name) {
		return s, err
	}
	s.signature, err = read(s.name + manifest.DetachedSuffix)
	if diag.ExitOf(err) == diag.ExitNotFound {
		err = fault.New(fault.ManifestMissing, "nobody signed %s (there is no %s)", s.name, s.name+manifest.DetachedSuffix)
	}
	return s, err
}

func (s *subject) isBundle() bool {
	return filepath.Ext(s.name) == ".wbundle" || bytes.HasPrefix(s.data, []byte("PK"))
}

// unreadable answers for what cannot even be read as what was signed; other
// errors are no verdicts.
func (c *verifyCmd) unreadable(a *terminal, err error) error {
	kind := verify.KindDetached
	if info, failed := os.Stat(c.Path); failed == nil && info.IsDir() {
		kind = manifest.KindSite
	}
	report, err := verify.Failed(kind, err)
	if err != nil {
		return err
	}
	if err := a.showVerdict(c.Path, report); err != nil {
		return err
	}
	return diag.Told(diag.ExitVerify)
}

// report verifies a subject.
func (c *verifyCmd) report(a *terminal, s *subject, opts verify.Options) (*verify.Report, error) {
	switch {
	case s.files != nil:
		opts.Partial = s.partial
		return c.seen(func(m *verify.Memory) (*verify.Report, error) { return m.SiteSeen(s.files, opts) })
	case s.isBundle():
		return verify.Bundle(s.data, opts), nil
	case manifest.IsPage(s.name):
		return verify.Page(s.data, opts), nil
	}
	return verify.Detached(s.data, s.signature, opts), nil
}

// seen gives do the memory of sites: the user's, or an empty one.
func (c *verifyCmd) seen(do func(*verify.Memory) (*verify.Report, error)) (*verify.Report, error) {
	if c.Forget {
		dir, err := os.MkdirTemp("", "wb-verify-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		return do(verify.NewMemory(dir))
	}
	seen, err := sitesSeen()
	if err != nil {
		return nil, err
	}
	return do(seen)
}

// sitesSeen is the user's memory of the sites that were verified.
func sitesSeen() (*verify.Memory, error) {
	state, err := trace.StateDir(os.Getenv)
	return verify.NewMemory(filepath.Join(state, "verified")), err
}

// rebuild runs what a valid page or bundle holds and turns the report invalid
// when it gives something else.
func (c *verifyCmd) rebuild(a *terminal, s *subject, r *verify.Report) error {
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		opts := rebuild.Options{Lanes: lanes, Sources: c.Sources}
		again := func() (*rebuild.Outcome, error) { return rebuild.File(a.ctx, s.name, s.data, opts) }
		if s.files != nil {
			again = func() (*rebuild.Outcome, error) { return rebuild.Site(a.ctx, s.files, opts) }
		}
		outcome, err := again()
		if err != nil {
			return verify.Downgrade(r, err)
		}
		for _, note := range outcome.Notes {
			a.note("%s", note)
		}
		a.note("%s: ran %s again; every byte of %s is the same, and what is said of them holds (%s)", c.Path, count(outcome.Components, "component"),
			strings.Join(outcome.Sources, ", "), count(outcome.Statements, "statement"))
		return nil
	})
}

func (a *terminal) showVerdict(path string, r *verify.Report) error {
	if a.json {
		return diag.WriteJSON(a.std.Out, envelope{OK: r.Valid, Verb: "verify", Data: r})
	}
	return a.answer("verify", r, func(w io.Writer) error {
		if !r.Valid {
			_, err := fmt.Fprintf(w, "%s: NOT VALID: %v\n", path, r.Err())
			return err
		}
		fmt.Fprintf(w, "%s: valid %s\nsigned by %s at %s (the issuer's clock)\n", path, r.Kind, r.IssuerDID, r.IssuedAt)
		if r.IdentityDID != "" && r.IdentityDID != r.IssuerDID {
			fmt.Fprintf(w, "identity %s\n", r.IdentityDID)
		}
		if r.Files > 0 {
			fmt.Fprint(w, count(r.Files, "file"))
			if r.Sequence > 0 {
				fmt.Fprintf(w, ", release %d", r.Sequence)
			}
			fmt.Fprintln(w)
		}
		return nil
	})
}
