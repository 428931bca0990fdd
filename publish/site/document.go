package site

import (
	"context"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/trace"
	"wb/proof/manifest"
	"wb/publish/page"
)

// Known is what is known about how a document's results came to be.
type Known struct {
	Facts  map[string]page.Fact
	Events []trace.Event
	Live   page.LiveOf
	Foot   page.Foot // what Live's HTML needs at the end of the page
	// Files are what it needs besides, by their paths in the site.
	Files map[string][]byte
}

// Options say what pages are made of besides the documents.
type Options struct {
	// Highlight marks up code; nil leaves it plain.
	Highlight page.Highlighter
	// Lanes evaluate macros in Emacs Lisp; nil evaluates none.
	Lanes *compile.Registry
	// Know says what is known about a document; nil knows nothing.
	Know func(ctx context.Context, d *Document, c Config) (Known, error)
}

// built is a document as the parts of its page.
type built struct {
	doc   *Document
	page  *page.Page
	date  string // RFC 3339, or ""
	about string // a sentence on it
	image string // the picture that stands for it, "" for none
	files []string
	uses  []string // documents whose places its links name
	// included are digests of the files whose text is on the page, by path.
	included map[string]string
	found    []diag.Finding
	records  []*record // its parts in the search index
	foot     page.Foot
	live     map[string][]byte // files that the foot needs, by path

	framed manifest.Files // its pages in their frames, nil when that is to be done
}

// build makes the parts of a document's page.
func (b *Builder) build(ctx context.Context, d *Document) (*built, error) {
	links := &reading{linker: b.links, doc: d}
	included := b.p.includedBy(d)
	opts := page.Options{Highlight: b.opts.Highlight, Resolve: links.resolve, Include: included.read, Lisp: page.LispOf(b.opts.Lanes, d.Source)}
	var known Known
	if b.opts.Know != nil {
		var err error
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
	out := &built{doc: d, page: p, date: isoDate(p.Date), files: links.files, uses: links.uses, included: included.seen, found: links.among(found)}
	if at := imageForm.FindAllSubmatchIndex(d.Source, 1); len(at) > 0 {
		from := at[0][2]
		name := string(d.Source[from:at[0][3]])
		if _, ok := links.resolve(page.Link{Kind: "file", Target: name, Path: name, Image: true, Pos: positionIn(d, from)}); ok && len(links.files) > len(out.files) {
			out.image, out.files = links.files[len(links.files)-1], links.files
		}
		out.found = links.among(found)
	}
	if out.about = p.Description; out.about == "" {
		out.about = firstSentence(p.Text)
	}
	out.records, out.foot, out.live = newRecords(p), known.Foot, known.Files
	sortFound(out.found)
	return out, nil
}

// showOf is what pages call what #+PUBLISH_SOURCE: says.
var showOf = map[string]string{"": page.ShowExported, "exported": page.ShowExported, "full": page.ShowFull, "none": page.ShowNone}

// sourceOf is the page that shows the source of a document.
func sourceOf(d *Document) string { return strings.TrimSuffix(d.Page, ".html") + ".source.html" }

// trailOf is the page that shows the events behind a document's results.
func trailOf(d *Document) string { return strings.TrimSuffix(d.Page, ".html") + ".trail.html" }

// imageForm is the picture that stands for a document where others link to it.
var imageForm = lazyregexp.New(`(?im)^#\+IMAGE:[ \t]+(\S+)[ \t\r]*$`)

var dateForm = lazyregexp.New(`^(\d{4}-\d\d-\d\d)(?:[^\d]*(\d\d:\d\d))?`)

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
