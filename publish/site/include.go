package site

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"sync"

	"wb/proof/manifest"
	"wb/publish/page"
)

// inclusion reads the files whose text becomes part of a document's page, from
// anywhere in the site's directory, and remembers what it read.
type inclusion struct {
	p   *Project
	dir string // of the document, in the site

	mu   sync.Mutex
	seen map[string]string // digests by path in the site; "" is not there
}

var errOutside = errors.New("it lies outside the site")

func (p *Project) includedBy(d *Document) *inclusion {
	return &inclusion{p: p, dir: path.Dir(d.Path), seen: map[string]string{}}
}

// read implements [page.Options.Include].
func (i *inclusion) read(name string) ([]byte, error) {
	name = path.Join(i.dir, name)
	if !filepath.IsLocal(filepath.FromSlash(name)) || manifest.Private(name) {
		return nil, errOutside
	}
	data, err := i.p.root.ReadFile(filepath.FromSlash(name))
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen[name] = ""
	if err == nil {
		i.seen[name] = manifest.SHA256(data)
	}
	return data, err
}

// stale finds out whether files are other than when a page was made of them.
// Many documents include the same few, so digests are kept for one build.
type stale struct {
	p   *Project
	now map[string]string
}

func (s *stale) any(seen map[string]string) bool {
	for name, was := range seen {
		now, known := s.now[name]
		if !known {
			if data, err := s.p.root.ReadFile(filepath.FromSlash(name)); err == nil {
				now = manifest.SHA256(data)
			}
			s.now[name] = now
		}
		if now != was {
			return true
		}
	}
	return false
}

// includedIDs adds the ids that documents include to those that they have. A
// document's own ids come first: what two pages include leads to the first.
func (p *Project) includedIDs() {
	for _, d := range p.Documents {
		if !containsAny(d.Source, "#+INCLUDE:", "#+include:", "#+Include:") {
			continue
		}
		places, err := page.AnchorsOf(context.Background(), d.File, d.Source, p.includedBy(d).read)
		if err != nil {
			continue // building its page says so
		}
		for _, id := range places.IDs() {
			if p.byID[id] == nil {
				p.byID[id] = d
			}
		}
	}
}
