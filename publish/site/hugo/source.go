package hugo

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"wb/publish/site"
	"wb/publish/site/theme"
	"wb/workbook"
)

// Navigation beyond these sizes is not repeated on every page: other sections
// are one line each, and a long section leads to the page that lists it.
const (
	largeNav    = 150 // lines in all
	longSection = 100 // lines of one section
)

// object is a JSON object for Hugo.
type object map[string]any

// source is a site as hugo reads it.
type source struct {
	o        *site.Outline
	editions []*edition
}

// edition is what a site is in one of its languages.
type edition struct {
	site.Language
	suffix     string // of the names of its content files: "" or ".de"
	words      map[string]string
	taxonomies []*taxonomy // the first is that of tags
}

// taxonomy is one way to group pages.
type taxonomy struct {
	name, title string
	page        string // its path
	terms       []object
	keyOf       map[string]string // of a term: its name in addresses
}

// tagged is the name of the taxonomy that every site has.
const tagged = "tags"

func newSource(o *site.Outline) (*source, error) {
	s := &source{o: o}
	for i, l := range o.Languages {
		e := &edition{Language: l}
		if i > 0 {
			e.suffix = "." + l.Code
		}
		var err error
		if e.words, err = wordsIn(l.Code); err != nil {
			return nil, err
		}
		taken := map[string]bool{}
		for _, p := range o.Pages {
			taken[p.Path] = true
		}
		for _, name := range taxonomies(o) {
			e.taxonomies = append(e.taxonomies, s.taxonomy(e, name, taken))
		}
		s.editions = append(s.editions, e)
	}
	return s, nil
}

