// Package site makes a web site of a directory of workbooks.
//
// [Open] reads the directory: its configuration (publish.org), its pages and
// their order (site.org), and every document. [Project.Check] finds what readers
// would stumble over. [Project.Build] writes the files of the site: wb's own
// tree makes the HTML of each document (wb/publish/page), a [Layout] the frames
// around it, with navigation, tags, feeds and a sitemap; the search index is made
// here. [Builder] does the same again for what changed, and [Preview] serves it to a
// browser that follows along.
//
// Built is not published. Signing (wb/publish/sign) and deploying
// (wb/publish/target) happen to the files of a site afterwards, in a process
// that has the keys; what lays out pages does not.
//
// The same directory gives the same bytes: nothing here asks for the time, the
// machine or the user.
package site

import (
	"context"

	"wb/proof/manifest"
)

// Layout makes the frames that documents are put into, and the pages that only
// a site has. wb/publish/site/hugo is one.
type Layout interface {
	// Frames gives files by path. In a frame, the marks [Slots] say where the
	// parts of the document go.
	Frames(ctx context.Context, o *Outline) (manifest.Files, error)
}

// Outline is a site as its layout sees it: everything about its pages but what
// stands on them.
type Outline struct {
	Config
	Look      Look
	Languages []Language // the first is that of pages without a prefix
	Pages     []PageInfo // in the order of the navigation, then by path
	Lists     []List
}

// PageInfo is one page as its layout sees it.
type PageInfo struct {
	Path        string // of the file: guide/start.html
	Kind        string // home, page, source or trail
	Title       string // plain text
	Lang        string
	Language    string // of those of the site, "" on a site that names none
	Same        string // what it has in common with its translations
	Author      string
	Description string
	Image       string              // path of the picture that others show with a link to it, or ""
	Date        string              // RFC 3339, or ""
	Tags        []string            // as the author wrote them
	Series      string              // "" when it is part of none
	Part, Parts int                 // which one of how many
	Terms       map[string][]string // by the taxonomies of [Config]
	Aliases     []string            // paths of pages that lead to it
	NoIndex     bool                // search engines are asked to leave it out
	Comments    bool                // readers can comment on it
	Section     string              // the title of its section, "" when it has none
	SectionID   string              // its place on the page that lists all
	Prev, Next  *Ref                // in the order of Nav
	Of          *Ref                // source and trail: the page they belong to
	SourceURL   string              // where its source is shown, relative; "" is nowhere
	TrailURL    string              // where its events are shown, relative; "" is nowhere
	EditURL     string
	Live        bool // something on it runs in the reader's browser
	Listed      bool // in the navigation, feeds, tags, sitemap and search
}

// List is a page that lists those of a directory, the newest first.
type List struct {
	Path, Dir          string // blog/index.html, blog
	Title              string
	Language           string
	Section, SectionID string
}

// Ref leads to a page from another: Href is relative.
type Ref struct{ Href, Title string }

// Section is a part of the navigation.
type Section struct {
	Title string // "" for pages before the first heading
	ID    string // its place on the page that lists all
	Level int    // 1, and more for a section of a section
	Items []Item
}

// Item is one line of the navigation.
type Item struct {
	Path  string // of a page of the site: guide/start.html; "" for one elsewhere
	Href  string // of one elsewhere
	Title string

	list string // the directory whose pages it lists, "" for a page of its own
}
