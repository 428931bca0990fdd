package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/pack"
	"wb/publish/rebuild"
	"wb/publish/site"
	"wb/workbook"
)

// bundleCmd makes one signed file of a workbook.
type bundleCmd struct {
	File   string `arg:"" help:"A workbook."`
	Output string `short:"o" help:"What to write: NAME.wbundle, or NAME.html for a page with the workbook inside. By default a .wbundle beside the workbook." placeholder:"FILE"`
	Force  bool   `help:"Replace a file that is there."`
	Strict bool   `help:"Refuse a document with mistakes that readers would see."`
}

func (c *bundleCmd) Help() string {
	return `Examples:
  wb bundle analysis.org
  wb bundle analysis.org -o analysis.html

Results are those in the document: nothing runs. Files that the document links
to and that lie beside it come along; events, steps, ledgers and hidden files
never do. wb verify checks a bundle, wb unbundle takes it apart, wb query and
wb run read the workbook in a page. Mistakes, such as links that lead nowhere,
are named; --strict refuses then.`
}

func (c *bundleCmd) Run(a *terminal) error {
	output := c.Output
	if output == "" {
		output = strings.TrimSuffix(c.File, filepath.Ext(c.File)) + ".wbundle"
	}
	single := manifest.IsPage(output)
	if !single && filepath.Ext(output) != ".wbundle" {
		return diag.Usagef("", "--output %s: bundles are named .wbundle or .html", output)
	}
	src, err := readFile(c.File)
	if err != nil {
		return err
	}
	key, err := issuer()
	if err != nil {
		return err
	}
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		p, err := pack.Workbook(a.ctx, workbook.Options{File: c.File, Source: src, Lanes: lanes, Cache: workbook.CacheBeside(c.File)})
		if err != nil {
			return err
		}
		for _, left := range p.Left {
			a.note("left out: %s", left)
		}
		for _, d := range p.Found {
			a.note("%s", d)
		}
		if n := diag.Errors(site.Strict(p.Found)); n > 0 && c.Strict {
			return diag.Failedf("", "%s: %d mistakes that readers would see", c.File, n)
		}
		make := p.Bundle
		if single {
			make = p.SinglePage
		}
		data, err := make(sign.Issuer{Signer: key.Key, Keys: key.Log}, time.Now())
		if err != nil {
			return err
		}
		if err := writeNew(output, data, c.Force); err != nil {
			return elsewhere(output, err)
		}
		answer := map[string]any{"file": output, "issuer_did": key.Key.DID(), "files": len(p.Files), "bytes": len(data)}
		return a.answer("bundle", answer, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, output)
			return err
		})
	})
}

// elsewhere hints at -o where a file cannot be written.
func elsewhere(name string, err error) error {
	if diag.Forbidden(err) {
		return &diag.CodedError{Err: errors.New(name + " cannot be written: " + filepath.Dir(name) + " is read-only"), Help: "-o FILE writes elsewhere", Code: diag.ExitForbidden}
	}
	return err
}

// unbundleCmd takes a bundle apart.
type unbundleCmd struct {
	File       string `arg:"" help:"A .wbundle, or a page with a workbook inside."`
	Dir        string `short:"d" help:"The directory to write to; by default one named after the bundle." placeholder:"DIR"`
	DID        string `name:"did" help:"Refuse unless this key signed." placeholder:"DID"`
	Unverified bool   `help:"Take apart what is not signed, or not as it was signed; paths are checked all the same."`
	Force      bool   `help:"Replace files that are there."`
}

func (c *unbundleCmd) Help() string {
	return `Examples:
  wb unbundle analysis.wbundle
  wb unbundle page.html -d there --did did:key:z6Mk…

Nothing is written before everything is verified, and nothing outside the
directory ever.`
}

func (c *unbundleCmd) Run(a *terminal) error {
	data, err := readFile(c.File)
	if err != nil {
		return err
	}
	if !c.Unverified {
		if err := verified(c.File, data, c.DID); err != nil {
			return err
		}
	}
	files, err := rebuild.Contents(data)
	if err != nil {
		return err
	}
	dir := c.Dir
	if dir == "" {
		dir = strings.TrimSuffix(c.File, filepath.Ext(c.File))
	}
	if err := sign.WriteNew(dir, files, c.Force); err != nil {
		if os.IsExist(err) {
			return diag.Busyf("--force replaces it, -d writes elsewhere", "%s", err.Error())
		}
		return err
	}
	var names []string
	for _, f := range files.List() {
		names = append(names, filepath.Join(dir, filepath.FromSlash(f.Path)))
	}
	return a.answer("unbundle", names, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, strings.Join(names, "\n"))
		return err
	})
}

// verified checks a page or bundle before anything in it is used.
func verified(name string, data []byte, did string) error {
	opts := verify.Options{Want: did}
	report := verify.Page
	if filepath.Ext(name) == ".wbundle" || strings.HasPrefix(string(data[:min(2, len(data))]), "PK") {
		report = verify.Bundle
	}
	return fault.In(name, report(data, opts).Err())
}

// isPublished reports whether a file is a page or a bundle rather than org.
func isPublished(name string) bool {
	return manifest.IsPage(name) || filepath.Ext(name) == ".wbundle"
}

// unpackPublished writes the workbook in a verified page or bundle to a
// directory of its own, for verbs that read files. The caller removes it.
func unpackPublished(name string) (dir string, sources []string, err error) {
	data, err := readFile(name)
	if err != nil {
		return "", nil, err
	}
	if err := verified(name, data, ""); err != nil {
		return "", nil, err
	}
	files, err := rebuild.Contents(data)
	if err != nil {
		return "", nil, fault.In(name, err)
	}
	if dir, err = os.MkdirTemp("", "wb-page-"); err != nil {
		return "", nil, err
	}
	if err := sign.WriteNew(dir, files, false); err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	for _, path := range rebuild.Sources(files) {
		sources = append(sources, filepath.Join(dir, filepath.FromSlash(path)))
	}
	slices.Sort(sources)
	return dir, sources, nil
}
