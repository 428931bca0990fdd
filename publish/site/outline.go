package site

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// outline says of every page what its frame shows.
func (p *Project) outline(pages map[string]*built) *Outline {
	o := &Outline{Config: p.Config, Look: p.Look, Languages: p.languages(pages)}
	infos := map[string]*PageInfo{}
	for _, d := range p.Documents {
		infos[d.Page] = p.info(pages[d.Path])
	}
	var order []*PageInfo
	for _, l := range o.Languages {
		order = append(order, inOrder(l.Nav, infos)...)
		for _, s := range l.Nav {
			for _, item := range s.Items {
				if item.list != "" {
					o.Lists = append(o.Lists, List{item.Path, item.list, item.Title, l.Code, s.Title, s.ID})
				}
			}
		}
	}
	for _, d := range p.Documents {
		if info := infos[d.Page]; !info.Listed {
			info.Listed = true // the home page without a line of its own
			order = append(order, info)
		}
	}
	p.number(order)
	for _, info := range order {
		o.Pages = append(o.Pages, *info)
	}
	for _, info := range order {
		o.Pages = append(o.Pages, companions(info)...)
	}
	o.Title = o.Languages[0].Title
	return o
}

// inOrder are the pages of a navigation, each with those before and after it.
func inOrder(nav []Section, infos map[string]*PageInfo) (order []*PageInfo) {
	for _, s := range nav {
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
	return order
}

// number gives the pages of each series their parts: by their #+SERIES_PART:, else by
// their dates, else by their paths.
func (p *Project) number(pages []*PageInfo) {
	type series struct{ name, lang string }
	all := map[series][]*PageInfo{}
	for _, info := range pages {
		if info.Series != "" {
			at := series{info.Series, info.Language}
			all[at] = append(all[at], info)
		}
	}
	for _, parts := range all {
		slices.SortStableFunc(parts, func(a, b *PageInfo) int {
			return cmp.Or(cmp.Compare(a.Part, b.Part), strings.Compare(a.Date, b.Date), strings.Compare(a.Path, b.Path))
		})
		for i, info := range parts {
			info.Part, info.Parts = i+1, len(parts)
		}
	}
}

func (p *Project) info(b *built) *PageInfo {
	d, m := b.doc, &b.doc.matter
	info := &PageInfo{Path: d.Page, Kind: "page", Title: b.Title, Lang: b.Lang, Language: d.Lang, Same: d.same, Author: b.Author,
		Description: b.About, Image: p.imageOf(b), Date: b.Date, Tags: slices.Clone(b.Tags), EditURL: p.Config.Edit(d.Path),
		Series: m.series, Part: m.part, Terms: m.terms, Aliases: d.aliases, NoIndex: m.noindex}
	if d.same == "index.org" {
		info.Kind = "home"
	}
	info.Comments = info.Kind == "page" && !m.silent && p.Look.Comments.HTML != ""
	info.Live = b.Live
	if b.View {
		info.SourceURL = path.Base(sourceOf(d))
	}
	if b.Trail {
		info.TrailURL = path.Base(trailOf(d))
	}
	return info
}

// imageOf is the picture that stands for a page: what #+IMAGE: names, else the
// site's.
func (p *Project) imageOf(b *built) string {
	if b.Image != "" {
		return b.Image
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
		out = append(out, PageInfo{Path: path.Join(path.Dir(of.Path), name), Kind: kind, Title: title + of.Title, Lang: of.Lang, Language: of.Language, NoIndex: of.NoIndex,
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
