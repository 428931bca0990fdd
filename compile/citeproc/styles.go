package citeproc

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// Style is a style of a document's own, or finds one by its name, installing the
// repository of styles first where it is not there.
func (p *Processor) Style(ctx context.Context, name, own string) (string, error) {
	if own != "" {
		if name = parent(own); name == "" {
			return own, nil
		}
	}
	files, err := p.archive(ctx, stylesName, stylesFile)
	if err != nil {
		return "", err
	}
	text, err := readIn(files, name+".csl")
	if err == nil {
		return text, nil
	}
	others, err := readIn(files, dependents)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(others) {
		if from, to, _ := strings.Cut(strings.TrimSpace(line), " "); from == name {
			return readIn(files, to+".csl")
		}
	}
	return "", diag.Failedf(near(files, name), "no style of CSL is named %s", name)
}

// near is a hint with the style whose name is most like another.
func near(files *zip.Reader, name string) string {
	best, bound := "", max(2, len(name)/3)
	for _, f := range files.File {
		known, is := strings.CutSuffix(f.Name, ".csl")
		if d := nearest.Distance(name, known); is && d <= bound {
			best, bound = known, d-1
		}
	}
	if best == "" {
		return "name a file beside the document (STYLE.csl), or a style of the CSL project, such as apa, ieee, vancouver, chicago-author-date"
	}
	return "did you mean " + best + "?"
}

// locales are the texts of what languages need, by the names that the processor
// asks for: English (US) is always there.
func (p *Processor) locales(ctx context.Context, langs ...string) (map[string]string, error) {
	files, err := p.archive(ctx, localesName, localesFile)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, f := range files.File {
		if name, ok := strings.CutPrefix(f.Name, "locales-"); ok {
			known = append(known, strings.TrimSuffix(name, ".xml"))
		}
	}
	slices.Sort(known)
	out := map[string]string{}
	for _, lang := range append(langs, "en-US") {
		name := locale(lang, known)
		if name == "" {
			continue
		}
		text, err := readIn(files, "locales-"+name+".xml")
		if err != nil {
			return nil, err
		}
		out[name], out[lang] = text, text
	}
	return out, nil
}

// locale is the one for a language: de-AT for itself, de-DE for de, "" for none.
func locale(lang string, known []string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-")
	if base == "" {
		return ""
	}
	first := ""
	for _, name := range known {
		switch {
		case strings.EqualFold(name, strings.ReplaceAll(lang, "_", "-")):
			return name
		case name == base || strings.EqualFold(name, base+"-"+base) || name == "en-US" && base == "en":
			first = name
		case first == "" && strings.HasPrefix(name, base+"-"):
			first = name
		}
	}
	return first
}

// archive opens a file of a toolchain that is an archive.
func (p *Processor) archive(ctx context.Context, tool, name string) (*zip.Reader, error) {
	t, err := p.env.Tools.Ensure(ctx, tool, p.env.Progress)
	if err != nil {
		return nil, err
	}
	data, err := t.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(data), int64(len(data)))
}

func readIn(files fs.FS, name string) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return string(data), err
}
