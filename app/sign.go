package app

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/workbook"
)

// SignIn holds the arguments of wb sign.
type SignIn struct {
	Path   string `arg:"" help:"An HTML page, a workbook or any other file, or the directory of a site."`
	Output string `short:"o" help:"Write the signed page, or a file's signature, to this file." placeholder:"FILE"`
	Host   string `help:"With a directory: the host that will serve it; also writes the host's did:web document." placeholder:"HOST"`
}

// SignOut describes the signed file, or the site's new release.
type SignOut struct {
	File      string `json:"file,omitempty"`
	Directory string `json:"directory,omitempty"`
	IssuerDID string `json:"issuer_did"`
	Sequence  int    `json:"sequence,omitempty"`
	Files     int    `json:"files,omitempty"`
	Root      string `json:"root,omitempty"`
	path      string
}

var signPath = Verb[SignIn, *SignOut]{
	Name: "sign", Help: "Sign a page, a workbook or any other file, or all files of a site.", Changes: true,
	About: `Examples:
  wb sign report.html
  wb sign analysis.org
  wb sign public/ --host example.org

A page gets a manifest before its last </body>. Any other file gets a signature
beside it, FILE.sig; that of a workbook also names what it does, so that trust in
its signer (wb trust KEY) outlives new results. A site also gets a list of all
its files, your key log and a log of its releases, under .well-known; signing
what has not changed changes nothing. wb verify checks both.`,
	Do: func(_ context.Context, _ *Home, in *SignIn) (*SignOut, error) {
		info, err := os.Stat(in.Path)
		if err != nil {
			return nil, missing(in.Path, err)
		}
		_, by, err := UserKey()
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return in.site(by)
		case in.Host != "":
			return nil, diag.Usagef("", "--host is for the directory of a site")
		}
		return in.file(by, info.Mode().Perm())
	},
	Text: func(p *Page, out *SignOut) error {
		if out.File == "" {
			p.Printf("%s: release %d, %s, signed by %s\n", out.Directory, out.Sequence, Count(out.Files, "file"), out.IssuerDID)
			return nil
		}
		p.Printf("%s signed by %s\n", out.path, out.IssuerDID)
		if out.File != out.path {
			p.Printf("%s\n", out.File)
		}
		return nil
	},
}

func (in *SignIn) file(by sign.Issuer, mode os.FileMode) (*SignOut, error) {
	data, err := ReadFile(in.Path)
	if err != nil {
		return nil, err
	}
	var said []manifest.Assertion
	if strings.EqualFold(filepath.Ext(in.Path), ".org") {
		said = append(said, manifest.ProgramAssertion(workbook.ProgramDigest(workbook.NewPlan(in.Path, data))))
	}
	output, signed, err := sign.File(in.Path, data, by, signedAt(os.Getenv), said...)
	if err != nil {
		return nil, err
	}
	if in.Output != "" {
		output = in.Output
	}
	if err := sign.Replace(output, signed, mode); err != nil {
		return nil, elsewhere(output, err)
	}
	return &SignOut{File: output, IssuerDID: by.Signer.DID(), path: in.Path}, nil
}

func (in *SignIn) site(by sign.Issuer) (*SignOut, error) {
	if in.Output != "" {
		return nil, diag.Usagef("", "--output is for pages; a site is signed in place")
	}
	done, err := in.alone()
	if err != nil {
		return nil, err
	}
	defer done()
	record, err := sitesSigned()
	if err != nil {
		return nil, err
	}
	s, err := sign.Dir(in.Path, by, record, in.Host, signedAt(os.Getenv))
	if err != nil {
		return nil, err
	}
	return &SignOut{Directory: filepath.Clean(in.Path), IssuerDID: s.IssuerDID, Sequence: s.Sequence, Files: len(s.Files), Root: s.Root}, nil
}

// alone keeps other processes of the user from signing the site meanwhile.
func (in *SignIn) alone() (done func(), err error) {
	path, err := filepath.Abs(in.Path)
	if err != nil {
		return nil, err
	}
	state, err := UserState()
	if err != nil {
		return nil, err
	}
	done, ok, err := state.Lock("sign-" + manifest.SHA256([]byte(path))[:16])
	if err == nil && !ok {
		err = diag.Busyf("wait until it ends, then try again", "another wb is signing %s", in.Path)
	}
	return done, err
}

// signedAt is when something is signed: now, or SOURCE_DATE_EPOCH for builds that make
// the same bytes again (reproducible-builds.org).
func signedAt(getenv func(string) string) time.Time {
	if seconds, err := strconv.ParseInt(getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Now()
}
