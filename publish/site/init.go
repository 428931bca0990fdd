package site

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/proof/manifest"
)

//go:embed scaffold/publish.org
var scaffoldConfig string

//go:embed scaffold/index.org
var scaffoldHome string

// Init writes what a site begins with, and nothing over what is there:
// publish.org, site.org with the documents that the directory has, and an
// index.org if there is no document at all. It gives the names of the files it
// wrote, or with dry would write.
func Init(dir string, dry bool) (written []string, err error) {
	at := dir
	switch _, err := os.Stat(dir); {
	case !errors.Is(err, fs.ErrNotExist):
	case dry: // what a new directory gets, an empty one would
		if at, err = os.MkdirTemp("", "wb-init-*"); err != nil {
			return nil, err
		}
		defer os.Remove(at)
	default:
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	p, err := Open(at, Ask{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	name := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		name = filepath.Base(abs)
	}
	add := func(file, text string) error {
		if _, err := p.root.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		written = append(written, filepath.Join(dir, file))
		if dry {
			return nil
		}
		f, err := p.root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		return errors.Join(err, f.Close())
	}
	if len(p.Documents) == 0 && len(p.Left) == 0 {
		if err := add("index.org", scaffoldHome); err != nil {
			return written, err
		}
		p.Documents = append(p.Documents, &Document{Path: "index.org", Source: []byte(scaffoldHome)})
	}
	if err := add(NavFile, scaffoldNav(p.Documents)); err != nil {
		return written, err
	}
	return written, add(ConfigFile, fmt.Sprintf(scaffoldConfig, name))
}

// scaffoldNav lists documents in sections by their directories.
func scaffoldNav(docs []*Document) string {
	var out strings.Builder
	out.WriteString("The pages of the site, in their order. A headline begins a section; a line\nthat links to a directory stands for the documents in it. What is not listed\nhere is not published.\n")
	sections := map[string][]*Document{}
	var order []string
	for _, d := range docs {
		dir := path.Dir(d.Path)
		if manifest.Private(d.Path) {
			continue
		}
		if sections[dir] == nil {
			order = append(order, dir)
		}
		sections[dir] = append(sections[dir], d)
	}
	slices.SortFunc(order, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	if at := slices.Index(order, "."); at > 0 { // the pages of the directory itself come first
		order = slices.Insert(slices.Delete(order, at, at+1), 0, ".")
	}
	written := map[string]bool{}
	for _, dir := range order {
		if dir == "." {
			out.WriteString("\n* Pages\n")
		} else {
			parts := strings.Split(dir, "/")
			for i := range parts {
				at := strings.Join(parts[:i+1], "/")
				if !written[at] {
					written[at] = true
					fmt.Fprintf(&out, "\n%s %s\n", strings.Repeat("*", i+1), nameOf(at))
				}
			}
		}
		slices.SortStableFunc(sections[dir], func(a, b *Document) int { // the index of a directory comes first
			return boolOrder(path.Base(b.Path) == "index.org") - boolOrder(path.Base(a.Path) == "index.org")
		})
		for _, d := range sections[dir] {
			fmt.Fprintf(&out, "- [[file:%s]]\n", d.Path)
		}
	}
	return out.String()
}

func boolOrder(is bool) int {
	if is {
		return 1
	}
	return 0
}
