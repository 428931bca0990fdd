package js

import (
	"context"
	"path"
	"strings"

	"wb/compile"
)

// sources are the files that import and require find, by slash path: those of
// :dir, and below node_modules those of packages.
type sources struct {
	own      map[string][]byte
	packages []mounted
}

// mounted are the files of one package where import looks for them.
type mounted struct {
	at    string // "node_modules/lodash/"
	files map[string][]byte
}

// get is the text of a file. What stands in :dir hides what a package has.
func (s *sources) get(file string) ([]byte, bool) {
	if data, ok := s.own[file]; ok {
		return data, true
	}
	if p := s.in(file); p != nil {
		data, ok := p.files[file[len(p.at):]]
		return data, ok
	}
	return nil, false
}

func (s *sources) has(file string) bool { _, ok := s.get(file); return ok }

// in is the innermost package that a path leads into.
func (s *sources) in(file string) *mounted {
	var best *mounted
	for i := range s.packages {
		p := &s.packages[i]
		if strings.HasPrefix(file, p.at) && (best == nil || len(p.at) > len(best.at)) {
			best = p
		}
	}
	return best
}

// empty reports whether there is no file but those of packages.
func (s *sources) empty() bool { return len(s.own) == 0 }

// isDir reports whether files lie below a path.
func (s *sources) isDir(dir string) bool {
	dir = strings.TrimSuffix(dir, "/") + "/"
	if dir == "/" || dir == "./" {
		return true
	}
	for file := range s.own {
		if strings.HasPrefix(file, dir) {
			return true
		}
	}
	for _, p := range s.packages {
		if strings.HasPrefix(p.at, dir) {
			return true
		}
		if strings.HasPrefix(dir, p.at) {
			for file := range p.files {
				if strings.HasPrefix(p.at+file, dir) {
					return true
				}
			}
		}
	}
	return false
}

// sourcesOf are the files of a unit, those of its packages taken from the
// cache.
func (r *Runtime) sourcesOf(ctx context.Context, u *Unit) (sources, error) {
	return r.sources(ctx, u.Sources, u.Packages)
}

// sources are the files a block's imports may lead to: its own and those of
// its packages, which are fetched when the cache does not have them.
func (r *Runtime) sources(ctx context.Context, own map[string][]byte, packages []compile.Package) (sources, error) {
	s := sources{own: own}
	if err := r.env.Tools.FetchNPM(ctx, packages, r.env.Progress); err != nil {
		return s, err
	}
	for _, p := range packages {
		files, err := r.env.Tools.PackageFiles(ctx, p, r.env.Progress)
		if err != nil {
			return s, err
		}
		s.packages = append(s.packages, mounted{path.Clean(p.Path) + "/", files})
	}
	return s, nil
}
