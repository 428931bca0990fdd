package site

import (
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
		found = appendNew(found, m.found)
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
	for _, name := range b.files {
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
			Hint: "take it out; where it is no secret, publish with --allow-leak " + f.Path}
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
	for _, name := range slices.Sorted(maps.Keys(b.included)) {
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

func isError(d diag.Finding) bool { return d.Severity == diag.Error }

// Pages is a number of pages in words.
func Pages(n int) string {
	if n == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", n)
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
