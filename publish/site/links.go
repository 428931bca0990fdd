package site

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/proof/manifest"
	"wb/publish/page"
)

// linker leads from page to page, and keeps what links found: the files that
// the site needs, and mistakes.
type linker struct {
	p       *Project
	mu      sync.Mutex
	anchors map[string]func() (page.Anchors, error) // by the path of the document
}

func newLinker(p *Project) *linker {
	l := &linker{p: p, anchors: map[string]func() (page.Anchors, error){}}
	for _, d := range p.Documents {
		l.forget(d)
	}
	return l
}

// forget has the places of a document's page read again when they are needed.
func (l *linker) forget(d *Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.anchors[d.Path] = sync.OnceValues(func() (page.Anchors, error) {
		return page.AnchorsOf(context.Background(), d.File, d.Source, l.p.includedBy(d).read)
	})
}

func (l *linker) places(d *Document) (page.Anchors, error) {
	l.mu.Lock()
	read := l.anchors[d.Path]
	l.mu.Unlock()
	return read()
}

// reading is what one document's links came to.
type reading struct {
	*linker
	doc   *Document
	embed bool     // pictures become part of the page
	files []string // of the directory, that the page shows or leads to
	uses  []string // pages it has links to places of
	ids   map[string]string
	found []diag.Finding
}

// resolve implements [page.Resolver] for one document.
func (r *reading) resolve(l page.Link) (page.Destination, bool) {
	switch l.Kind {
	case "id":
		return r.byID(l)
	case "file", "attachment":
		return r.file(l)
	case "html":
		return r.address(l)
	}
	return page.Destination{}, false
}

