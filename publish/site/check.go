package site

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/leak"
)

// Check finds what is wrong with a site without laying it out: everything
// [Builder.Build] finds, and what looks like a secret, each with its place in
// the file that the author wrote.
func (p *Project) Check(ctx context.Context, secrets []leak.Secret) ([]diag.Finding, error) {
	b := &Builder{p: p, links: newLinker(p)}
	built, err := b.buildAll(ctx, p.Documents)
	if err != nil {
		return nil, err
	}
	found := slices.Clone(p.Found)
	for _, m := range built {
		found = appendNew(found, m.Found)
		leaks, err := p.leaks(m, secrets)
		if err != nil {
			return nil, err
		}
		found = append(found, leaks...)
	}
	return found, nil
}

// appendNew adds what is not there yet: what two pages include is one mistake.
func appendNew(found, more []diag.Finding) []diag.Finding {
	for _, d := range more {
		if !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

// leaks looks for secrets in what becomes public of a document and in the
// files it shows.
func (p *Project) leaks(b *built, secrets []leak.Secret) ([]diag.Finding, error) {
	public := manifest.Files{b.doc.Page: []byte(strings.Join([]string{b.page.Header, b.page.Body, b.page.Provenance, b.page.View, b.page.Trail}, "\n"))}
	for _, name := range b.Files {
		data, err := p.root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		public[name] = data
	}
	rules := leak.Rules{Secrets: secrets}
	var out []diag.Finding
	for _, f := range leak.Scan(public, rules) {
		d := diag.Finding{Severity: diag.Error, Code: "leak", Message: f.What,
			Hint: "remove it; if it is not a secret, publish with --allow-leak " + f.Path}
		d.Pos = diag.Position{File: p.file(f.Path), Line: f.Line, Col: 1}
		if f.Path == b.doc.Page {
			d.Pos = p.leakInSource(b, f, rules)
		}
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out, nil
}

// leakInSource is where the author wrote what was found on the page: in the
// document, or in a file that it includes.
func (p *Project) leakInSource(b *built, f leak.Finding, rules leak.Rules) diag.Position {
	written := func(name string, text []byte) int {
		for _, s := range leak.Scan(manifest.Files{name: text}, rules) {
			if s.What == f.What && s.Line > 0 {
				return s.Line
			}
		}
		return 0
	}
	at := diag.Position{File: b.doc.File, Line: 1, Col: 1}
	if line := written(b.doc.Path, b.doc.Source); line > 0 {
		at.Line = line
		return at
	}
	for _, name := range slices.Sorted(maps.Keys(b.Included)) {
		text, err := p.root.ReadFile(filepath.FromSlash(name))
		if err != nil {
			continue
		}
		if line := written(name, text); line > 0 {
			return diag.Position{File: p.file(name), Line: line, Col: 1}
		}
	}
	return at
}

// Leaked says where the authors wrote what was found in the files of a site that is
// about to be released: in which document, and on which line. What is in none of them
// keeps its place in the site.
func Leaked(docs []Named, found []leak.Finding, rules leak.Rules) []diag.Finding {
	var out []diag.Finding
	add := func(at diag.Position, f leak.Finding) {
		d := diag.Finding{Pos: at, Severity: diag.Error, Code: "leak", Message: f.What}
		if f.Line > 0 {
			d.Hint = "remove it; if it is not a secret, --allow-leak " + f.Path
		}
		same := func(o diag.Finding) bool { return o.Pos == d.Pos && o.Message == d.Message }
		if !slices.ContainsFunc(out, same) {
			out = append(out, d)
		}
	}
	for _, f := range found {
		written := false
		for _, doc := range docs {
			if f.Line == 0 {
				break
			}
			for _, s := range leak.Scan(manifest.Files{"document": doc.Source}, rules) {
				if s.What == f.What {
					add(diag.Position{File: doc.Name, Line: s.Line, Col: 1}, f)
					written = true
				}
			}
		}
		if !written {
			add(diag.Position{File: f.Path, Line: f.Line, Col: 1}, f)
		}
	}
	return out
}

func isError(d diag.Finding) bool { return d.Severity == diag.Error }

// Pages is a number of pages in words.
func Pages(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
}

// Strict makes errors of warnings: nothing is released while there are any.
func Strict(found []diag.Finding) []diag.Finding {
	out := slices.Clone(found)
	for i := range out {
		if out[i].Severity == diag.Warning {
			out[i].Severity = diag.Error
		}
	}
	return out
}

// Kind counts the warnings of one kind.
type Kind struct {
	Code  string        `json:"code"`
	Count int           `json:"count"`
	First diag.Position `json:"first"`
}

// Warnings counts warnings by their kind, the most frequent first.
func Warnings(found []diag.Finding) []Kind {
	kinds := map[string]*Kind{}
	for _, d := range found {
		switch k := kinds[d.Code]; {
		case d.Severity != diag.Warning:
		case k == nil:
			kinds[d.Code] = &Kind{d.Code, 1, d.Pos}
		default:
			k.Count++
		}
	}
	out := []Kind{}
	for _, k := range kinds {
		out = append(out, *k)
	}
	slices.SortFunc(out, func(a, b Kind) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Code, b.Code)) })
	return out
}

// CountWarnings says how many warnings there are, and of what kinds: "3 warnings
// (2 broken-link, 1 math)"; "" without any.
func CountWarnings(found []diag.Finding) string {
	total := 0
	var parts []string
	for _, k := range Warnings(found) {
		total += k.Count
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Code))
	}
	switch total {
	case 0:
		return ""
	case 1:
		return "1 warning (" + parts[0] + ")"
	}
	return fmt.Sprintf("%d warnings (%s)", total, strings.Join(parts, ", "))
}

// Summary says how many mistakes there are, for the last line of a report.
func Summary(found []diag.Finding) string {
	files, errors := map[string]bool{}, 0
	for _, d := range found {
		if isError(d) {
			files[d.Pos.File] = true
			errors++
		}
	}
	switch {
	case errors == 0:
		return "no mistakes"
	case errors == 1:
		return "1 mistake"
	case len(files) == 1:
		return fmt.Sprintf("%d mistakes", errors)
	}
	return fmt.Sprintf("%d mistakes in %d files", errors, len(files))
}
