package site

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Language is one of the languages of a site, as its layout sees it.
type Language struct {
	Code        string // as in the names of documents: de, pt-br
	Prefix      string // of the paths of its pages: "" for the first language, else "de/"
	Title       string // of the site
	Description string
	Nav         []Section
}

// languageOf says which language a document is in by its name, and under which name
// its translations are the same document: guide/start.de.org is guide/start.org in de.
func (c *Config) languageOf(name string) (lang, same string) {
	stem := strings.TrimSuffix(name, ".org")
	lang = strings.ToLower(strings.TrimPrefix(path.Ext(stem), "."))
	if !slices.Contains(c.Languages, lang) {
		return c.firstLanguage(), name
	}
	return lang, strings.TrimSuffix(stem, path.Ext(stem)) + ".org"
}

// firstLanguage is that of documents whose names say none; "" is what they say
// themselves.
func (c *Config) firstLanguage() string {
	if len(c.Languages) == 0 {
		return ""
	}
	return c.Languages[0]
}

// codes are the languages of the site: "" alone where it names none.
func (c *Config) codes() []string {
	if len(c.Languages) == 0 {
		return []string{""}
	}
	return c.Languages
}

// prefixOf is how the paths of pages in a language begin.
func (c *Config) prefixOf(lang string) string {
	if lang == c.firstLanguage() {
		return ""
	}
	return lang + "/"
}

// Generated reports whether wb makes the file at a path, in any of the languages.
func (c *Config) Generated(name string) bool {
	dir, rest, _ := strings.Cut(name, "/")
	return Generated(name) || slices.Contains(c.Languages, dir) && Generated(rest)
}

// place gives a document its language and its page.
func (c *Config) place(d *Document) {
	d.Lang, d.same = c.languageOf(d.Path)
	d.Page = c.prefixOf(d.Lang) + strings.TrimSuffix(d.same, ".org") + ".html"
}

// languages are those of the site with what each shows; a site that names none has
// one, that of its home page.
func (p *Project) languages(pages map[string]*built) (out []Language) {
	for _, code := range p.Config.codes() {
		l := Language{Code: code, Prefix: p.Config.prefixOf(code), Title: p.Config.Title, Description: p.Config.Description, Nav: p.nav(pages, code)}
		if own := p.navs[code]; own.title != "" {
			l.Title = own.title
		}
		if own := p.navs[code]; own.description != "" {
			l.Description = own.description
		}
		home := pages[p.inLanguage("index.org", code)]
		if l.Title == "" && home != nil {
			l.Title = home.Title
		}
		if l.Title == "" {
			l.Title = "Pages"
		}
		if l.Code == "" && home != nil {
			l.Code, _, _ = strings.Cut(strings.ToLower(home.Lang), "-")
		}
		if l.Code == "" {
			l.Code = "en"
		}
		out = append(out, l)
	}
	return out
}

// inLanguage is the document that a name stands for in a language; "" where it is not
// translated.
func (p *Project) inLanguage(name, lang string) string {
	_, same := p.Config.languageOf(name)
	if d := p.translations[same][lang]; d != nil {
		return d.Path
	}
	return ""
}

// ownNav is what a site.LANG.org says of the pages in its language.
type ownNav struct {
	entries            []entry
	title, description string
}

// navFile is the name of the document with the order of the pages in a language.
func (c *Config) navFile(lang string) string {
	if lang == c.firstLanguage() {
		return NavFile
	}
	return strings.TrimSuffix(NavFile, ".org") + "." + lang + ".org"
}

// entriesIn are the lines of the navigation in a language: of its own site.LANG.org,
// else those of site.org that are translated.
func (p *Project) entriesIn(lang string) []entry {
	if lang == p.Config.firstLanguage() {
		return p.entries
	}
	if own, ok := p.navs[lang]; ok {
		return own.entries
	}
	var out []entry
	for _, e := range p.entries {
		if e.path != "" && !strings.HasSuffix(e.path, "/") {
			if e.path, e.title = p.inLanguage(e.path, lang), ""; e.path == "" {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// readNavs reads the site.LANG.org of each language that has one.
func (p *Project) readNavs() error {
	p.navs = map[string]ownNav{}
	for _, lang := range p.Config.Languages {
		name := p.Config.navFile(lang)
		src, err := p.root.ReadFile(name)
		if name == NavFile || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		d := Named{p.file(name), src}
		entries, found := readNav(d)
		p.Found = append(p.Found, found...)
		own, found := ReadConfig(d)
		p.Found = append(p.Found, found...)
		p.navs[lang] = ownNav{entries, own.Title, own.Description}
	}
	return nil
}
