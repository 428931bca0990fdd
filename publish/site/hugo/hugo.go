// Package hugo gives the pages of a site their layout with hugo, used as a
// library. It is the only package of wb that imports hugo, and only
// cmd/wb-publish imports it: hugo's initialisation would cost every verb of wb
// 30 to 60 ms.
//
// Hugo sees no document. It gets what a frame shows of each page (title, tags,
// dates, neighbours) as front matter, and templates that leave marks where the
// parts of the document go. So nothing an author writes can be taken for a
// shortcode or a template, and a page whose text alone changed needs no hugo.
//
// Everything happens in memory; hugo may start no program, open no address and
// read no environment.
package hugo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bep/logg"
	"github.com/gohugoio/hugo/config"
	"github.com/gohugoio/hugo/config/allconfig"
	"github.com/gohugoio/hugo/deps"
	"github.com/gohugoio/hugo/hugofs"
	"github.com/gohugoio/hugo/hugolib"
	"github.com/spf13/afero"

	"wb/internal/lazyregexp"
	"wb/proof/manifest"
	"wb/publish/site"
	"wb/publish/site/theme"
)

// Layout lays sites out with the site's own layouts, its theme, and below both the
// theme that is built in.
type Layout struct{}

// Frames implements [site.Layout].
func (Layout) Frames(ctx context.Context, o *site.Outline) (manifest.Files, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := afero.NewMemMapFs()
	if err := write(in, o); err != nil {
		return nil, err
	}
	out := newFiles()
	if err := build(in, out); err != nil {
		return nil, err
	}
	files := out.files
	leadToRoot(files)
	markCurrent(files)
	protect(files, o.Look.Comments.Allow)
	if err := addAssets(files); err != nil {
		return nil, err
	}
	return files, nil
}

// Where hugo finds things.
const (
	root       = "/site"
	configPath = root + "/hugo.json"
)

// build runs hugo from one file system to another.
func build(in, out afero.Fs) error {
	flags := config.New()
	flags.Set("workingDir", root)
	flags.Set("publishDir", "public")
	configs, err := allconfig.LoadConfig(allconfig.ConfigSourceDescriptor{Fs: in, Flags: flags, Filename: configPath,
		Environment: "production", Environ: []string{"PATH="}})
	if err != nil {
		return fmt.Errorf("hugo: %w", err)
	}
	var said bytes.Buffer
	systems := hugofs.NewFrom(in, configs.LoadingInfo.BaseConfig)
	systems.PublishDir, systems.PublishDirStatic, systems.PublishDirServer = out, out, out
	sites, err := hugolib.NewHugoSites(deps.DepsCfg{Configs: configs, Fs: systems, LogLevel: logg.LevelWarn, StdErr: &said, StdOut: io.Discard})
	if err != nil {
		return placed(err)
	}
	defer sites.Close()
	if err := sites.Build(hugolib.BuildCfg{NoBuildLock: true}); err != nil {
		return placed(err)
	}
	if said.Len() > 0 {
		return fmt.Errorf("hugo: %s", strings.TrimSpace(said.String()))
	}
	return nil
}

// inTemplate is the innermost template that an error of hugo's names, and what it says of it.
var inTemplate = lazyregexp.New(`(?s)^.*"` + root + `/([^":]+:\d+:\d+)": (?:parse|execute) of template failed: ` +
	`template: [^:]+:\d+(?::\d+)?: (?:executing "[^"]+" )?(.*)$`)

// placed says of a mistake in a template where its author finds it, below the site's
// directory. Hugo names each template around it and recites its configuration.
func placed(err error) error {
	text, _, _ := strings.Cut(err.Error(), "; the current security configuration is:")
	if m := inTemplate.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s: %s", m[1], m[2])
	}
	return fmt.Errorf("hugo: %s", text)
}

