package site

import (
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/page"
	"wb/workbook"
)

// HomePage is the page that readers get who ask for the site itself.
const HomePage = "index.html"

// Single is the site of one document: its page, which needs nothing but
// itself, and the files that it leads to.
func Single(ctx context.Context, d *Document, opts Options) (manifest.Files, []manifest.Assertion, []diag.Finding, error) {
	root, err := os.OpenRoot(filepath.Dir(d.File))
	if err != nil {
		return nil, nil, nil, err
	}
	defer root.Close()
	p := &Project{Dir: filepath.Dir(d.File), root: root, Documents: []*Document{d}, byPath: map[string]*Document{d.Path: d}}
	config, found := ReadConfig(Named{d.File, d.Source})
	p.Config, p.Found = config, found
	if err := p.readLook(); err != nil {
		return nil, nil, nil, err
	}
	if at := config.look.comments; at.value != "" {
		p.mind(at.pos, diag.Warning, "config", "publish it as a site", "a page of its own has no comments")
	}
	po, err := opts.programs(ctx, d)
	if err != nil {
		return nil, nil, nil, err
	}
	links := &reading{linker: newLinker(p), doc: d, embed: true}
	po.Resolve = links.resolve
	po.Read = func(name string) ([]byte, error) {
		if manifest.Private(path.Clean(name)) {
			return nil, os.ErrPermission
		}
		return root.ReadFile(filepath.FromSlash(name))
	}
	po.Show = showOf[config.Source]
	if po.Head, err = p.singleHead(); err != nil {
		return nil, nil, nil, err
	}
	var live map[string][]byte
	var said []manifest.Assertion
	if opts.Know != nil {
		known, err := opts.Know(ctx, d, config)
		if err != nil {
			return nil, nil, nil, err
		}
		live, said = known.Files, known.Said
		po.Facts, po.Events, po.Live, po.Foot = known.Facts, known.Events, known.Live, known.Foot
	}
	html, found, err := page.Render(ctx, d.File, d.Source, po)
	if err != nil {
		return nil, nil, nil, err
	}
	files := manifest.Files{d.Page: html}
	maps.Copy(files, live)
	for _, name := range links.files {
		if files[name], err = root.ReadFile(filepath.FromSlash(name)); err != nil {
			return nil, nil, nil, err
		}
	}
	return files, said, slices.Concat(p.Found, links.among(found)), nil
}

// singleHead is what the configuration puts into the head of a page that stands
// alone: style sheets are in it.
func (p *Project) singleHead() (string, error) {
	head := page.StyleElement(string(p.Look.Own[path.Join(staticDir, LookFile)]))
	for _, name := range p.Look.Style {
		if name == LookFile {
			continue
		}
		css, err := p.root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return "", err
		}
		head += page.StyleElement(string(css))
	}
	return head + strings.ReplaceAll(p.Look.Head, RootMark, ""), nil
}

// SingleConfig is the configuration of a document that is published alone. It
// is built beside it, in a directory named after it.
func SingleConfig(file string) (Config, []diag.Finding, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return Config{}, nil, err
	}
	if bad, is := workbook.NotText(file, src); is {
		return Config{}, []diag.Finding{bad}, nil
	}
	c, found := ReadConfig(Named{file, src})
	if c.Output == DefaultOutput {
		c.Output = ".publish_" + strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return c, found, nil
}
