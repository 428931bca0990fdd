package site

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// entry is one line of site.org, before its pages are known.
type entry struct {
	section []string // headlines, the highest first
	path    string   // of a document, or of a directory with "/" at its end
	href    string   // of a place elsewhere
	title   string   // "" is the document's own
	pos     diag.Position
}

// readNav reads site.org: a headline begins a section, and every list item
// that has a link is a line of it. A link to a directory stands for the
// documents in it.
func readNav(d Named) (entries []entry, found []diag.Finding) {
	doc := org.Parse(d.Source)
	heads := slices.Collect(doc.Headlines())
	next, section := 0, []string(nil)
	for n := range doc.AllObjects(org.KindLink) {
		for next < len(heads) && heads[next].Start() <= n.Start() {
			section = append(slices.Clone(section[:min(len(section), heads[next].Level-1)]), strings.TrimSpace(heads[next].Title.Text))
			next++
		}
		if !inItem(n) {
			continue
		}
		l, ok := n.Link()
		if !ok {
			continue
		}
		e := entry{section: section, pos: position(d.Name, doc, n.Start())}
		if l.Desc.Present() {
			e.title = strings.TrimSpace(l.Desc.Text)
		}
		switch name, isFile := navTarget(l); {
		case l.Type == "http" || l.Type == "https":
			e.href = l.Type + ":" + l.Path
			if e.title == "" {
				e.title = strings.TrimPrefix(l.Path, "//")
			}
		case !isFile:
			found = append(found, diag.Finding{Pos: e.pos, Severity: diag.Warning, Code: "nav",
				Message: l.Target.Text + " is neither a document nor an address", Hint: "- [[file:guide/start.org][Start here]]"})
			continue
		default:
			e.path = name
		}
		entries = append(entries, e)
	}
	return entries, found
}

func inItem(n *org.Node) bool {
	for a := range n.Ancestors() {
		if a.Kind() == org.KindItem {
			return true
		}
	}
	return false
}

// navTarget is the document or directory that a link of site.org names. What
// Org takes for the title of a headline, [[a/b.org]], is a file here.
func navTarget(l org.Link) (string, bool) {
	if l.Type != "file" && l.Type != "fuzzy" {
		return "", false
	}
	name := strings.TrimPrefix(l.Path, "./")
	dir := strings.HasSuffix(name, "/")
	if !dir && path.Ext(name) != ".org" {
		return "", false
	}
	if name = path.Clean(name); dir {
		name += "/"
	}
	return name, true
}

func position(file string, doc *org.Document, at int) diag.Position {
	p := diag.Position{File: file}
	p.Line, p.Col = doc.Position(at)
	return p
}

// nav puts the pages of a site in one language in order: that of site.org, or a
// section for each directory, within that of the directory around it.
func (p *Project) nav(pages map[string]*built, lang string) []Section {
	var out []Section
	ids, open := map[string]int{}, []string{"\x00"} // nothing is open
	add := func(section []string, items ...Item) {
		if len(items) == 0 {
			return
		}
		if len(section) == 0 {
			section = []string{""}
		}
		same := 0
		for same < min(len(open), len(section)) && open[same] == section[same] {
			same++
		}
		if same == len(section) && len(open) > same {
			same-- // goes on after a section within it
		}
		for level := same; level < len(section); level++ {
			id := workbook.Slug(section[level])
			if id == "" {
				id = "pages"
			}
			if ids[id]++; ids[id] > 1 {
				id = fmt.Sprintf("%s-%d", id, ids[id])
			}
			out = append(out, Section{Title: section[level], ID: id, Level: level + 1})
		}
		open = section
		last := &out[len(out)-1]
		last.Items = append(last.Items, items...)
	}
	if p.entries != nil {
		for _, e := range p.entriesIn(lang) {
			add(e.section, p.items(e, pages, lang)...)
		}
		return out
	}
	var dirs []string
	within := map[string][]string{}
	for _, d := range p.Documents {
		if d.Lang != lang {
			continue
		}
		dir := path.Dir(d.Path)
		if within[dir] == nil {
			dirs = append(dirs, dir)
		}
		within[dir] = append(within[dir], d.Path)
	}
	slices.SortFunc(dirs, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	if at := slices.Index(dirs, "."); at > 0 {
		dirs = slices.Insert(slices.Delete(dirs, at, at+1), 0, ".")
	}
	for _, dir := range dirs {
		add(p.titlesOf(dir, pages, lang), sorted(within[dir], pages)...)
	}
	return out
}

// titlesOf are the titles of a directory and of those around it, the highest first.
func (p *Project) titlesOf(dir string, pages map[string]*built, lang string) (titles []string) {
	for at := dir; at != "."; at = path.Dir(at) {
		titles = slices.Insert(titles, 0, p.titleOf(at, pages, lang))
	}
	return titles
}

// items are the pages that a line of site.org stands for.
func (p *Project) items(e entry, pages map[string]*built, lang string) []Item {
	if e.href != "" {
		return []Item{{Href: e.href, Title: e.title}}
	}
	if dir, ok := strings.CutSuffix(e.path, "/"); ok {
		var names []string
		for _, d := range p.Documents {
			if path.Dir(d.Path) == dir && d.Lang == lang && !p.named[d.Path] {
				names = append(names, d.Path)
			}
		}
		items := sorted(names, pages)
		if at := p.Config.prefixOf(lang) + dir + "/" + HomePage; e.title != "" && !slices.ContainsFunc(items, func(i Item) bool { return i.Path == at }) {
			items = slices.Insert(items, 0, Item{Path: at, Title: e.title, list: dir})
		}
		return items
	}
	b := pages[e.path]
	if b == nil {
		return nil
	}
	title := e.title
	if title == "" {
		title = b.Title
	}
	return []Item{{Path: b.doc.Page, Title: title}}
}

// sorted are documents as lines: index.org first, then the newest, those
// without a date by their paths.
func sorted(names []string, pages map[string]*built) []Item {
	var list []*built
	for _, name := range names {
		if b := pages[name]; b != nil {
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b *built) int {
		if x, y := path.Base(a.doc.same) == "index.org", path.Base(b.doc.same) == "index.org"; x != y {
			if x {
				return -1
			}
			return 1
		}
		if c := strings.Compare(b.Date, a.Date); c != 0 {
			return c
		}
		return strings.Compare(a.doc.Path, b.doc.Path)
	})
	items := make([]Item, len(list))
	for i, b := range list {
		items[i] = Item{Path: b.doc.Page, Title: b.Title}
	}
	return items
}

// titleOf a directory is that of its index, or its name.
func (p *Project) titleOf(dir string, pages map[string]*built, lang string) string {
	if b := pages[p.inLanguage(dir+"/index.org", lang)]; b != nil {
		return b.Title
	}
	return nameOf(dir)
}

// nameOf a directory is the last part of its path, as words.
func nameOf(dir string) string {
	name := strings.NewReplacer("-", " ", "_", " ").Replace(path.Base(dir))
	return strings.ToUpper(name[:1]) + name[1:]
}
