package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/publish/pack"
	"wb/publish/rebuild"
	"wb/publish/site"
	"wb/workbook"
)

// BundleIn is what wb bundle takes.
type BundleIn struct {
	File   string `arg:"" help:"A workbook."`
	Output string `short:"o" help:"What to write: NAME.wbundle, or NAME.html for a page with the workbook inside. By default a .wbundle beside the workbook." placeholder:"FILE"`
	Force  bool   `help:"Replace a file that is there."`
	Strict bool   `help:"Refuse a document with mistakes that readers would see."`
}

// BundleOut is a bundle that was written.
type BundleOut struct {
	Bytes     int    `json:"bytes"`
	File      string `json:"file"`
	Files     int    `json:"files"`
	IssuerDID string `json:"issuer_did"`
}

var bundle = Verb[BundleIn, *BundleOut]{
	Name: "bundle", Help: "Make one signed file of a workbook and what belongs to it.", Changes: true,
	About: `Examples:
  wb bundle analysis.org
  wb bundle analysis.org -o analysis.html

Results are those in the document: nothing runs. Files that the document links
to and that lie beside it come along; events, steps, ledgers and hidden files
never do. wb verify checks a bundle, wb unbundle takes it apart, wb query and
wb run read the workbook in a page. Mistakes, such as links that lead nowhere,
are named; --strict refuses then.`,
	Do: func(ctx context.Context, h *Home, in *BundleIn) (*BundleOut, error) {
		output := in.Output
		if output == "" {
			output = strings.TrimSuffix(in.File, filepath.Ext(in.File)) + ".wbundle"
		}
		single := manifest.IsPage(output)
		if !single && filepath.Ext(output) != ".wbundle" {
			return nil, diag.Usagef("", "--output %s: bundles are named .wbundle or .html", output)
		}
		src, err := ReadFile(in.File)
		if err != nil {
			return nil, err
		}
		_, by, err := UserKey()
		if err != nil {
			return nil, err
		}
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		p, err := pack.Workbook(ctx, workbook.Options{File: in.File, Source: src, Lanes: lanes, Cache: workbook.CacheBeside(in.File)})
		if err != nil {
			return nil, err
		}
		for _, left := range p.Left {
			h.notef("left out: %s", left)
		}
		for _, d := range p.Found {
			h.notef("%s", d)
		}
		if n := diag.Errors(site.Strict(p.Found)); n > 0 && in.Strict {
			return nil, diag.Failedf("", "%s: %d mistakes that readers would see", in.File, n)
		}
		build := p.Bundle
		if single {
			build = p.SinglePage
		}
		data, err := build(by, time.Now())
		if err != nil {
			return nil, err
		}
		if err := soundFile(output, data, ""); err != nil { // nobody could use it
			return nil, err
		}
		if err := writeNew(output, data, in.Force); err != nil {
			return nil, err
		}
		return &BundleOut{len(data), output, len(p.Files), by.Signer.DID()}, nil
	},
	Text: func(p *Page, out *BundleOut) error { p.Printf("%s\n", out.File); return nil },
}

// UnbundleIn is what wb unbundle takes.
type UnbundleIn struct {
	File       string `arg:"" help:"A .wbundle, or a page with a workbook inside."`
	Dir        string `short:"d" help:"The directory to write to; by default one named after the bundle." placeholder:"DIR"`
	DID        string `name:"did" help:"Refuse unless this key signed." placeholder:"DID"`
	Unverified bool   `help:"Take apart what is not signed, or not as it was signed; paths are checked all the same."`
	Force      bool   `help:"Replace files that are there."`
}

var unbundle = Verb[UnbundleIn, []string]{
	Name: "unbundle", Help: "Take a bundle apart, after verifying it.", Changes: true,
	About: `Examples:
  wb unbundle analysis.wbundle
  wb unbundle page.html -d there --did did:key:z6Mk…

Nothing is written before everything is verified, and nothing outside the
directory ever.`,
	Do: func(_ context.Context, _ *Home, in *UnbundleIn) ([]string, error) {
		files, err := contents(in.File, in.DID, in.Unverified)
		if err != nil {
			return nil, err
		}
		dir := in.Dir
		if dir == "" {
			dir = strings.TrimSuffix(in.File, filepath.Ext(in.File))
		}
		if err := sign.WriteNew(dir, files, in.Force); err != nil {
			if os.IsExist(err) {
				return nil, diag.Busyf("--force replaces it, -d writes elsewhere", "%s", err.Error())
			}
			return nil, err
		}
		var names []string
		for _, f := range files.List() {
			names = append(names, filepath.Join(dir, filepath.FromSlash(f.Path)))
		}
		return names, nil
	},
	Text: listed(func(name string) string { return name }),
}

// contents are the files in a page or bundle, which is checked before anything in
// it is used.
func contents(name, did string, unverified bool) (manifest.Files, error) {
	data, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !unverified {
		if err := soundFile(name, data, did); err != nil {
			return nil, err
		}
	}
	files, err := rebuild.Contents(data)
	return files, fault.In(name, err)
}

// IsPublished reports whether a file is a page or a bundle rather than org.
func IsPublished(name string) bool {
	return manifest.IsPage(name) || filepath.Ext(name) == ".wbundle"
}

// SourcesOf replaces pages and bundles among paths by the workbooks in them,
// verified and unpacked into directories that done removes.
func SourcesOf(paths []string) (out []string, done func(), err error) {
	var dirs []string
	done = func() {
		for _, dir := range dirs {
			os.RemoveAll(dir)
		}
	}
	for _, path := range paths {
		if !IsPublished(path) {
			out = append(out, path)
			continue
		}
		dir, sources, err := unpack(path)
		if err == nil && len(sources) == 0 {
			err = diag.NotFoundf("", "%s: no workbook inside", path)
		}
		if dir != "" {
			dirs = append(dirs, dir)
		}
		if err != nil {
			done()
			return nil, nil, err
		}
		out = append(out, sources...)
	}
	return out, done, nil
}

// unpack writes the workbooks in a verified page or bundle to a directory of their
// own.
func unpack(name string) (dir string, sources []string, err error) {
	files, err := contents(name, "", false)
	if err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp("", "wb-page-"); err != nil {
		return "", nil, err
	}
	if err := sign.WriteNew(dir, files, false); err != nil {
		return dir, nil, err
	}
	for _, path := range rebuild.Sources(files) {
		sources = append(sources, filepath.Join(dir, filepath.FromSlash(path)))
	}
	slices.Sort(sources)
	return dir, sources, nil
}