// write gives hugo its configuration, the layouts and a file for each page.
func write(in afero.Fs, o *site.Outline) error {
	s, err := newSource(o)
	if err != nil {
		return err
	}
	if err := writeJSON(in, configPath, s.config()); err != nil {
		return err
	}
	layouts, err := fs.Sub(theme.Files, "layouts")
	if err != nil {
		return err
	}
	err = fs.WalkDir(layouts, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(layouts, name)
		if err != nil {
			return err
		}
		return afero.WriteFile(in, path.Join(root, "themes", builtIn, "layouts", name), data, 0o644)
	})
	if err != nil {
		return err
	}
	for _, e := range s.editions {
		if err := writeJSON(in, path.Join(root, "themes", builtIn, "i18n", e.Code+".json"), e.words); err != nil {
			return err
		}
	}
	for name, data := range o.Look.Own {
		if err := afero.WriteFile(in, path.Join(root, name), data, 0o644); err != nil {
			return err
		}
	}
	for name, front := range s.content() {
		if err := writeContent(in, path.Join(root, "content", name), front); err != nil {
			return err
		}
	}
	return nil
}

// builtIn is the name of wb's own theme.
const builtIn = "wb"

// contentSlots are the variables that a Hugo theme shows as a page's content.
const contentSlots = site.SlotContents + site.SlotBody + site.SlotProvenance + site.SlotFoot + "\n"

// writeContent writes the file of a page: front matter, and for pages that are
// written in HTML the marks of the document's parts.
func writeContent(in afero.Fs, name string, front object) error {
	if !strings.HasSuffix(name, ".html") {
		return writeJSON(in, name, front)
	}
	text, err := json.Marshal(front)
	if err != nil {
		return err
	}
	return afero.WriteFile(in, name, append(text, "\n\n"+contentSlots...), 0o644)
}

// protect gives pages of layouts that name no content security policy the one of
// pages: nothing is loaded from elsewhere but what comments need, and scripts are files
// of the site.
func protect(files manifest.Files, allow map[string][]string) {
	policy := policyOf(allow)
	for name, data := range files {
		if !manifest.IsPage(name) || bytes.Contains(data, []byte("Content-Security-Policy")) {
			continue
		}
		if at := headTag.FindIndex(data); at != nil {
			files[name] = slices.Concat(data[:at[1]], []byte("\n"+policy), data[at[1]:])
		}
	}
}

var headTag = lazyregexp.New(`(?i)<head(?:\s[^>]*)?>`)

// policyOf is the policy of the theme's csp.html, for pages with programs and comments.
func policyOf(allow map[string][]string) string {
	rules := []string{"default-src 'none'", "img-src 'self' data:", "style-src 'self' 'unsafe-inline'", "font-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src blob:",
		"media-src 'self'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'"}
	for _, directive := range slices.Sorted(maps.Keys(allow)) {
		more := " " + strings.Join(allow[directive], " ")
		at := slices.IndexFunc(rules, func(rule string) bool { return strings.HasPrefix(rule, directive+" ") })
		if at < 0 {
			rules = append(rules, directive+more)
		} else {
			rules[at] += more
		}
	}
	return `<meta http-equiv="Content-Security-Policy" content="` + html.EscapeString(strings.Join(rules, "; ")) + `">`
}

func writeJSON(in afero.Fs, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return afero.WriteFile(in, name, append(text, '\n'), 0o644)
}

// addAssets adds the theme's files.
func addAssets(files manifest.Files) error {
	return fs.WalkDir(theme.Files, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(theme.Files, name)
		return err
	})
}

// leadToRoot puts the way to the site's directory where frames have a mark for it.
func leadToRoot(files manifest.Files) {
	for name, data := range files {
		if manifest.IsPage(name) && bytes.Contains(data, []byte(RootMark)) {
			files[name] = bytes.ReplaceAll(data, []byte(RootMark), []byte(rootOf(name)))
		}
	}
}

// markCurrent says in each page's navigation which link leads to the page
// itself. The navigation is made once for many pages; its links have the path
// of their page in an attribute, which comes out again here.
func markCurrent(files manifest.Files) {
	const mark = " data-page=\""
	for name, data := range files {
		if !manifest.IsPage(name) || !bytes.Contains(data, []byte(mark)) {
			continue
		}
		out := make([]byte, 0, len(data))
		for {
			before, after, found := bytes.Cut(data, []byte(mark))
			out = append(out, before...)
			if !found {
				break
			}
			target, rest, _ := bytes.Cut(after, []byte("\""))
			if string(target) == name {
				out = append(out, " aria-current=\"page\""...)
			}
			data = rest
		}
		files[name] = out
	}
}
