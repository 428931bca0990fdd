package site

import (
	"context"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/page"
)

// Slots are the marks in a frame that parts of a document take the place of.
const (
	SlotHead       = "<!--wb:head-->"
	SlotHeader     = "<!--wb:header-->"
	SlotContents   = "<!--wb:contents-->"
	SlotBody       = "<!--wb:body-->"
	SlotProvenance = "<!--wb:provenance-->"
	SlotFoot       = "<!--wb:foot-->"
)

// Builder builds a site, and builds what changed of it again.
type Builder struct {
	p      *Project
	layout Layout
	opts   Options
	links  *linker

	pages   map[string]*built // by the path of the document
	states  map[string]string // what Options.State says of each directory, in this build
	outline *Outline          // what the frames were made of
	frames  manifest.Files
	kept    *Kept          // what another process built, nil without
	files   manifest.Files // the site as it was built last, without what is kept
}

// NewBuilder builds the site of a project with a layout.
func NewBuilder(p *Project, layout Layout, opts Options) *Builder {
	return &Builder{p: p, layout: layout, opts: opts}
}

// Result is a site that was built.
type Result struct {
	Files   manifest.Files
	Kept    map[string]string // digests of files that are as [Kept] has them, by path
	Found   []diag.Finding    // the authors' mistakes
	Pages   int               // documents that became pages
	Rebuilt []string          // documents whose pages were made, the others were kept
	Framed  bool              // the frames were made again
	Said    map[string][]manifest.Assertion
}

// Build makes the site. When it was made before, documents that did not change
// and that no changed document can matter to keep their pages.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	old := b.pages
	b.pages = map[string]*built{}
	if old == nil || !sameDocuments(old, b.p.Documents) {
		old, b.links = nil, newLinker(b.p)
	}
	b.states = map[string]string{}
	for _, d := range b.p.Documents {
		if dir := filepath.Dir(d.File); b.opts.State != nil && b.states[dir] == "" {
			b.states[dir] = b.opts.State(dir)
		}
	}
	changed, files := map[string]bool{}, &stale{b.p, map[string]string{}}
	for _, d := range b.p.Documents {
		if was := old[d.Path]; was == nil || b.changed(was, d, files) {
			changed[d.Path] = true
			b.links.forget(d)
		}
	}
	var todo []*Document
	for _, d := range b.p.Documents {
		was := old[d.Path]
		if changed[d.Path] || slices.ContainsFunc(was.Uses, func(name string) bool { return changed[name] }) || slices.ContainsFunc(was.Found, isMistake) {
			todo = append(todo, d)
		} else {
			was.doc = d
			b.pages[d.Path] = was
		}
	}
	r := &Result{Pages: len(b.p.Documents), Found: slices.Clone(b.p.Found), Said: map[string][]manifest.Assertion{}}
	err := b.rebuild(ctx, todo, r)
	if err == nil {
		r.Framed, err = b.frame(ctx, r)
	}
	if err != nil {
		b.pages = nil
		return nil, err
	}
	for _, d := range b.p.Documents {
		m := b.pages[d.Path]
		r.Found = appendNew(r.Found, m.Found)
		if m.Said != nil {
			r.Said[d.Page] = m.Said
		}
	}
	if err := b.fill(r); err != nil {
		return nil, err
	}
	r.Files = b.files
	return r, nil
}

// changed reports whether a page would be another one now, by what it is made of.
func (b *Builder) changed(was *built, d *Document, files *stale) bool {
	if was.doc != d && was.Source != d.sum() || files.any(was.Included) || was.State != b.states[filepath.Dir(d.File)] {
		return true
	}
	for id, path := range was.IDs {
		if pathOf(b.p.byID[id]) != path {
			return true
		}
	}
	return slices.ContainsFunc(was.Files, func(name string) bool {
		info, err := b.p.root.Stat(filepath.FromSlash(name))
		return err != nil || info.IsDir()
	})
}

// rebuild makes pages again.
func (b *Builder) rebuild(ctx context.Context, docs []*Document, r *Result) error {
	made, err := b.buildAll(ctx, docs)
	if err != nil {
		return err
	}
	for _, m := range made {
		b.pages[m.doc.Path] = m
		r.Rebuilt = append(r.Rebuilt, m.doc.Path)
	}
	return nil
}

// isMistake reports whether a finding may be gone when other files change.
func isMistake(d diag.Finding) bool { return d.Severity != diag.Note }

