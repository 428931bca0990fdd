// Package pack gathers what belongs to a workbook: the document, the files it
// names, and the page that readers see, and makes a bundle or a single page of
// it, signed.
//
// What agents and runs keep for themselves never leaves the machine: events,
// steps, ledgers, journals, caches and hidden files are left out by name even
// when the document links to them.
package pack

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/org"
	"wb/proof/bundle"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/live"
	"wb/publish/page"
	"wb/workbook"
)

// PagePath is the page's name in a bundle.
const PagePath = "workbook.html"

// Packed is a workbook with all that belongs to it, not signed yet.
type Packed struct {
	Name       string // of the document, in Files
	Files      manifest.Files
	Page       []byte
	Assertions []manifest.Assertion // about the source and each component
	Left       []string             // files the document names that do not come along, with the reason
	Found      []diag.Finding       // mistakes in the page, such as broken links
}

// Workbook gathers a workbook as it stands. Nothing runs.
func Workbook(ctx context.Context, from workbook.Book) (*Packed, error) {
	p := &Packed{Name: filepath.Base(from.File), Files: manifest.Files{}}
	if manifest.Private(p.Name) {
		return nil, fmt.Errorf("%s never leaves this machine", from.File)
	}
	if !manifest.SafePath(p.Name) || p.Name == manifest.BundlePath || p.Name == manifest.BundleKeysPath {
		return nil, fmt.Errorf("%s: a bundle cannot hold a file of this name", from.File)
	}
	if from.Source == nil {
		src, err := os.ReadFile(from.File)
		if err != nil {
			return nil, err
		}
		from.Source = src
	}
	if bad, is := workbook.NotText(from.File, from.Source); is {
		return nil, &workbook.PlanError{Findings: []diag.Finding{bad}}
	}
	root, err := os.OpenRoot(filepath.Dir(from.File))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	read := reader(root)
	known, err := knowledge(ctx, from, read)
	if err != nil {
		return nil, err
	}
	if err := addLive(ctx, from, &known, live.Config{}); err != nil {
		return nil, err
	}
	if p.Page, p.Found, err = page.Render(ctx, from.File, from.Source, known); err != nil {
		return nil, err
	}
	p.Files[p.Name] = from.Source
	p.gather(org.Parse(from.Source), read)
	p.Assertions = append([]manifest.Assertion{{Label: verify.SourceLabel, Data: map[string]any{"path": p.Name, "sha256": manifest.SHA256(from.Source)}}},
		page.Statements(workbook.NewPlan(from.File, from.Source), p.Name, known.Facts)...)
	return p, nil
}

// Page is a workbook as one page that is not signed, with what shown says
// readers can run. Facts come from the cache and from events.org beside it.
func Page(ctx context.Context, from workbook.Book, shown live.Config) ([]byte, []diag.Finding, error) {
	root, err := os.OpenRoot(filepath.Dir(from.File))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	known, err := knowledge(ctx, from, reader(root))
	if err != nil {
		return nil, nil, err
	}
	if err := addLive(ctx, from, &known, shown); err != nil {
		return nil, nil, err
	}
	return page.Render(ctx, from.File, from.Source, known)
}

// addLive adds what lets readers run components in their browsers.
func addLive(ctx context.Context, from workbook.Book, known *page.Options, config live.Config) error {
	runs, err := live.New(ctx, from, config)
	if err != nil {
		return err
	}
	if known.Foot, err = runs.Foot(); err != nil {
		return err
	}
	known.Live = runs.Component
	return nil
}

// reader reads files below a workbook's directory that may leave the machine.
func reader(root *os.Root) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if manifest.Private(path.Clean(name)) {
			return nil, os.ErrPermission
		}
		return root.ReadFile(filepath.FromSlash(name))
	}
}

// knowledge holds the inputs of a page besides the document.
func knowledge(ctx context.Context, from workbook.Book, read func(string) ([]byte, error)) (page.Options, error) {
	facts, err := page.Facts(ctx, from)
	if err != nil {
		return page.Options{}, err
	}
	known := page.Options{Facts: facts, Read: read, Lisp: page.LispOf(from.Lanes, from.Source), Citations: from.Lanes.Citations()}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(from.File), "events.org")); err == nil {
		known.Events = page.RunEvents(text, from.File)
		page.AddEvents(facts, known.Events)
	}
	return known, nil
}

// gather takes the files that the document names and that lie beside it.
func (p *Packed) gather(doc *org.Document, read func(string) ([]byte, error)) {
	names := map[string]bool{}
	for n := range doc.AllObjects(org.KindLink) {
		if l, ok := n.Link(); ok && l.Type == "file" {
			names[path.Clean(strings.TrimPrefix(l.Path, "./"))] = true
		}
	}
	for k := range doc.Keywords("INCLUDE") {
		if i, ok := k.Include(); ok {
			names[path.Clean(strings.TrimPrefix(i.File.Text, "./"))] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch data, err := read(name); {
		case name == p.Name || name == ".":
		case manifest.Private(name):
			p.Left = append(p.Left, name+" never leaves this machine")
		case !manifest.SafePath(name) || name == manifest.BundlePath || name == manifest.BundleKeysPath || name == PagePath:
			p.Left = append(p.Left, name+" lies outside the workbook's directory, or has a name that bundles use")
		case manifest.IsPage(name):
			p.Left = append(p.Left, name+" is a page of its own")
		case err != nil:
			p.Left = append(p.Left, name+" cannot be read")
		default:
			p.Files[name] = data
		}
	}
}

// Bundle is the workbook as a .wbundle.
func (p *Packed) Bundle(by sign.Issuer, at time.Time) ([]byte, error) {
	html, err := manifest.SignPage(p.Page, by.Signer, at, p.Assertions...)
	if err != nil {
		return nil, err
	}
	files := maps.Clone(p.Files)
	files[PagePath] = html
	return sign.Bundle(files, by, at, p.Assertions...)
}

// SinglePage is the workbook as one HTML page that holds its own bundle.
func (p *Packed) SinglePage(by sign.Issuer, at time.Time) ([]byte, error) {
	zip, err := sign.Bundle(p.Files, by, at, p.Assertions...)
	if err != nil {
		return nil, err
	}
	return manifest.SignPage(bundle.Embed(p.Page, zip), by.Signer, at, p.Assertions...)
}
