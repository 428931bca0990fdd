package site

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

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
	outline *Outline          // what the frames were made of
	frames  manifest.Files
	files   manifest.Files // the site as it was built last
}

// NewBuilder builds the site of a project with a layout.
func NewBuilder(p *Project, layout Layout, opts Options) *Builder {
	return &Builder{p: p, layout: layout, opts: opts}
}

// Result is a site that was built.
type Result struct {
	Files   manifest.Files
	Found   []diag.Finding // the authors' mistakes
	Pages   int            // documents that became pages
	Rebuilt []string       // documents whose pages were made, the others were kept
	Framed  bool           // the frames were made again
}

// Build makes the site. When it was made before, documents that did not change
// and that no changed document can matter to keep their pages.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	old := b.pages
	b.pages = map[string]*built{}
	if old == nil || !sameDocuments(old, b.p.Documents) {
		old, b.links = nil, newLinker(b.p)
	}
	changed, files := map[string]bool{}, &stale{b.p, map[string]string{}}
	for _, d := range b.p.Documents {
		was := old[d.Path]
		if was == nil || was.doc != d && !bytes.Equal(was.doc.Source, d.Source) || files.any(was.included) {
			changed[d.Path] = true
			b.links.forget(d)
		}
	}
	var todo []*Document
	for _, d := range b.p.Documents {
		was := old[d.Path]
		if changed[d.Path] || slices.ContainsFunc(was.uses, func(name string) bool { return changed[name] }) || slices.ContainsFunc(was.found, isMistake) {
			todo = append(todo, d)
		} else {
			b.pages[d.Path] = was
		}
	}
	made, err := b.buildAll(ctx, todo)
	if err != nil {
		b.pages = nil
		return nil, err
	}
	r := &Result{Pages: len(b.p.Documents), Found: slices.Clone(b.p.Found)}
	for _, m := range made {
		b.pages[m.doc.Path] = m
		r.Rebuilt = append(r.Rebuilt, m.doc.Path)
	}
	for _, d := range b.p.Documents {
		r.Found = appendNew(r.Found, b.pages[d.Path].found)
	}
	framed, err := b.frame(ctx)
	if err != nil {
		return nil, err
	}
	r.Framed = framed
	if err := b.fill(r); err != nil {
		return nil, err
	}
	r.Files = b.files
	return r, nil
}

// isMistake reports whether a finding may be gone when other files change.
func isMistake(d diag.Finding) bool { return d.Severity != diag.Note }

// buildAll makes the parts of several documents' pages.
func (b *Builder) buildAll(ctx context.Context, docs []*Document) ([]*built, error) {
	made := make([]*built, len(docs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range docs {
		group.Go(func() (err error) {
			made[i], err = b.build(ctx, d)
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
func (b *Builder) frame(ctx context.Context) (bool, error) {
	o := b.p.outline(b.pages)
	if reflect.DeepEqual(o, b.outline) {
		return false, nil
	}
	frames, err := b.layout.Frames(ctx, o)
	if err != nil {
		return false, err
	}
	b.frames, b.outline = frames, o
	return true, nil
}

// fill puts the documents into their frames and adds what the site needs
// besides.
func (b *Builder) fill(r *Result) error {
	files := maps.Clone(b.frames)
	for _, d := range b.p.Documents {
		m := b.pages[d.Path]
		if m.framed == nil || r.Framed {
			m.framed = b.inFrames(m)
		}
		maps.Copy(files, m.framed)
		maps.Copy(files, m.live)
		for _, name := range m.files {
			if files[name] != nil {
				continue
			}
			data, err := b.p.root.ReadFile(filepath.FromSlash(name))
			if err != nil {
				return err
			}
			files[name] = data
		}
	}
	files["assets/style.css"] = append([]byte(page.Style()), files["assets/style.css"]...)
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
	index, err := b.index()
	if err != nil {
		return err
	}
	files["assets/search-index.js"] = index
	b.files = files
	return nil
}

// isPage reports whether a path is that of a document's page.
func (b *Builder) isPage(name string) bool {
	return slices.ContainsFunc(b.p.Documents, func(d *Document) bool {
		return name == d.Page || name == sourceOf(d) || name == trailOf(d)
	})
}

// inFrames puts the parts of a document into the frames of its pages.
func (b *Builder) inFrames(m *built) manifest.Files {
	d, files := m.doc, manifest.Files{}
	foot := m.foot.HTML
	if m.foot.Script != "" {
		name := "assets/live-" + manifest.SHA256([]byte(m.foot.Script))[:16] + ".mjs"
		files[name] = []byte(m.foot.Script)
		foot += "<script type=\"module\" src=\"" + d.To(name) + "\"></script>\n"
	}
	files[d.Page] = splice(b.frames[d.Page], map[string]string{SlotHead: m.page.Head, SlotHeader: m.page.Header, SlotContents: m.page.TOC, SlotBody: m.page.Body,
		SlotProvenance: m.page.Provenance, SlotFoot: foot})
	if frame, ok := b.frames[sourceOf(d)]; ok {
		files[sourceOf(d)] = splice(frame, map[string]string{SlotBody: m.page.View})
	}
	if frame, ok := b.frames[trailOf(d)]; ok {
		files[trailOf(d)] = splice(frame, map[string]string{SlotBody: m.page.Trail})
	}
	return files
}

// splice puts the parts of a document into its frame.
func splice(frame []byte, parts map[string]string) []byte {
	rest, size := string(frame), len(frame)
	for _, part := range parts {
		size += len(part)
	}
	var out strings.Builder
	out.Grow(size)
	for {
		before, after, found := strings.Cut(rest, "<!--wb:")
		out.WriteString(before)
		if !found {
			return []byte(out.String())
		}
		name, after, _ := strings.Cut(after, "-->")
		out.WriteString(parts["<!--wb:"+name+"-->"])
		rest = after
	}
}
