package app

import (
	"context"
	"path/filepath"
	"slices"

	"wb/publish/site"
)

// PublishEjectIn holds the arguments of wb publish eject.
type PublishEjectIn struct {
	SiteDir
	Force  bool `help:"Replace existing files."`
	DryRun bool `help:"Print what would be written, and write nothing."`
}

// PublishEjectOut is the files of the theme that were written, or would be, and those
// that stayed as they were.
type PublishEjectOut struct {
	DryRun  bool     `json:"dry_run"`
	Written []string `json:"written"`
	Stayed  []string `json:"stayed"`
}

var publishEject = Verb[PublishEjectIn, *PublishEjectOut]{
	Name: "publish eject", Help: "Write the default theme into a site's directory, to be changed.", Changes: true,
	About: `Examples:
  wb publish eject docs
  wb publish eject docs --dry-run

Writes hugo's layouts, and in static/assets the style sheet and the script of the
search. What stands in layouts, static, assets and i18n is used before what is
built in, so keep the files that you change and delete the others.`,
	Do: func(_ context.Context, h *Home, in *PublishEjectIn) (*PublishEjectOut, error) {
		if err := needDir(in.Dir, "eject "+filepath.Dir(in.Dir)); err != nil {
			return nil, err
		}
		written, stayed, err := site.Eject(in.Dir, in.Force, in.DryRun)
		if err != nil {
			return nil, missing(in.Dir, err)
		}
		for _, name := range stayed {
			h.notef("%s already exists; --force replaces it", name)
		}
		return &PublishEjectOut{in.DryRun, slices.Concat([]string{}, written), slices.Concat([]string{}, stayed)}, nil
	},
	Text: func(p *Page, out *PublishEjectOut) error {
		for _, name := range out.Written {
			p.Printf("%s\n", name)
		}
		return nil
	},
}