func (r *reading) complain(l page.Link, code, hint, format string, args ...any) {
	at := l.Pos // in an included file, if it stands there
	if at.File == "" {
		at.File = r.doc.File
	}
	d := diag.Finding{Pos: at, Severity: diag.Warning, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
	if !slices.Contains(r.found, d) {
		r.found = append(r.found, d)
	}
}

// private complains about links to what never leaves this machine; the page
// shows them as text and asks nobody.
func (r *reading) private(links []page.Link) {
	for _, l := range links {
		if l.Kind != "file" && l.Kind != "attachment" {
			continue
		}
		if name := path.Join(path.Dir(r.doc.Path), l.Path); !path.IsAbs(l.Path) && manifest.Private(name) { // or outside
			r.file(l)
		}
	}
}

// among is what the page found and what its links came to. Where both complain
// about a link, the site knows more.
func (r *reading) among(found []diag.Finding) []diag.Finding {
	out := slices.DeleteFunc(slices.Clone(found), func(d diag.Finding) bool {
		return slices.ContainsFunc(r.found, func(mine diag.Finding) bool {
			return mine.Pos == d.Pos && (d.Code == "broken-link" || d.Code == mine.Code)
		})
	})
	return append(out, r.found...)
}

func (r *reading) byID(l page.Link) (page.Destination, bool) {
	d := r.p.byID[l.Path]
	if r.ids == nil {
		r.ids = map[string]string{}
	}
	r.ids[l.Path] = pathOf(d)
	if d == nil || d == r.doc {
		return page.Destination{}, false // the page knows its own
	}
	places, err := r.places(d)
	if err != nil {
		r.complain(l, "broken-link", "", "%s: %v", d.Path, err)
		return page.Destination{}, false
	}
	r.uses = append(r.uses, d.Path)
	id, ok := places.ID(l.Path)
	if !ok {
		r.complain(l, "broken-link", "readers cannot see it there", "id:%s leads to a part of %s that its page does not show", l.Path, d.Path)
		return page.Destination{Href: relative(r.doc.Page, d.Page), Broken: true}, true
	}
	return page.Destination{Href: relative(r.doc.Page, d.Page) + "#" + url.PathEscape(id)}, true
}

// pathOf is "" for no document.
func pathOf(d *Document) string {
	if d == nil {
		return ""
	}
	return d.Path
}

// file leads to a page or to a file beside it.
func (r *reading) file(l page.Link) (page.Destination, bool) {
	if strings.HasPrefix(l.Path, "/") || strings.HasPrefix(l.Path, "~") {
		r.complain(l, "broken-link", "use a path from this document", "%s is a file of this machine", l.Target)
		return page.Destination{}, false
	}
	return r.named(l, path.Join(path.Dir(r.doc.Path), l.Path))
}

// address leads where HTML of the author's says, in which pages have the names
// that they have in the site.
func (r *reading) address(l page.Link) (page.Destination, bool) {
	switch {
	case r.embed && l.Image && !path.IsAbs(l.Path):
		return r.file(l)
	case r.embed:
		return page.Destination{}, false
	}
	name := path.Join(path.Dir(r.doc.Path), l.Path)
	if path.IsAbs(l.Path) {
		below, ok := strings.CutPrefix(l.Path, cmp.Or(r.p.Config.BasePath, "/"))
		if !ok {
			return page.Destination{}, false // another site of the host
		}
		name = path.Clean(below)
	}
	for _, d := range r.p.Documents {
		if d.Page == name {
			return page.Destination{Href: relative(r.doc.Page, name)}, true
		}
	}
	if Generated(name) {
		return page.Destination{Href: relative(r.doc.Page, name)}, true
	}
	to, ok := r.named(l, name)
	return page.Destination{Href: to.Href, Broken: !ok || to.Broken}, true
}

// named leads to a file of the directory, or to its page.
func (r *reading) named(l page.Link, name string) (page.Destination, bool) {
	switch {
	case name == ".." || strings.HasPrefix(name, "../"):
		r.complain(l, "broken-link", "a site contains only files below its directory", "%s is outside the site", l.Target)
		return page.Destination{}, false
	case manifest.Private(name):
		r.complain(l, "private", "remove the link, or move what readers may see to another file", "%s never leaves this machine", l.Target)
		return page.Destination{}, false
	}
	if d := r.p.byPath[name]; d != nil {
		return r.page(l, d)
	}
	info, err := r.p.root.Stat(filepath.FromSlash(name))
	switch {
	case err != nil && l.Image:
		r.complain(l, "missing-image", cmp.Or(r.belowBase(l), r.nearFile(name)), "%s is not there", l.Path)
		return page.Destination{Broken: true}, true
	case err != nil:
		r.complain(l, "broken-link", cmp.Or(r.belowBase(l), r.nearFile(name)), "%s leads nowhere", l.Target)
		return page.Destination{}, false
	case info.IsDir():
		if d := r.p.byPath[name+"/index.org"]; d != nil {
			return r.page(l, d)
		}
		r.complain(l, "broken-link", "link to a document in it", "%s is a directory", l.Target)
		return page.Destination{}, false
	case path.Ext(name) == ".org":
		hint := "list it in " + NavFile
		for _, left := range r.p.Left {
			if why, ok := strings.CutPrefix(left, name+": "); ok && why != notListed {
				hint = "it is " + why
			}
		}
		if r.embed {
			hint = "wb publish site publishes documents together"
		}
		if name == NavFile || name == ConfigFile {
			hint = ""
		}
		r.complain(l, "broken-link", hint, "%s is not a page of the site", l.Target)
		return page.Destination{}, false
	case !manifest.SafePath(publicName(name)) || Generated(name):
		r.complain(l, "broken-link", "rename the file", "%s cannot be the name of a file of the site", name)
		return page.Destination{}, false
	}
	if l.Image && r.embed {
		return page.Destination{}, false
	}
	r.files = append(r.files, name)
	return page.Destination{Href: relative(r.doc.Page, publicName(name))}, true
}

// publicName is the name of a file in the site: instead of a character that a name
// may not have on every system, such as the colons of a screenshot's time, its code.
func publicName(name string) string {
	if manifest.SafePath(name) {
		return name
	}
	var out strings.Builder
	for _, r := range name {
		if strings.ContainsRune("\\:*?\"<>|", r) {
			fmt.Fprintf(&out, "=%02X", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func (r *reading) page(l page.Link, d *Document) (page.Destination, bool) {
	href := relative(r.doc.Page, d.Page)
	if l.Search == "" {
		return page.Destination{Href: href}, true
	}
	r.uses = append(r.uses, d.Path)
	places, err := r.places(d)
	if err != nil {
		r.complain(l, "broken-link", "", "%s: %v", d.Path, err)
		return page.Destination{Href: href, Broken: true}, true
	}
	id, ok := places.Search(l.Search)
	if !ok {
		hint := ""
		if near := nearest.Word(strings.TrimLeft(l.Search, "#*"), places.Names()); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.complain(l, "broken-link", hint, "%s has no section or target %s", d.Path, l.Search)
		return page.Destination{Href: href, Broken: true}, true
	}
	return page.Destination{Href: href + "#" + url.PathEscape(id)}, true
}

// belowBase is a hint at the path below which the author's HTML takes the site
// to be: without the first name of an address, the file is there.
func (r *reading) belowBase(l page.Link) string {
	first, name, ok := strings.Cut(strings.TrimPrefix(l.Path, "/"), "/")
	if !path.IsAbs(l.Path) || !ok {
		return ""
	}
	if _, err := r.p.root.Stat(filepath.FromSlash(path.Clean(name))); err != nil {
		return ""
	}
	return "#+PUBLISH_BASE_PATH: /" + first + "/ in " + ConfigFile + " says that readers find the site there"
}

// nearFile is a hint at a file with a name like the one that is not there.
func (r *reading) nearFile(name string) string {
	listed, err := fs.ReadDir(r.p.root.FS(), path.Dir(name))
	if err != nil {
		return "there is no directory " + path.Dir(name)
	}
	var names []string
	for _, e := range listed {
		if !manifest.Private(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if near := nearest.Word(path.Base(name), names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// To leads from the page of a document to a file of the site.
func (d *Document) To(name string) string { return relative(d.Page, name) }

// relative leads from one file of the site to another, whatever host they are
// on and whatever path they are under.
func relative(from, to string) string {
	a, b := strings.Split(path.Dir(from), "/"), strings.Split(path.Dir(to), "/")
	if path.Dir(from) == "." {
		a = nil
	}
	if path.Dir(to) == "." {
		b = nil
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	parts := slices.Concat(slices.Repeat([]string{".."}, len(a)), b, []string{path.Base(to)})
	u := url.URL{Path: strings.Join(parts, "/")}
	return u.String()
}
