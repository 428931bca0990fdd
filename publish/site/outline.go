package site

import (
	"path"
	"slices"
	"strings"
)

// outline says of every page what its frame shows.
func (p *Project) outline(pages map[string]*built) *Outline {
	o := &Outline{Config: p.Config, Look: p.Look, Nav: p.nav(pages)}
	o.settleTitle(pages)
	infos := map[string]*PageInfo{}
	for _, d := range p.Documents {
		infos[d.Page] = p.info(pages[d.Path])
	}
	var order []*PageInfo
	for _, s := range o.Nav {
		for _, item := range s.Items {
			info := infos[item.Path]
			if info == nil || info.Listed {
				continue
			}
			info.Section, info.SectionID, info.Listed = s.Title, s.ID, true
			order = append(order, info)
		}
	}
	for i, info := range order {
		if i > 0 {
			info.Prev = &Ref{relative(info.Path, order[i-1].Path), order[i-1].Title}
		}
		if i+1 < len(order) {
			info.Next = &Ref{relative(info.Path, order[i+1].Path), order[i+1].Title}
		}
	}
	for _, d := range p.Documents {
		if info := infos[d.Page]; !info.Listed {
			info.Listed = true // the home page without a line of its own
			order = append(order, info)
		}
	}
	for _, info := range order {
		o.Pages = append(o.Pages, *info)
	}
	for _, info := range order {
		o.Pages = append(o.Pages, companions(info)...)
	}
	return o
}

// settleTitle names a site without a title after its home page, else its
// directory's first page.
func (o *Outline) settleTitle(pages map[string]*built) {
	if o.Title != "" {
		return
	}
	if home := pages["index.org"]; home != nil {
		o.Title = home.page.Title
		return
	}
	o.Title = "Pages"
}

func (p *Project) info(b *built) *PageInfo {
	d := b.doc
	info := &PageInfo{Path: d.Page, Kind: "page", Title: b.page.Title, Lang: b.page.Lang, Author: b.page.Author,
		Description: b.about, Image: p.imageOf(b), Date: b.date, Tags: slices.Clone(b.page.Tags), EditURL: p.Config.Edit(d.Path)}
	if d.Path == "index.org" {
		info.Kind = "home"
	}
	info.Live = b.foot.Script != ""
	if b.page.View != "" {
		info.SourceURL = path.Base(sourceOf(d))
	}
	if b.page.Trail != "" {
		info.TrailURL = path.Base(trailOf(d))
	}
	return info
}

// imageOf is the picture that stands for a page: what #+IMAGE: names, else the
// site's.
func (p *Project) imageOf(b *built) string {
	if b.image != "" {
		return b.image
	}
	return p.Look.Image
}

// companions are the pages that belong to a page: its source and its events.
func companions(of *PageInfo) []PageInfo {
	var out []PageInfo
	add := func(kind, title, name string) {
		if name == "" {
			return
		}
		out = append(out, PageInfo{Path: path.Join(path.Dir(of.Path), name), Kind: kind, Title: title + of.Title, Lang: of.Lang,
			Of: &Ref{path.Base(of.Path), of.Title}})
	}
	add("source", "Source of ", of.SourceURL)
	add("trail", "Events behind ", of.TrailURL)
	return out
}

// maxDescription bounds what is taken from a page to describe it, in runes.
const maxDescription = 160

// firstSentence is the beginning of a text, cut at the end of a sentence or at
// a word.
func firstSentence(text string) string {
	if len(text) > 8*maxDescription {
		text = text[:8*maxDescription] // the last word may be cut, and is not reached
	}
	words := strings.Fields(text)
	var out strings.Builder
	n := 0
	for _, w := range words {
		if n += len([]rune(w)) + 1; n > maxDescription {
			return strings.TrimRight(out.String(), ".,;:") + "…"
		}
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(w)
		if n > maxDescription/3 && strings.HasSuffix(w, ".") {
			break
		}
	}
	return out.String()
}
