package site

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/nearest"
	"wb/org"
	"wb/proof/manifest"
	"wb/publish/page"
)

// Look is how a site's author changes what readers see of the theme that is built in.
type Look struct {
	Style  []string // paths of style sheets, in their order, after the theme's
	Head   string   // elements for the head of each page
	Logo   string   // path of a picture in the bar at the top, "" without
	Image  string   // path of the picture that others show with a link to the site
	Menu   []Item   // in the bar at the top
	Footer string   // HTML at the foot of each page; links to pages begin with RootMark
	Theme  string   // a directory below themes
	// Comments stand below pages.
	Comments Comments
	// Own are the files of hugo's directories in the site's, by their paths:
	// layouts, assets, i18n and static, and the theme's.
	Own manifest.Files
}

// RootMark stands in [Look] where the way from a page to the site's directory
// belongs.
const RootMark = "wb-root:"

// LookFile is the style sheet that #+PUBLISH_LOOK: makes.
const LookFile = "assets/look.css"

// Directories of a site that hugo gives a meaning.
const (
	layoutsDir = "layouts"
	assetsDir  = "assets"
	staticDir  = "static"
	i18nDir    = "i18n"
	dataDir    = "data"
	themesDir  = "themes"
)

// lookConfig is what the keywords of the configuration say about the look.
type lookConfig struct {
	css, heads, menus, footers []placed
	logo, image, theme         placed
	comments                   placed
	light, dark                []token
}

// set takes a keyword whose value is looked at when the directory is known.
func (c *lookConfig) set(name string, v placed) {
	switch name {
	case "CSS":
		c.css = append(c.css, v)
	case "HEAD":
		c.heads = append(c.heads, v)
	case "MENU":
		c.menus = append(c.menus, v)
	case "FOOTER":
		c.footers = append(c.footers, v)
	case "LOGO":
		c.logo = v
	case "IMAGE":
		c.image = v
	case "THEME":
		c.theme = v
	case "COMMENTS":
		c.comments = v
	}
}

// add reads tokens of one scheme.
func (c *lookConfig) add(to *[]token, value string) error {
	list, err := readTokens(value)
	*to = append(*to, list...)
	return err
}

// placed is a value and where it stands.
type placed struct {
	value string
	pos   diag.Position
}

// token is one value of the design: --link and the like.
type token struct{ name, value string }

// tokens are the names that #+PUBLISH_LOOK: may give a value.
var tokens = []string{"paper", "tint", "raise", "line", "edge", "ink", "soft", "link", "accent", "good", "bad", "note", "tip", "warn", "stop",
	"code-keyword", "code-string", "code-comment", "code-number", "code-name", "text", "sans", "mono", "measure", "gap", "bleed", "radius"}

var (
	tokenForm  = lazyregexp.New(`([a-z-]+)=("[^"]*"|\S+)`)
	tokenValue = lazyregexp.New(`^[-A-Za-z0-9#%.,()'" /+*]+$`)
)

// readTokens reads name=value pairs.
func readTokens(text string) (out []token, err error) {
	for _, m := range tokenForm.FindAllStringSubmatch(text, -1) {
		name, value := m[1], strings.Trim(m[2], `"`)
		switch {
		case !slices.Contains(tokens, name):
			hint := "one of " + strings.Join(tokens, ", ")
			if near := nearest.Word(name, tokens); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, &settingError{name + " is not part of the design", hint}
		case !tokenValue.MatchString(value) || strings.Contains(strings.ToLower(value), "url("):
			return nil, &settingError{fmt.Sprintf("%q is not a value for %s", value, name), `link=#0a5c36 text="Georgia, serif" measure=42rem`}
		}
		out = append(out, token{name, value})
	}
	if out == nil {
		return nil, &settingError{"no name=value", `link=#0a5c36 text="Georgia, serif" measure=42rem`}
	}
	return out, nil
}

// style are the tokens as a style sheet.
func (c *lookConfig) style() string {
	rules := func(list []token) string {
		var out strings.Builder
		for _, t := range list {
			fmt.Fprintf(&out, " --%s: %s;", t.name, t.value)
		}
		return out.String()
	}
	out := ""
	if c.light != nil {
		out += ":root {" + rules(c.light) + " }\n"
	}
	if c.dark != nil {
		out += "@media (prefers-color-scheme: dark) { :root:not([data-theme=\"light\"]) {" + rules(c.dark) + " } }\n:root[data-theme=\"dark\"] {" + rules(c.dark) + " }\n"
	}
	return out
}