// buildAll makes the parts of several documents' pages.
func (b *Builder) buildAll(ctx context.Context, docs []*Document) ([]*built, error) {
	made := make([]*built, len(docs))
	tell := b.opts.Made
	if tell == nil {
		tell = func(int, int) {}
	}
	var done atomic.Int64
	tell(0, len(docs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range docs {
		group.Go(func() (err error) {
			made[i], err = b.build(ctx, d)
			tell(int(done.Add(1)), len(docs))
			return err
		})
	}
	return made, group.Wait()
}

// sameDocuments reports whether the documents are those that pages were made
// of; links may lead elsewhere when they are not.
func sameDocuments(pages map[string]*built, docs []*Document) bool {
	if len(pages) != len(docs) {
		return false
	}
	for _, d := range docs {
		if pages[d.Path] == nil {
			return false
		}
	}
	return true
}

// frame has the layout make the frames, if anything is different that they
// show.
func (b *Builder) frame(ctx context.Context, r *Result) (bool, error) {
	o := b.p.outline(b.pages)
	if b.kept != nil {
		if sum, err := o.sum(); err != nil || sum == b.kept.state.Outline {
			return false, err
		}
	} else if reflect.DeepEqual(o, b.outline) {
		return false, nil
	}
	frames, err := b.layout.Frames(ctx, o)
	if err != nil {
		return false, err
	}
	b.frames, b.outline = frames, o
	if b.kept != nil {
		err = b.reframe(ctx, r)
	}
	return true, err
}

// frameOf is a frame that was made now, or one that is kept.
func (b *Builder) frameOf(name string) ([]byte, bool, error) {
	if b.frames == nil && b.kept != nil {
		return b.kept.frame(name)
	}
	frame, ok := b.frames[name]
	return frame, ok, nil
}

// fill puts the documents into their frames and adds what the site needs
// besides.
func (b *Builder) fill(r *Result) error {
	files := manifest.Files{}
	maps.Copy(files, b.frames)
	switch {
	case b.kept == nil:
	case b.frames == nil:
		r.Kept = b.kept.framed()
	default: // frames were made now, and some came out as they were
		r.Kept = map[string]string{}
	}
	for _, d := range b.p.Documents {
		m := b.pages[d.Path]
		if m.page != nil || r.Framed && b.kept == nil {
			if err := b.inFrames(m); err != nil {
				return err
			}
		}
		for name := range m.Slots {
			if m.framed[name] == nil {
				delete(files, name)
				r.Kept[name] = b.kept.state.Files[name]
			}
		}
		maps.Copy(files, m.framed)
		maps.Copy(files, m.live)
		if m.foot.Script != "" {
			files[scriptOf(m.foot)] = []byte(m.foot.Script)
		}
		for _, name := range m.Beside {
			if files[name] == nil {
				r.Kept[name] = b.kept.state.Files[name]
			}
		}
		for _, name := range m.Files {
			to := publicName(name)
			if files[to] != nil {
				continue
			}
			data, err := b.p.root.ReadFile(filepath.FromSlash(name))
			if err != nil {
				return err
			}
			files[to] = data
		}
	}
	style, _, err := b.frameOf("assets/style.css")
	if err != nil {
		return err
	}
	files["assets/style.css"] = append([]byte(page.Style()), style...)
	files["assets/theme.js"] = []byte(page.ThemeSwitch())
	files["assets/verify.mjs"] = []byte(page.Verifier())
	for _, name := range b.p.extra {
		data, err := b.p.root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		files[name] = data
	}
	for name, data := range b.p.Look.Static() {
		if !b.isPage(name) {
			files[name] = data
		}
	}
	for _, lang := range b.p.Config.codes() {
		if files[b.p.Config.prefixOf(lang)+"assets/search-index.js"], err = b.index(lang); err != nil {
			return err
		}
	}
	for name := range files {
		delete(r.Kept, name)
	}
	b.files = files
	return nil
}

// isPage reports whether a path is that of a document's page.
func (b *Builder) isPage(name string) bool {
	return slices.ContainsFunc(b.p.Documents, func(d *Document) bool {
		return name == d.Page || name == sourceOf(d) || name == trailOf(d)
	})
}

// scriptOf is the path of the script that runs a page's components.
func scriptOf(foot page.Foot) string {
	return "assets/live-" + manifest.SHA256([]byte(foot.Script))[:16] + ".mjs"
}
