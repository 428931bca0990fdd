// Package leak looks for what must not leave this machine in files that are
// about to: files that the host keeps for itself, hidden files, what looks like
// a key or a token, and the very values of the user's secrets, in any of the
// spellings that programs give them.
//
// It is a last gate, after everything that keeps such things out by
// construction. It cannot prove that nothing leaks; it finds what people most
// often publish by mistake, says where, and lets the user accept one file.
package leak

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/proof/bundle"
	"wb/proof/manifest"
)

// Finding is one thing that would leave. The text never holds all of it.
type Finding struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // from 1; 0 is the file as such
	What string `json:"what"`
}

func (f Finding) String() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.Path, f.What)
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.What)
}

// Rules say what to look for and what to let pass.
type Rules struct {
	// Secrets are values that must not be in any file.
	Secrets []Secret
	// Allow names files that may hold what looks like a secret, by their paths.
	// It never allows a file that the host keeps or the value of a secret.
	Allow []string
}

// Error says what would leave.
type Error struct{ Findings []Finding }

func (e *Error) Error() string {
	var b strings.Builder
	for i, f := range e.Findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == maxShown {
			fmt.Fprintf(&b, "and %d more", len(e.Findings)-i)
			break
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// maxShown is how many findings a message has.
const maxShown = 20

// Hint says what to do.
func (e *Error) Hint() string {
	for _, f := range e.Findings {
		if f.Line > 0 {
			return "remove it from the source; if it is not a secret, --allow-leak " + f.Path
		}
	}
	return "files reserved for the host are never published"
}

// ExitCode is that of things not permitted.
func (e *Error) ExitCode() int { return diag.ExitForbidden }

// Check is [Scan] as an error.
func Check(files manifest.Files, rules Rules) error {
	if found := Scan(files, rules); len(found) > 0 {
		return &Error{found}
	}
	return nil
}

// Scan looks through files, sorted by path. What a page or bundle holds is
// looked through as well, as PAGE!/FILE.
func Scan(files manifest.Files, rules Rules) []Finding {
	search := newSearch(rules.Secrets)
	var out []Finding
	for _, name := range slices.Sorted(maps.Keys(files)) {
		allowed := slices.Contains(rules.Allow, name)
		if Kept(name) {
			out = append(out, Finding{Path: name, What: "never leaves this machine"})
			continue
		}
		for _, f := range search.file(name, files[name]) {
			if !allowed || f.certain {
				out = append(out, f.Finding)
			}
		}
	}
	return out
}

// stores are files in which wb keeps what runs did and users entrusted to it.
var stores = map[string]bool{"journal.jsonl": true, "vfs.sqlite": true, "dock.sqlite": true, "kv.sqlite": true, "runs.jsonl": true}

// Kept reports whether a file of a site is one that the host keeps: hidden, or
// by its name a record of runs.
func Kept(name string) bool {
	if name == ".nojekyll" {
		return false
	}
	name = strings.TrimPrefix(name, ".well-known/") // what proves a site lies there
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), "-wal"), "-shm")
	return manifest.Private(name) || stores[strings.ToLower(base)] || strings.HasSuffix(base, ".ed25519") || strings.HasSuffix(base, ".keylog")
}

// hit is a finding, and whether it is the value of a secret rather than what
// looks like one.
type hit struct {
	Finding
	certain bool
}

// file looks through one file.
func (s *search) file(name string, data []byte) []hit {
	inner, err := contents(name, data)
	bundle := err == nil && inner != nil
	var out []hit
	switch {
	case manifest.IsPage(name):
		out = s.page(name, data)
	case !bundle:
		out = s.text(name, data)
	}
	if !bundle {
		return out
	}
	for _, path := range slices.Sorted(maps.Keys(inner)) {
		at := name + "!/" + path
		if Kept(path) {
			out = append(out, hit{Finding{Path: at, What: "never leaves this machine"}, true})
			continue
		}
		out = append(out, s.text(at, inner[path])...)
	}
	return out
}

// page looks through the bytes of a page and through what readers see of it; of
// what both have it tells once.
func (s *search) page(name string, data []byte) []hit {
	out := s.text(name, data)
	for _, h := range s.text(name, shown(data)) {
		if !slices.ContainsFunc(out, func(o hit) bool { return o.Line == h.Line }) {
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return a.Line - b.Line })
	return out
}

// contents are the files of the bundle that a file is or holds.
func contents(name string, data []byte) (manifest.Files, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK")):
		return bundle.Unpack(data)
	case manifest.IsPage(name):
		zip, err := bundle.Extract(data)
		if err != nil {
			return nil, err
		}
		return bundle.Unpack(zip)
	}
	return nil, nil
}

// text looks through bytes as they are.
func (s *search) text(name string, data []byte) []hit {
	var out []hit
	seen := map[int]bool{} // lines
	add := func(at int, what string, certain bool) {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		if !seen[line] {
			seen[line] = true
			out = append(out, hit{Finding{name, line, what}, certain})
		}
	}
	for _, f := range s.forms {
		if at := bytes.Index(data, f.text); at >= 0 {
			add(at, "the value of "+f.name, true)
		}
	}
	for _, r := range patterns {
		for at := 0; ; {
			i := bytes.Index(data[at:], []byte(r.needle))
			if i < 0 {
				break
			}
			at += i
			if found := r.match(data, at); found != "" {
				add(at, "looks like "+r.what+" ("+found+")", false)
			}
			at += len(r.needle)
		}
	}
	slices.SortStableFunc(out, func(a, b hit) int { return a.Line - b.Line })
	return out
}
