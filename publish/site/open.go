package site

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/proof/manifest"
	"wb/workbook"
)

// Document is one workbook of a site.
type Document struct {
	Path   string // in the directory, with slashes: guide/start.org
	Page   string // of its page: guide/start.html
	Lang   string // the language its name says, "" on a site of one
	File   string // as messages name it
	Source []byte

	size    int64 // of the file when it was read
	changed time.Time
	digest  string // of Source, once somebody asked
	matter  matter
	same    string   // the path that its translations have in common
	aliases []string // addresses that lead to its page, by their files
}

// sum is a digest of the source.
func (d *Document) sum() string {
	if d.digest == "" {
		d.digest = manifest.SHA256(d.Source)
	}
	return d.digest
}

// Project is a directory of workbooks that becomes a site.
type Project struct {
	Dir       string
	Config    Config
	Documents []*Document // that become pages, sorted by path
	Left      []string    // documents that do not, with the reason
	Look      Look
	Found     []diag.Finding
	Until     time.Time // when the dates of documents change which of them are pages; zero is never

	ask     Ask
	root    *os.Root
	entries []entry              // of site.org, nil without one
	navs    map[string]ownNav    // of site.LANG.org, by language
	named   map[string]bool      // documents that a line of site.org names
	seen    map[string]*Document // every document that was read, drafts and unlisted ones too
	byPath  map[string]*Document
	byID    map[string]*Document // which document has the headline with an id

	translations map[string]map[string]*Document // by what they have in common, then by language

	extra []string // files that the look needs
}

// Close frees what [Open] took.
func (p *Project) Close() error { return p.root.Close() }

