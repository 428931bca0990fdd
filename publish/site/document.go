package site

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/trace"
	"wb/proof/manifest"
	"wb/publish/page"
)

// Known records how a document's results came to be.
type Known struct {
	Facts  map[string]page.Fact
	Events []trace.Event
	Live   page.LiveOf
	Foot   page.Foot // what Live's HTML needs at the end of the page
	// Files are the other files it needs, by their paths in the site.
	Files map[string][]byte
	// Said are the claims of the page's manifest about its results.
	Said []manifest.Assertion
}

// Options say what pages are made of besides the documents.
type Options struct {
	// Highlight marks up code; nil leaves it plain.
	Highlight page.Highlighter
	// Lanes evaluate macros in Emacs Lisp; nil evaluates none. They are asked for by
	// documents that need them.
	Lanes func(context.Context) (*compile.Registry, error)
	// Know says what is known about a document; nil knows nothing.
	Know func(ctx context.Context, d *Document, c Config) (Known, error)
	// State names the state of what Know knows about the documents of a directory; nil
	// is always the same.
	State func(dir string) string
	// Made hears how many pages are made of those that must be, by several
	// goroutines; nil need not.
	Made func(pages, of int)
}

// built is a document as the parts of its page.
type built struct {
	doc *Document
	summary
	page *page.Page // its parts, until they are in their frames
	foot page.Foot
	live map[string][]byte // files that the foot needs, by path

	framed manifest.Files // its pages in their frames, but those that an earlier process kept
}

// summary holds what the rest of the site needs to know of a page, and what the page
// depends on.
type summary struct {
	Source, State       string // of what it was made: a digest, and what [Options.State] said
	Title, Lang, Author string
	About               string // a sentence on it
	Date                string // RFC 3339, or ""
	Image               string // the picture that stands for it, "" for none
	Tags                []string
	View, Trail, Live   bool              // it has those
	Files               []string          // of the directory, that the page shows or leads to
	Beside              []string          // files that it brings, by path in the site
	Uses                []string          // documents whose places its links name
	IDs                 map[string]string // where its id: links led: documents by id, "" is nowhere
	Included            map[string]string // digests of the files whose text is on the page, by path
	Found               []diag.Finding
	Records             []record          // its parts in the search index
	Slots               map[string][]slot // where its parts stand in its pages, by path in the site
	Said                said
}

// programs are those that a page is made with: they evaluate macros and write
// citations.
func (o Options) programs(ctx context.Context, d *Document) (page.Options, error) {
	opts := page.Options{Highlight: o.Highlight}
	if o.Lanes == nil {
		return opts, nil
	}
	lanes, err := o.Lanes(ctx)
	if err != nil {
		return opts, err
	}
	opts.Lisp, opts.Citations = page.LispOf(lanes, d.Source), lanes.Citations()
	return opts, nil
}

// build makes the parts of a document's page.
func (b *Builder) build(ctx context.Context, d *Document) (*built, error) {
	links := &reading{linker: b.links, doc: d}
	included := b.p.includedBy(d)
	opts, err := b.opts.programs(ctx, d)
	if err != nil {
		return nil, err
	}
	opts.Resolve, opts.Include, opts.Lang = links.resolve, included.read, d.Lang
	var known Known
	if b.opts.Know != nil {
		if known, err = b.opts.Know(ctx, d, b.p.Config); err != nil {
			return nil, err
		}
		opts.Facts, opts.Events, opts.Live, opts.Foot = known.Facts, known.Events, known.Live, known.Foot
	}
	opts.Show = showOf[b.p.Config.Source]
	opts.TrailURL, opts.ViewURL = relative(d.Page, trailOf(d)), relative(d.Page, sourceOf(d))
	p, found, err := page.Fragment(ctx, d.File, d.Source, opts)
	if err != nil {
		return nil, err
	}
	links.private(p.Links)
	out := &built{doc: d, page: p, foot: known.Foot, live: known.Files, summary: summary{Source: d.sum(), Title: p.Title, Lang: p.Lang, Author: p.Author, About: p.Description,
		Date: isoDate(p.Date), Tags: p.Tags, View: p.View != "", Trail: p.Trail != "", Live: known.Foot.Script != "", Files: links.files, Uses: links.uses,
		IDs: links.ids, Included: included.seen, Found: links.among(found), Records: newRecords(p), Said: known.Said}}
	if at := imageForm.FindAllSubmatchIndex(d.Source, 1); len(at) > 0 {
		from := at[0][2]
		name := string(d.Source[from:at[0][3]])
		if _, ok := links.resolve(page.Link{Kind: "file", Target: name, Path: name, Image: true, Pos: positionIn(d, from)}); ok && len(links.files) > len(out.Files) {
			out.Image, out.Files = publicName(links.files[len(links.files)-1]), links.files
		}
		out.Found = links.among(found)
	}
	if out.About == "" {
		out.About = firstSentence(p.Text)
	}
	out.Found = append(out.Found, homePaths(d, p.Text)...)
	sortFound(out.Found)
	out.Beside = slices.Sorted(maps.Keys(out.live))
	if out.Live {
		out.Beside = append(out.Beside, scriptOf(out.foot))
	}
	out.State = b.states[filepath.Dir(d.File)]
	p.Text, p.Parts, p.Links, p.Ids, p.Source = "", nil, nil, nil, nil // a site of many pages has them all in memory
	return out, nil
}

var homePath = lazyregexp.New(`(?:/home/|/Users/|[A-Z]:\\Users\\)([A-Za-z][A-Za-z0-9._-]*)`)

// anybody are names in paths of home directories that name nobody.
var anybody = []string{"user", "username", "me", "you", "name", "yourname", "USER", "runner", "linuxbrew", "Shared"}

// homePaths finds paths in home directories among what readers see, which tell them a
// login and where things are on a machine: the first of each login.
func homePaths(d *Document, text string) (found []diag.Finding) {
	told := map[string]bool{}
	for _, m := range homePath.FindAllStringSubmatch(text, -1) {
		if told[m[1]] || slices.Contains(anybody, m[1]) {
			continue
		}
		told[m[1]] = true
		found = append(found, diag.Finding{Pos: positionIn(d, max(0, bytes.Index(d.Source, []byte(m[0])))), Severity: diag.Warning, Code: "home-path",
			Message: "readers see " + m[0] + ", a home directory", Hint: "write ~/ for what everybody has in another place"})
	}
	return found
}

// showOf translates the value of #+PUBLISH_SOURCE: for pages.
var showOf = map[string]string{"": page.ShowExported, "exported": page.ShowExported, "full": page.ShowFull, "none": page.ShowNone}

// sourceOf is the page that shows the source of a document.
func sourceOf(d *Document) string { return strings.TrimSuffix(d.Page, ".html") + ".source.html" }

// trailOf is the page that shows the events behind a document's results.
func trailOf(d *Document) string { return strings.TrimSuffix(d.Page, ".html") + ".trail.html" }

// imageForm is the picture that stands for a document where others link to it.
var imageForm = lazyregexp.New(`(?im)^#\+IMAGE:[ \t]+(\S+)[ \t\r]*$`)

var dateForm = lazyregexp.New(`^[\[<]?(\d{4}-\d\d-\d\d)(?:[^\d\]>]*(\d\d:\d\d))?`)

// isoDate reads a date as documents have them; "" when it is none.
func isoDate(text string) string {
	m := dateForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return ""
	}
	clock := m[2]
	if clock == "" {
		clock = "00:00"
	}
	at, err := time.Parse("2006-01-02 15:04", m[1]+" "+clock)
	if err != nil {
		return ""
	}
	return at.Format(time.RFC3339)
}