// taxonomies are the names of those that the pages of a site use.
func taxonomies(o *site.Outline) (names []string) {
	all := []string{tagged, "series"}
	for _, name := range o.Taxonomies {
		all = append(all, strings.ToLower(name))
	}
	for _, name := range all {
		if !slices.Contains(names, name) && slices.ContainsFunc(o.Pages, func(p site.PageInfo) bool { return len(termsOf(&p, name)) > 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// termsOf are those of a page in a taxonomy.
func termsOf(p *site.PageInfo, taxonomy string) []string {
	switch {
	case taxonomy == tagged:
		return p.Tags
	case taxonomy != "series":
		return p.Terms[strings.ToUpper(taxonomy)]
	case p.Series != "":
		return []string{p.Series}
	}
	return nil
}

// in are the pages of an edition.
func (s *source) in(e *edition) iter.Seq[*site.PageInfo] {
	return func(yield func(*site.PageInfo) bool) {
		for i := range s.o.Pages {
			if p := &s.o.Pages[i]; (p.Language == e.Code || p.Language == "") && !yield(p) {
				return
			}
		}
	}
}

// taxonomy gives each term a name for its address: C++ and C# are two. Pages of
// documents keep theirs.
func (s *source) taxonomy(e *edition, name string, taken map[string]bool) *taxonomy {
	t := &taxonomy{name: name, keyOf: map[string]string{}}
	if t.title = e.words[strings.ToUpper(name[:1])+name[1:]]; t.title == "" {
		t.title = strings.ToUpper(name[:1]) + name[1:]
	}
	free := func(before, after string) string {
		found := before
		for n := 2; found == "" || taken[e.Prefix+found+after]; n++ {
			found = fmt.Sprintf("%s-%d", before, n)
		}
		taken[e.Prefix+found+after] = true
		return found
	}
	t.page = e.Prefix + free(name, ".html") + ".html"
	count := map[string]int{}
	var names []string
	for p := range s.in(e) {
		for _, term := range termsOf(p, name) {
			if count[term]++; count[term] == 1 {
				names = append(names, term)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
	})
	for _, term := range names {
		key := strings.TrimPrefix(free(name+"/"+workbook.Slug(term), ".html"), name+"/")
		t.keyOf[term] = key
		t.terms = append(t.terms, object{"title": term, "href": t.href(e, term), "count": count[term]})
	}
	return t
}

// href is where the pages of a term are listed, from the site's directory.
func (t *taxonomy) href(e *edition, term string) string {
	return escape(e.Prefix + t.name + "/" + t.keyOf[term] + ".html")
}

// config is the configuration of hugo.
func (s *source) config() object {
	o := s.o
	address, base := o.URL, o.URL
	if base == "" {
		base = o.BasePath
	}
	feeds := address != "" && slices.ContainsFunc(o.Pages, func(p site.PageInfo) bool { return p.Date != "" })
	var disabled []string
	if len(s.editions[0].taxonomies) == 0 {
		disabled = append(disabled, "taxonomy", "term")
	}
	if len(o.Lists) == 0 {
		disabled = append(disabled, "section")
	}
	if address == "" || o.Access == "unlisted" {
		disabled = append(disabled, "sitemap")
	}
	outputs := []string{"html"}
	if feeds {
		outputs = append(outputs, "rss", "atom")
	}
	known, languages := object{}, object{}
	for _, name := range taxonomies(o) {
		known[name] = name
	}
	for i, e := range s.editions {
		about := object{"nav": nav(e.Nav), "large": large(e.Nav), "tags": e.tags(), "taxonomies": e.groups(), "description": e.Description, "basepath": o.BasePath, "prefix": e.Prefix,
			"address": address, "feeds": feeds, "unlisted": o.Access == "unlisted", "languages": s.others(),
			"style": escaped(o.Look.Style), "head": o.Look.Head, "logo": pathTo(o.Look.Logo), "menu": s.menu(), "footer": o.Look.Footer,
			"comments": o.Look.Comments.HTML, "allow": sources(o.Look.Comments.Allow),
			"lost": object{"script": theme.Lost, "hash": site.ScriptHash(theme.Lost)}}
		languages[e.Code] = object{"title": e.Title, "weight": i + 1, "locale": e.Code, "params": object{"description": e.Description, "wb": about}}
	}
	return object{
		"baseURL": base, "uglyURLs": true, "disableKinds": disabled, "enableRobotsTXT": true, "disablePathToLower": true,
		"buildDrafts": true, "buildFuture": true, "buildExpired": true, "disableHugoGeneratorInject": true, "timeout": "10m",
		"titleCaseStyle": "none", "capitalizeListTitles": false, "pluralizeListTitles": false, "enableEmoji": false,
		"defaultContentLanguage": s.editions[0].Code, "disableDefaultLanguageRedirect": true, "languages": languages,
		"pagination":    object{"pagerSize": o.PageSize, "disableAliases": true},
		"taxonomies":    known,
		"mediaTypes":    object{"application/atom+xml": object{"suffixes": []string{"xml"}}},
		"outputFormats": object{"atom": object{"mediaType": "application/atom+xml", "baseName": "feed"}},
		"outputs":       object{"home": outputs, "page": []string{"html"}, "section": []string{"html"}, "taxonomy": []string{"html"}, "term": []string{"html"}},
		"security": object{"exec": object{"allow": "none", "osEnv": "none"}, "funcs": object{"getenv": "none"},
			"http": object{"urls": "none", "methods": "none"}, "enableInlineShortcodes": false, "allowContent": []string{".*"}}, // content is marks alone
		"theme": s.themes(), "themesDir": "themes",
	}
}

// tags are the terms of the taxonomy of that name.
func (e *edition) tags() []object {
	for _, t := range e.taxonomies {
		if t.name == tagged {
			return t.terms
		}
	}
	return nil
}

// groups are the taxonomies, for lists of them.
func (e *edition) groups() []object {
	out := []object{}
	for _, t := range e.taxonomies {
		if len(t.terms) > 0 {
			out = append(out, object{"name": t.name, "title": t.title, "href": escape(t.page), "terms": t.terms})
		}
	}
	return out
}

// others are the languages of the site, for those who want to choose; none on a site
// of one.
func (s *source) others() []object {
	out := []object{}
	for _, e := range s.editions {
		tag := language.Make(e.Code)
		out = append(out, object{"code": e.Code, "name": display.Self.Name(tag), "home": escape(e.Prefix + site.HomePage)})
	}
	if len(out) == 1 {
		return []object{}
	}
	return out
}

// sources are lists of a content security policy.
func sources(allow map[string][]string) object {
	out := object{}
	for directive, list := range allow {
		out[strings.TrimSuffix(directive, "-src")] = strings.Join(list, " ")
	}
	return out
}

// themes are the site's own, whose layouts come before those of the one built in.
func (s *source) themes() []string {
	if s.o.Look.Theme == "" {
		return []string{builtIn}
	}
	return []string{s.o.Look.Theme, builtIn}
}

// large reports whether a navigation is too long to be repeated on every page.
func large(nav []site.Section) bool {
	lines := 0
	for _, section := range nav {
		lines += len(section.Items)
	}
	return lines > largeNav
}

// nav are the sections, each with those within it.
func nav(sections []site.Section) []object {
	out := []object{}
	open := []object{}
	for _, section := range sections {
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
// Their names are numbers, one for all translations of a page: addresses are in the
// front matter, and hugo would change the case of names.
func (s *source) content() iter.Seq2[string, object] {
	return func(yield func(string, object) bool) {
		numbers, companions := map[string]int{}, 0
		for i, p := range s.o.Pages {
			if _, known := numbers[p.Same]; !known && p.Same != "" {
				numbers[p.Same] = i
			}
		}
		for _, e := range s.editions {
			home := false
			for p := range s.in(e) {
				name := fmt.Sprintf("p%d%s.html", numbers[p.Same], e.suffix)
				switch {
				case p.Kind == "home":
					name, home = "_index"+e.suffix+".html", true
				case p.Of != nil:
					name = fmt.Sprintf("of%d%s.html", companions, e.suffix)
					companions++
				}
				if !yield(name, s.page(e, p)) {
					return
				}
			}
			for name, front := range s.lists(e, home) {
				if !yield(name, front) {
					return
				}
			}
		}
	}
}

// lists are the pages of an edition that only list others.
func (s *source) lists(e *edition, home bool) iter.Seq2[string, object] {
	return func(yield func(string, object) bool) {
		list := func(name, kind, title, at string, more object) bool {
			front := object{"title": title, "params": object{"root": RootMark, "kind": kind, "href": escape(at)}}
			maps.Copy(front, more)
			return yield(name+e.suffix+".md", front)
		}
		if !home && !list("_index", "home", e.Title, e.Prefix+site.HomePage, nil) {
			return
		}
		if !list("all-pages", "all", e.words["All pages"], e.Prefix+"all-pages.html", object{"url": "/" + e.Prefix + "all-pages.html", "layout": "all", "build": object{"list": "never"}}) {
			return
		}
		for i, l := range s.o.Lists {
			params := object{"root": RootMark, "kind": "list", "href": escape(l.Path), "dir": l.Dir, "section": l.Section, "sectionid": l.SectionID}
			if (l.Language == e.Code || l.Language == "") && !list(fmt.Sprintf("l%d/_index", i), "list", l.Title, l.Path,
				object{"url": "/" + strings.TrimSuffix(l.Path, site.HomePage), "params": params}) {
				return
			}
		}
		for _, t := range e.taxonomies {
			if !list(t.name+"/_index", "tags", t.title, t.page, object{"url": "/" + t.page, "params": object{"root": RootMark, "kind": "tags", "href": escape(t.page), "taxonomy": t.name}}) {
				return
			}
			for _, term := range t.terms {
				name := term["title"].(string)
				if !list(t.name+"/"+t.keyOf[name]+"/_index", "tag", e.words[t.name]+name, "", object{"params": object{"root": RootMark, "kind": "tag", "label": name,
					"taxonomy": t.name, "of": object{"href": RootMark + escape(t.page), "title": t.title}}}) {
					return
				}
			}
		}
	}
}

// page is the front matter of a document's page.
func (s *source) page(e *edition, p *site.PageInfo) object {
	params := object{"kind": p.Kind, "lang": p.Lang, "author": p.Author, "root": rootOf(p.Path), "href": escape(p.Path), "slots": slots, "dir": path.Dir(strings.TrimPrefix(p.Path, e.Prefix)),
		"section": p.Section, "sectionid": p.SectionID, "sourceurl": pathTo(p.SourceURL), "trailurl": pathTo(p.TrailURL), "editurl": p.EditURL, "live": p.Live, "image": pathTo(p.Image)}
	front := object{"title": p.Title, "url": "/" + p.Path, "description": p.Description, "summary": p.Description, "params": params}
	if p.NoIndex {
		params["noindex"], front["sitemap"] = true, object{"disable": true}
	}
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
		params["label"] = e.words[map[string]string{"source": "Source", "trail": "Events"}[p.Kind]]
		front["build"] = object{"list": "never"}
		return front
	}
	if len(p.Aliases) > 0 {
		aliases := make([]string, len(p.Aliases))
		for i, name := range p.Aliases {
			aliases[i] = "/" + strings.TrimPrefix(name, e.Prefix)
		}
		front["aliases"] = aliases
	}
	if p.Comments {
		params["comments"] = true
	}
	for _, t := range e.taxonomies {
		var keys []string
		var links []object
		for _, term := range termsOf(p, t.name) {
			keys = append(keys, t.keyOf[term])
			links = append(links, object{"href": rootOf(p.Path) + t.href(e, term), "title": term})
		}
		switch {
		case keys == nil:
			continue
		case t.name == tagged:
			params["taglinks"] = links
		case t.name == "series":
			params["partof"] = object{"href": links[0]["href"], "title": p.Series, "key": keys[0], "part": p.Part, "parts": p.Parts}
			params["part"] = p.Part
		default:
			more, _ := params["termlinks"].([]object)
			params["termlinks"] = append(more, object{"title": t.title, "links": links})
		}
		front[t.name] = keys
	}
	return front
}

// RootMark stands in frames for the way to the site's directory, where one template
// makes files that lie at several depths.
const RootMark = "./@root/"

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