// readLook finds what the configuration says about the look, and what the directory
// has of hugo's.
func (p *Project) readLook() error {
	c, l := p.Config.look, Look{Own: manifest.Files{}}
	if css := c.style(); css != "" {
		l.Own[path.Join(staticDir, LookFile)] = []byte(css)
		l.Style = append(l.Style, LookFile)
	}
	for _, css := range c.css {
		if p.shared(css) {
			l.Style = append(l.Style, path.Clean(css.value))
		}
	}
	if p.shared(c.logo) {
		l.Logo = path.Clean(c.logo.value)
	}
	if p.shared(c.image) {
		l.Image = path.Clean(c.image.value)
	}
	for _, head := range c.heads {
		l.Head += p.rendered("#+HTML_HEAD: "+head.value, head.pos).Head
	}
	for _, menu := range c.menus {
		l.Menu = append(l.Menu, p.menu(menu)...)
	}
	for _, footer := range c.footers {
		l.Footer += p.rendered(footer.value, footer.pos).Body
	}
	if l.Comments = p.readComments(c.comments); len(l.Comments.Hosts()) > 0 {
		p.mind(c.comments.pos, diag.Note, "comments", "", "pages let programs of %s run, which nothing of wb's verifies", strings.Join(l.Comments.Hosts(), ", "))
	}
	dirs := []string{layoutsDir, assetsDir, staticDir, i18nDir, dataDir}
	if theme := c.theme.value; theme != "" {
		l.Theme = path.Clean(theme)
		at := path.Join(themesDir, l.Theme)
		if info, err := p.root.Stat(filepath.FromSlash(at)); err != nil || !info.IsDir() {
			p.mind(c.theme.pos, diag.Error, "config", "put Hugo's theme there: "+at+"/layouts", "there is no theme %s", at)
		}
		dirs = append(dirs, at)
	}
	for _, dir := range dirs {
		if err := p.own(l.Own, dir); err != nil {
			return err
		}
	}
	p.Look = l
	return nil
}

// mind adds a finding about the configuration.
func (p *Project) mind(at diag.Position, severity diag.Severity, code, hint, format string, args ...any) {
	p.Found = append(p.Found, diag.Finding{Pos: at, Severity: severity, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// shared reports whether the configuration names a file of the directory, which then
// becomes part of the site.
func (p *Project) shared(f placed) bool {
	if f.value == "" {
		return false
	}
	name := path.Clean(f.value)
	info, err := p.root.Stat(filepath.FromSlash(name))
	switch {
	case !manifest.SafePath(name) || manifest.Private(name) || Generated(name):
		p.mind(f.pos, diag.Error, "config", "choose another name", "%s cannot be the name of a file of the site", f.value)
	case err != nil || !info.Mode().IsRegular():
		p.mind(f.pos, diag.Error, "config", "paths begin at the directory of "+ConfigFile, "%s is not there", f.value)
	default:
		p.extra = append(p.extra, name)
		return true
	}
	return false
}

// rendered is a piece of org as parts of a page, with links from the site's directory.
func (p *Project) rendered(text string, at diag.Position) *page.Page {
	links := &reading{linker: newLinker(p), doc: &Document{Path: "wb-root", Page: "wb-root", File: at.File}}
	resolve := func(l page.Link) (page.Destination, bool) {
		to, ok := links.resolve(l)
		to.Href = RootMark + to.Href
		return to, ok
	}
	out, found, err := page.Fragment(context.Background(), at.File, []byte(text+"\n"), page.Options{Resolve: resolve})
	if err != nil {
		p.mind(at, diag.Warning, "config", "", "%v", err)
		return &page.Page{}
	}
	for _, d := range links.among(found) {
		d.Pos = at
		p.Found = append(p.Found, d)
	}
	p.extra = append(p.extra, links.files...)
	return out
}

// menu are the links of #+PUBLISH_MENU:.
func (p *Project) menu(m placed) (items []Item) {
	for n := range org.Parse([]byte(m.value + "\n")).AllObjects(org.KindLink) {
		l, ok := n.Link()
		if !ok {
			continue
		}
		item := Item{Title: strings.TrimSpace(l.Desc.Text)}
		name, isFile := navTarget(l)
		switch d := p.byPath[name]; {
		case l.Type == "http" || l.Type == "https" || l.Type == "mailto":
			item.Href = l.Type + ":" + l.Path
		case isFile && d != nil:
			item.Path = d.Page
		default:
			p.mind(m.pos, diag.Warning, "nav", "[[file:about.org][About]]", "%s is neither a page nor an address", l.Target.Text)
			continue
		}
		if item.Title == "" {
			item.Title = html.UnescapeString(strings.TrimPrefix(l.Path, "//"))
		}
		items = append(items, item)
	}
	return items
}

// maxOwn bounds what a site's own theme may hold.
const maxOwn = 64 << 20

// own reads the files below a directory that may leave the machine.
func (p *Project) own(files manifest.Files, dir string) error {
	size := 0
	err := fs.WalkDir(p.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case manifest.Private(name) && d.IsDir():
			return fs.SkipDir
		case manifest.Private(name) || !d.Type().IsRegular() || path.Ext(name) == ".org":
			return nil
		}
		data, err := p.root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if size += len(data); size > maxOwn {
			return fmt.Errorf("%s holds more than %d MiB", dir, maxOwn>>20)
		}
		files[name] = data
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Static are the files that the site's own static directory, or its theme's, puts at
// their paths in the site.
func (l *Look) Static() manifest.Files {
	out := manifest.Files{}
	for _, dir := range []string{path.Join(themesDir, l.Theme, staticDir), staticDir} {
		for name, data := range l.Own {
			if rest, ok := strings.CutPrefix(name, dir+"/"); ok && manifest.SafePath(rest) && !strings.HasPrefix(rest, ".") {
				out[rest] = data
			}
		}
	}
	return out
}
