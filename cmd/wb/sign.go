package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/workbook"
)

// signCmd signs pages and sites.
type signCmd struct {
	Path   string `arg:"" help:"An HTML page, a workbook or any other file, or the directory of a site."`
	Output string `short:"o" help:"Write the signed page here instead of replacing it; of another file, the signature." placeholder:"FILE"`
	Host   string `help:"With a directory: the host it is served from; writes its did:web document." placeholder:"HOST"`
}

func (c *signCmd) Help() string {
	return `Examples:
  wb sign report.html
  wb sign analysis.org
  wb sign public/ --host example.org

A page gets a manifest before its last </body>. Any other file gets a signature
beside it, FILE.sig; that of a workbook also names what it does, so that trust in
its signer (wb trust KEY) outlives new results. A site also gets a list of all
its files, your key log and a log of its releases, under .well-known; signing
what has not changed changes nothing. wb verify checks both.`
}

func (c *signCmd) Run(a *terminal) error {
	info, err := os.Stat(c.Path)
	if err != nil {
		return missing(c.Path, err)
	}
	s, err := issuer()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return c.site(a, sign.Issuer{Signer: s.Key, Keys: s.Log})
	}
	if c.Host != "" {
		return diag.Usagef("", "--host is for the directory of a site")
	}
	data, err := readFile(c.Path)
	if err != nil {
		return err
	}
	by := sign.Issuer{Signer: s.Key, Keys: s.Log}
	var said []manifest.Assertion
	if strings.EqualFold(filepath.Ext(c.Path), ".org") {
		said = append(said, manifest.ProgramAssertion(workbook.ProgramDigest(workbook.NewPlan(c.Path, data))))
	}
	output, signed, err := sign.File(c.Path, data, by, time.Now(), said...)
	if err != nil {
		return err
	}
	if c.Output != "" {
		output = c.Output
	}
	if err := sign.Replace(output, signed, info.Mode().Perm()); err != nil {
		return elsewhere(output, err)
	}
	return a.answer("sign", map[string]string{"file": output, "issuer_did": s.Key.DID()}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s signed by %s\n", c.Path, s.Key.DID())
		if output != c.Path {
			_, err = fmt.Fprintln(w, output)
		}
		return err
	})
}

func (c *signCmd) site(a *terminal, by sign.Issuer) error {
	if c.Output != "" {
		return diag.Usagef("", "--output is for pages; a site is signed where it lies")
	}
	done, err := c.alone()
	if err != nil {
		return err
	}
	defer done()
	record, err := sitesSigned()
	if err != nil {
		return err
	}
	s, err := sign.Dir(c.Path, by, record, c.Host, time.Now())
	if err != nil {
		return err
	}
	data := map[string]any{"directory": filepath.Clean(c.Path), "issuer_did": s.IssuerDID, "sequence": s.Sequence, "files": len(s.Files), "root": s.Root}
	return a.answer("sign", data, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: release %d, %s, signed by %s\n", filepath.Clean(c.Path), s.Sequence, count(len(s.Files), "file"), s.IssuerDID)
		return err
	})
}

// alone keeps other processes of the user from signing the site meanwhile.
func (c *signCmd) alone() (done func(), err error) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	state, err := userState()
	if err != nil {
		return nil, err
	}
	done, ok, err := state.Lock("sign-" + manifest.SHA256([]byte(path))[:16])
	if err == nil && !ok {
		err = diag.Busyf("wait until it has ended and try again", "another wb is signing %s", c.Path)
	}
	return done, err
}

// sitesSigned is the user's record of the sites that they have signed.
func sitesSigned() (*sign.Record, error) {
	state, err := trace.StateDir(os.Getenv)
	return sign.NewRecord(filepath.Join(state, "signed")), err
}
