package hugo

import (
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"wb/publish/site"
	"wb/workbook"
)

// Navigation beyond these sizes is not repeated on every page: other sections
// are one line each, and a long section leads to the page that lists it.
const (
	largeNav    = 150 // lines in all
	longSection = 100 // lines of one section
)

// object is what hugo reads as JSON.
type object map[string]any

// source is a site as hugo reads it.
type source struct {
	o     *site.Outline
	tags  []object
	keyOf map[string]string // of a tag: its name in addresses
}

func newSource(o *site.Outline) *source {
	s := &source{o: o, keyOf: map[string]string{}}
	s.nameTags()
	return s
}

// nameTags gives each tag a name for its address: C++ and C# are two.
func (s *source) nameTags() {
	count := map[string]int{}
	var names []string
	for _, p := range s.o.Pages {
		for _, tag := range p.Tags {
			if count[tag]++; count[tag] == 1 {
				names = append(names, tag)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := strings.Compare(strings.ToLower(a), strings.ToLower(b)); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	taken := map[string]bool{"": true}
	for _, name := range names {
		key := workbook.Slug(name)
		for n := 2; taken[key]; n++ {
			key = fmt.Sprintf("%s-%d", workbook.Slug(name), n)
		}
		taken[key], s.keyOf[name] = true, key
		s.tags = append(s.tags, object{"title": name, "href": "tags/" + url.PathEscape(key) + ".html", "count": count[name]})
	}
}

// config is the configuration of hugo.
func (s *source) config() object {
	o := s.o
	address, base := o.URL, o.URL
	if base == "" {
		base = o.BasePath
	}
	disabled := []string{"section"}
	feeds := address != "" && slices.ContainsFunc(o.Pages, func(p site.PageInfo) bool { return p.Date != "" })
	if len(s.tags) == 0 {
		disabled = append(disabled, "taxonomy", "term")
	}
	if address == "" || o.Access == "unlisted" {
		disabled = append(disabled, "sitemap")
	}
	outputs := []string{"html"}
	if feeds {
		outputs = append(outputs, "rss", "atom")
	}
	return object{
		"baseURL": base, "title": o.Title, "uglyURLs": true, "disableKinds": disabled, "enableRobotsTXT": true,
		"buildDrafts": true, "buildFuture": true, "buildExpired": true, "disableHugoGeneratorInject": true, "timeout": "10m",
		"titleCaseStyle": "none", "capitalizeListTitles": false, "pluralizeListTitles": false, "enableEmoji": false,
		"taxonomies":    object{"tag": "tags"},
		"mediaTypes":    object{"application/atom+xml": object{"suffixes": []string{"xml"}}},
		"outputFormats": object{"atom": object{"mediaType": "application/atom+xml", "baseName": "feed"}},
		"outputs":       object{"home": outputs, "page": []string{"html"}, "taxonomy": []string{"html"}, "term": []string{"html"}},
		"security": object{"exec": object{"allow": "none", "osEnv": "none"}, "funcs": object{"getenv": "none"},
			"http": object{"urls": "none", "methods": "none"}, "enableInlineShortcodes": false, "allowContent": []string{".*"}}, // content is marks alone
		"params": object{"description": o.Description, "wb": object{"nav": s.nav(), "large": s.large(), "tags": s.tags, "description": o.Description, "basepath": o.BasePath,
			"address": address, "feeds": feeds, "unlisted": o.Access == "unlisted",
			"style": escaped(o.Look.Style), "head": o.Look.Head, "logo": pathTo(o.Look.Logo), "menu": s.menu(), "footer": o.Look.Footer}},
		"theme": s.themes(), "themesDir": "themes",
	}
}

// themes are the site's own, whose layouts come before those of the one built in.
func (s *source) themes() []string {
	if s.o.Look.Theme == "" {
		return []string{builtIn}
	}
	return []string{s.o.Look.Theme, builtIn}
}

func (s *source) large() bool {
	lines := 0
	for _, section := range s.o.Nav {
		lines += len(section.Items)
	}
	return lines > largeNav
}

// nav are the sections, each with those within it.
func (s *source) nav() []object {
	out := []object{}
	open := []object{}
	for _, section := range s.o.Nav {
		items := make([]object, len(section.Items))
		for i, item := range section.Items {
			href := item.Href
			if item.Path != "" {
				href = escape(item.Path)
			}
			items[i] = object{"path": item.Path, "href": href, "title": item.Title}
		}
		made := object{"title": section.Title, "id": section.ID, "items": items, "long": len(items) > longSection, "level": section.Level, "sections": []object{}, "ids": []string{section.ID}}
		open = open[:min(len(open), max(0, section.Level-1))]
		for _, around := range open {
			around["ids"] = append(around["ids"].([]string), section.ID)
		}
		if len(open) == 0 {
			out = append(out, made)
		} else {
			last := open[len(open)-1]
			last["sections"] = append(last["sections"].([]object), made)
		}
		open = append(open, made)
	}
	return out
}

// menu are the lines in the bar at the top.
func (s *source) menu() []object {
	out := []object{}
	for _, item := range s.o.Look.Menu {
		href := item.Href
		if item.Path != "" {
			href = escape(item.Path)
		}
		out = append(out, object{"path": item.Path, "href": href, "title": item.Title})
	}
	return out
}

// escaped are paths as parts of addresses.
func escaped(names []string) []string {
	out := []string{}
	for _, name := range names {
		out = append(out, escape(name))
	}
	return out
}

// slots are the marks for the parts of a document.
var slots = object{"head": site.SlotHead, "header": site.SlotHeader, "contents": site.SlotContents, "body": site.SlotBody, "provenance": site.SlotProvenance, "foot": site.SlotFoot}

// content are the files of pages, which have front matter and nothing else.
// Their names are numbers: addresses are in the front matter, and hugo would
// change the case of names.
func (s *source) content() iter.Seq2[string, object] {
	return func(yield func(string, object) bool) {
		home := false
		for i, p := range s.o.Pages {
			name := fmt.Sprintf("p%d.html", i)
			if p.Kind == "home" {
				name, home = "_index.html", true
			}
			if !yield(name, s.page(p)) {
				return
			}
		}
		if !home && !yield("_index.md", object{"title": s.o.Title, "params": object{"root": rootOf("index.html"), "kind": "home"}}) {
			return
		}
		all := object{"title": "All pages", "url": "/all-pages.html", "layout": "all", "build": object{"list": "never"},
			"params": object{"root": rootOf("all-pages.html"), "kind": "all"}}
		if !yield("all-pages.md", all) || len(s.tags) == 0 {
			return
		}
		if !yield("tags/_index.md", object{"title": "Tags", "url": "/tags.html", "params": object{"root": rootOf("tags.html"), "kind": "tags"}}) {
			return
		}
		for _, tag := range s.tags {
			key := s.keyOf[tag["title"].(string)]
			front := object{"title": "Tag: " + tag["title"].(string), "url": "/tags/" + key + ".html",
				"params": object{"root": rootOf("tags/x.html"), "kind": "tag", "of": object{"href": "../tags.html", "title": "Tags"}, "label": tag["title"]}}
			if !yield("tags/"+key+"/_index.md", front) {
				return
			}
		}
	}
}

// page is the front matter of a document's page.
func (s *source) page(p site.PageInfo) object {
	params := object{"kind": p.Kind, "lang": p.Lang, "author": p.Author, "root": rootOf(p.Path), "href": escape(p.Path), "slots": slots,
		"section": p.Section, "sectionid": p.SectionID, "sourceurl": pathTo(p.SourceURL), "trailurl": pathTo(p.TrailURL), "editurl": p.EditURL, "live": p.Live, "image": pathTo(p.Image)}
	front := object{"title": p.Title, "url": "/" + p.Path, "description": p.Description, "summary": p.Description, "params": params}
	if p.Date != "" {
		front["date"] = p.Date
		params["day"] = p.Date[:len("2006-01-02")]
	}
	if p.Prev != nil {
		params["prev"] = object{"href": p.Prev.Href, "title": p.Prev.Title}
	}
	if p.Next != nil {
		params["next"] = object{"href": p.Next.Href, "title": p.Next.Title}
	}
	if p.Of != nil {
		params["of"] = object{"href": escape(p.Of.Href), "title": p.Of.Title}
		params["label"] = map[string]string{"source": "Source", "trail": "Events"}[p.Kind]
		front["build"] = object{"list": "never"}
		return front
	}
	var keys []string
	var links []object
	for _, tag := range p.Tags {
		keys = append(keys, s.keyOf[tag])
		links = append(links, object{"href": rootOf(p.Path) + "tags/" + url.PathEscape(s.keyOf[tag]) + ".html", "title": tag})
	}
	if keys != nil {
		front["tags"], params["taglinks"] = keys, links
	}
	return front
}

// rootOf leads from a page to the directory of the site.
func rootOf(name string) string {
	if depth := strings.Count(name, "/"); depth > 0 {
		return strings.Repeat("../", depth)
	}
	return "./"
}

// escape is a path as part of an address.
func escape(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// pathTo is escape for what may be nowhere.
func pathTo(name string) string {
	if name == "" {
		return ""
	}
	return escape(name)
}