// Open reads a directory. Mistakes of the author's are in Found; an error says
// that the directory cannot be read.
func Open(dir string, ask Ask) (*Project, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	p := &Project{Dir: dir, ask: ask, root: root}
	if err := p.Reload(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return p, nil
}

// Reload reads the directory again.
func (p *Project) Reload() error {
	p.Documents, p.Left, p.Found, p.entries, p.Until = nil, nil, nil, nil, time.Time{}
	if p.seen == nil {
		p.seen = map[string]*Document{}
	}
	p.named, p.byPath, p.byID = map[string]bool{}, map[string]*Document{}, map[string]*Document{}
	var configs []Named
	for _, name := range []string{NavFile, ConfigFile} {
		src, err := p.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		d := Named{p.file(name), src}
		if found, bad := workbook.NotText(d.Name, d.Source); bad {
			p.Found = append(p.Found, found) // an error: it says what leaves the machine, and where to
		}
		configs = append(configs, d)
		if name == NavFile {
			var found []diag.Finding
			p.entries, found = readNav(d)
			p.Found = append(p.Found, found...)
			if p.entries == nil {
				p.entries = []entry{}
			}
		}
	}
	config, found := ReadConfig(configs...)
	if !slices.Equal(config.Taxonomies, p.Config.Taxonomies) || !slices.Equal(config.Languages, p.Config.Languages) {
		clear(p.seen)
	}
	p.Config = config
	p.Found = append(p.Found, found...)
	if err := p.readNavs(); err != nil {
		return err
	}
	if err := p.collect(); err != nil {
		return err
	}
	p.translations = map[string]map[string]*Document{}
	for _, d := range p.Documents {
		if p.translations[d.same] == nil {
			p.translations[d.same] = map[string]*Document{}
		}
		p.translations[d.same][d.Lang] = d
	}
	p.checkEntries()
	p.checkNames()
	p.readAliases()
	p.indexIDs()
	p.includedIDs()
	p.extra = nil
	if err := p.readLook(); err != nil {
		return err
	}
	sortFound(p.Found)
	return nil
}

// sortFound puts findings in the order of their places.
func sortFound(found []diag.Finding) {
	slices.SortStableFunc(found, func(a, b diag.Finding) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
}

// file is the name that messages give to a file of the directory.
func (p *Project) file(name string) string {
	return filepath.Join(p.Dir, filepath.FromSlash(name))
}

// collect finds the documents: all that are not kept by the host, hidden or
// drafts and, with a site.org, that it names.
func (p *Project) collect() error {
	output, err := filepath.Rel(p.Dir, p.Config.OutputDir(p.Dir))
	if err != nil {
		output = p.Config.Output
	}
	output = filepath.ToSlash(output)
	return fs.WalkDir(p.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && (manifest.Private(name) || name == output || path.Base(name) == "node_modules" || name == themesDir && p.Config.look.theme.value != "") {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".org" || name == ConfigFile || slices.ContainsFunc(p.Config.Languages, func(lang string) bool { return name == p.Config.navFile(lang) }) || name == NavFile:
			return nil
		case manifest.Private(name):
			return nil
		case !d.Type().IsRegular():
			p.Left = append(p.Left, name+": no regular file")
			return nil
		}
		doc, err := p.read(name, d)
		if err != nil {
			return err
		}
		if found, bad := workbook.NotText(doc.File, doc.Source); bad {
			if p.entries == nil || p.lists(name) {
				found.Severity = diag.Warning // the site is made without it
				p.Found = append(p.Found, found)
			}
			p.Left = append(p.Left, name+": "+notText)
			return nil
		}
		switch why := p.leftOut(&doc.matter); {
		case why != "":
			p.Left = append(p.Left, name+": "+why)
		case p.entries == nil && path.Base(name) == ticketsFile:
			p.Left = append(p.Left, name+": "+tickets)
		case p.entries != nil && !p.lists(name):
			p.Left = append(p.Left, name+": "+notListed)
		default:
			p.Documents = append(p.Documents, doc)
			p.byPath[name] = doc
		}
		return nil
	})
}

// ticketsFile is where wb issues keeps tickets.
const ticketsFile = "issues.org"

// read gives a document, from memory when its file is as it was.
func (p *Project) read(name string, d fs.DirEntry) (*Document, error) {
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	if was := p.seen[name]; was != nil && was.size == info.Size() && was.changed.Equal(info.ModTime()) {
		return was, nil
	}
	src, err := p.root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	doc := &Document{Path: name, File: p.file(name), Source: src, size: info.Size(), changed: info.ModTime()}
	p.Config.place(doc)
	doc.matter = readMatter(doc.File, src, p.Config.Taxonomies, p.ask.Now)
	p.seen[name] = doc
	return doc, nil
}

// lists reports whether site.org names a document or the directory it lies in, or
// does so with what it is a translation of. The home page needs no line.
func (p *Project) lists(name string) bool {
	lang, same := p.Config.languageOf(name)
	return same == "index.org" || names(p.entries, name) || names(p.entries, same) || names(p.navs[lang].entries, name)
}

func names(entries []entry, name string) bool {
	for _, e := range entries {
		if e.path == name || strings.HasSuffix(e.path, "/") && strings.TrimSuffix(e.path, "/") == path.Dir(name) {
			return true
		}
	}
	return false
}

// containsAny is what is asked before an expression that takes its time.
func containsAny(text []byte, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
}

// checkEntries complains about lines of site.org that lead nowhere or stand
// there twice.
func (p *Project) checkEntries() {
	complain := func(at diag.Position, message, hint string) {
		p.Found = append(p.Found, diag.Finding{Pos: at, Severity: diag.Warning, Code: "nav", Message: message, Hint: hint})
	}
	all := slices.Clone(p.entries)
	for _, lang := range slices.Sorted(maps.Keys(p.navs)) {
		all = append(all, p.navs[lang].entries...)
	}
	for _, e := range all {
		dir, isDir := strings.CutSuffix(e.path, "/")
		switch {
		case e.path == "":
		case isDir:
			if info, err := p.root.Stat(filepath.FromSlash(dir)); err != nil || !info.IsDir() {
				complain(e.pos, e.path+" is not a directory", "")
			}
		case p.named[e.path]:
			complain(e.pos, e.path+" is listed a second time", "each page has one place in the order")
		case p.byPath[e.path] != nil:
			p.named[e.path] = true
		case manifest.Private(e.path):
			complain(e.pos, e.path+" never leaves this machine", "")
		case slices.ContainsFunc(p.Left, func(left string) bool { return strings.HasPrefix(left, e.path+": ") }):
		default:
			complain(e.pos, e.path+" is not there", "paths begin at the directory of "+NavFile)
		}
	}
}

// madeAssets are the files that wb makes in assets.
var madeAssets = map[string]bool{"style.css": true, "look.css": true, "site.js": true, "theme.js": true, "verify.mjs": true, "search-index.js": true}

// Generated reports whether wb makes the file at a path.
func Generated(name string) bool {
	switch name {
	case "404.html", "all-pages.html", "tags.html", "index.xml", "feed.xml", "sitemap.xml", "robots.txt":
		return true
	}
	dir, rest, _ := strings.Cut(name, "/")
	return dir == "tags" || dir == ".well-known" || dir == "assets" && (madeAssets[rest] || strings.HasPrefix(rest, "live"))
}

// checkNames complains about documents whose pages cannot have the names they
// would get.
func (p *Project) checkNames() {
	folded := map[string]*Document{}
	for _, d := range p.Documents {
		at := diag.Position{File: d.File, Line: 1, Col: 1}
		if Generated(d.Page) {
			p.Found = append(p.Found, diag.Finding{Pos: at, Severity: diag.Error, Code: "name",
				Message: d.Page + " is a page that wb itself makes", Hint: "rename the document"})
		}
		if !manifest.SafePath(d.Page) {
			p.Found = append(p.Found, diag.Finding{Pos: at, Severity: diag.Error, Code: "name",
				Message: fmt.Sprintf("%q is not a valid page name on every system", d.Page), Hint: `avoid \ : * ? " < > |`})
		}
		low := strings.ToLower(d.Page)
		if other := folded[low]; other != nil {
			p.Found = append(p.Found, diag.Finding{Pos: at, Severity: diag.Error, Code: "name",
				Message: clash(d, other), Hint: "some systems treat them as one file: rename one"})
		}
		folded[low] = d
	}
}

func clash(d, other *Document) string {
	if d.Page == other.Page {
		return other.Path + " has the same page, " + d.Page
	}
	return "differs from " + other.Path + " by case alone"
}

var idLine = lazyregexp.New(`(?im)^[ \t]*:ID:[ \t]+(\S+)[ \t\r]*$`)

// indexIDs finds which document has which id, and ids that more than one has.
func (p *Project) indexIDs() {
	for _, d := range p.Documents {
		if !containsAny(d.Source, ":ID:", ":id:") {
			continue
		}
		for _, m := range idLine.FindAllSubmatchIndex(d.Source, -1) {
			id := string(d.Source[m[2]:m[3]])
			other := p.byID[id]
			if other == nil {
				p.byID[id] = d
			} else if other != d {
				p.Found = append(p.Found, diag.Finding{Pos: positionIn(d, m[2]), Severity: diag.Warning, Code: "duplicate-id",
					Message: fmt.Sprintf("id %s is also in %s", id, other.Path), Hint: "M-x org-id-update-id-locations shows where; give one of them a new id"})
			}
		}
	}
}

func positionIn(d *Document, at int) diag.Position {
	before := d.Source[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	return diag.Position{File: d.File, Line: line, Col: len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1}
}
