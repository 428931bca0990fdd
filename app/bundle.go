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
)

// BundleIn holds the arguments of wb bundle.
type BundleIn struct {
	File   string `arg:"" help:"A workbook."`
	Output string `short:"o" help:"The file to write: NAME.wbundle, or NAME.html for a page with the workbook inside. By default a .wbundle beside the workbook." placeholder:"FILE"`
	Force  bool   `help:"Replace an existing file."`
	Strict bool   `help:"Refuse a document with mistakes that readers would see."`

	WithVolumes bool     `help:"Put in what components of the directory keep, as far as the document uses it: keys (kv) and files of volumes (vfs)."`
	AllowLeak   []string `help:"A key or file of a volume that may hold what looks like a secret." placeholder:"FILE"`
}

// BundleOut is a bundle that was written.
type BundleOut struct {
	Bytes     int    `json:"bytes"`
	File      string `json:"file"`
	Files     int    `json:"files"`
	IssuerDID string `json:"issuer_did"`
}

var bundle = Verb[BundleIn, *BundleOut]{
	Name: "bundle", Help: "Make one signed file of a workbook and the files that belong to it.", Changes: true,
	About: `Examples:
  wb bundle analysis.org
  wb bundle analysis.org -o analysis.html
  wb bundle analysis.org --with-volumes

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
		book, err := h.book(ctx, in.File, src)
		if err != nil {
			return nil, err
		}
		p, err := pack.Workbook(ctx, book)
		if err != nil {
			return nil, err
		}
		if in.WithVolumes {
			v, err := addVolumes(ctx, p, book, in.AllowLeak)
			if err != nil {
				return nil, err
			}
			h.notef("with %s and %s of volumes", Count(len(v.Keys), "key"), Count(len(v.Files), "file"))
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
		if err := soundFile(output, data, ""); err != nil { // readers could not use it
			return nil, err
		}
		if err := writeNew(output, data, in.Force); err != nil {
			return nil, err
		}
		return &BundleOut{len(data), output, len(p.Files), by.Signer.DID()}, nil
	},
	Text: func(p *Page, out *BundleOut) error { p.Printf("%s\n", out.File); return nil },
}

// UnbundleIn holds the arguments of wb unbundle.
type UnbundleIn struct {
	File       string `arg:"" help:"A .wbundle, or a page with a workbook inside."`
	Dir        string `short:"d" help:"The directory to write to; by default one named after the bundle." placeholder:"DIR"`
	DID        string `name:"did" help:"Refuse unless this key signed." placeholder:"DID"`
	Unverified bool   `help:"Take apart even an unsigned or changed bundle; paths are still checked."`
	Force      bool   `help:"Replace existing files."`
	Volumes    bool   `help:"Keep the volumes in it for components of the directory; what they keep already and differs stops it."`
}

var unbundle = Verb[UnbundleIn, []string]{
	Name: "unbundle", Help: "Take a bundle apart, after verifying it.", Changes: true,
	About: `Examples:
  wb unbundle analysis.wbundle
  wb unbundle page.html -d there --did did:key:z6Mk…

Nothing is written before everything is verified, and nothing outside the
directory ever. What the sender's components kept (wb bundle --with-volumes) is
a file, volumes.json; --volumes gives it to components of the directory.`,
	Do: func(ctx context.Context, h *Home, in *UnbundleIn) ([]string, error) {
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
		v, err := volumesOf(files)
		switch {
		case err != nil:
			return nil, err
		case v == nil && in.Volumes:
			return nil, diag.NotFoundf("its sender makes it with wb bundle --with-volumes", "%s has no volumes inside", in.File)
		case v != nil && in.Volumes:
			if err := v.keep(ctx, dir); err != nil {
				return nil, err
			}
		case v != nil:
			h.notef("%s holds %s and %s of volumes; --volumes keeps them for components of %s", volumesPath, Count(len(v.Keys), "key"), Count(len(v.Files), "file"), dir)
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
