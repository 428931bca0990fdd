// Package rebuild runs the workbooks inside pages, bundles and sites again and
// compares what comes out with what was published: every byte of the document
// with its results, and every digest in the statements about its components —
// source, inputs, result, and with the same toolchain the fuel.
//
// It trusts no page: a workbook from a page runs in a directory of its own, in
// profile compute and without any grant, and nothing kept from earlier runs is
// used. The same source must give the same file, byte for byte.
package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/page"
	"wb/workbook"
)

// Options say how to run again.
type Options struct {
	Lanes *compile.Registry
	// Sources is a directory with the documents that a site was made from, where
	// the site does not have them; "" looks for them in the site.
	Sources string
}

// Outcome describes what was run again.
type Outcome struct {
	Components int
	Statements int // about components, compared with what happened here
	Sources    []string
	// Notes say what could not be compared, for people.
	Notes []string
}

// add counts in what one workbook gave.
func (o *Outcome) add(more *Outcome) {
	o.Components += more.Components
	o.Statements += more.Statements
	o.Sources = append(o.Sources, more.Sources...)
	o.Notes = append(o.Notes, more.Notes...)
}

// Contents are the files of the bundle in a page, or of a .wbundle. Nothing is
// verified.
func Contents(data []byte) (manifest.Files, error) {
	if !bytes.HasPrefix(data, []byte("PK")) {
		zip, err := bundle.Extract(data)
		if err != nil {
			return nil, err
		}
		data = zip
	}
	return bundle.Unpack(data)
}

// File runs again what a page or a bundle holds, given its bytes. It was
// verified before.
func File(ctx context.Context, name string, data []byte, opts Options) (*Outcome, error) {
	files, err := Contents(data)
	if fault.CodeOf(err) == fault.BundleMissing {
		return nil, fault.New(fault.RebuildNoSource, "%s holds no workbook to run again", name)
	}
	if err != nil {
		return nil, err
	}
	said, err := assertions(data, files)
	if err != nil {
		return nil, err
	}
	return Files(ctx, files, said, opts)
}

// assertions are those of the manifest of a page, or of a bundle's files.
func assertions(data []byte, files manifest.Files) ([]manifest.Assertion, error) {
	if bytes.HasPrefix(data, []byte("PK")) {
		s, err := manifest.ReadSite(files[manifest.BundlePath])
		if err != nil {
			return nil, err
		}
		return s.Assertions, nil
	}
	p, _, err := manifest.ReadPage(data)
	if err != nil {
		return nil, err
	}
	return p.Assertions, nil
}

// Site runs again what the pages of a site hold or were made from: the bundle in
// a page, else the document that the statements on the page are about.
func Site(ctx context.Context, files manifest.Files, opts Options) (*Outcome, error) {
	sources, err := opts.sources(files)
	if err != nil {
		return nil, err
	}
	out := &Outcome{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !manifest.IsPage(name) {
			continue
		}
		p, _, err := manifest.ReadPage(files[name])
		if err != nil {
			return nil, fault.In(name, err)
		}
		inner, err := Contents(files[name])
		if fault.CodeOf(err) == fault.BundleMissing {
			inner, err = sources, nil
		}
		if err != nil {
			return nil, fault.In(name, err)
		}
		for _, source := range statedSources(p.Assertions) {
			if _, ok := inner[source]; !ok {
				return nil, &fault.Error{Code: fault.RebuildNoSource, Path: name, Text: "was made from " + source + ", which is not in the site; --sources DIR names its directory"}
			}
			one, err := run(ctx, inner, []string{source}, p.Assertions, opts.Lanes)
			if err != nil {
				return nil, fault.In(name, err)
			}
			out.add(one)
		}
	}
	if len(out.Sources) == 0 {
		return nil, fault.New(fault.RebuildNoSource, "the site has no page made from a workbook that ran")
	}
	return out, nil
}

// sources are the files that the documents of a site run among: those of the
// directory that was named, else the site's own.
func (o Options) sources(site manifest.Files) (manifest.Files, error) {
	out := manifest.Files{}
	if o.Sources == "" {
		for name, data := range site {
			if !manifest.IsPage(name) && !manifest.Private(name) {
				out[name] = data
			}
		}
		return out, nil
	}
	all, err := verify.ReadTree(o.Sources, func(name string) bool { return !manifest.Private(name) && manifest.SafePath(name) })
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Sources are the workbooks among the files of a bundle, sorted.
func Sources(files manifest.Files) []string {
	var out []string
	for name := range files {
		if strings.HasSuffix(name, ".org") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Files runs the workbooks of a bundle again and compares what is said of them.
func Files(ctx context.Context, files manifest.Files, said []manifest.Assertion, opts Options) (*Outcome, error) {
	sources := Sources(files)
	if len(sources) == 0 {
		return nil, fault.New(fault.RebuildNoSource, "no workbook to run again")
	}
	return run(ctx, files, sources, said, opts.Lanes)
}

// run runs some of the workbooks among files again, in a directory of their own.
func run(ctx context.Context, files manifest.Files, sources []string, said []manifest.Assertion, lanes *compile.Registry) (*Outcome, error) {
	dir, err := os.MkdirTemp("", "wb-rebuild-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := sign.WriteNew(dir, files, false); err != nil {
		return nil, err
	}
	out := &Outcome{Sources: sources}
	for _, source := range sources {
		one, err := again(ctx, filepath.Join(dir, filepath.FromSlash(source)), source, files, said, lanes)
		if err != nil {
			return nil, err
		}
		out.add(one)
	}
	return out, nil
}

// again runs one workbook without its results having any part in it and
// compares the text that comes out, the files it wrote, and the statements.
func again(ctx context.Context, file, source string, files manifest.Files, said []manifest.Assertion, lanes *compile.Registry) (*Outcome, error) {
	opts := workbook.Options{
		Book:      workbook.BookAt(file, nil, lanes),
		Selection: workbook.Selection{Force: true},
		Venue:     workbook.Venue{TrustTier: "instance"},
	}
	report, err := workbook.Run(ctx, opts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.RebuildFailed, Path: source, Text: err.Error()}
	}
	if failed := report.Failed(); failed != nil {
		return nil, &fault.Error{Code: fault.RebuildFailed, Path: source, Text: fmt.Sprintf("%s: %v", failed.ID, failed.Err)}
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	same := bytes.Equal
	if exported(source, said) { // results that readers do not see were left out
		same = func(a, b []byte) bool { return page.SamePublic(ctx, file, a, b) }
	}
	if !same(now, files[source]) {
		return nil, &fault.Error{Code: fault.RebuildDiffers, Path: source, Text: fmt.Sprintf("line %d differs", firstDifference(now, files[source]))}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		made, err := os.ReadFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(name)))
		if name != source && path.Dir(source) == "." && err == nil && !bytes.Equal(made, files[name]) {
			return nil, &fault.Error{Code: fault.RebuildDiffers, Path: name, Text: "is written differently"}
		}
	}
	out := &Outcome{Components: len(report.Components)}
	opts.Source = now
	out.Statements, out.Notes, err = compare(ctx, opts.Book, source, said)
	return out, err
}

// exported reports whether a page holds of a source what its readers see.
func exported(source string, said []manifest.Assertion) bool {
	return slices.ContainsFunc(said, func(a manifest.Assertion) bool {
		return a.Label == verify.SourceLabel && a.Data["path"] == source && a.Data["part"] == Exported
	})
}

// Exported is the name, in assertions about a source, of the part that readers see.
const Exported = "exported"

// firstDifference is the first line in which two texts differ, from 1.
func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
