package citeproc

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/js"
	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
)

// Names of the toolchains, and of the files in them.
const (
	toolName    = "citeproc"
	localesName = "csl-locales"
	stylesName  = "csl-styles"
	scriptFile  = "citeproc.js"
	localesFile = "locales.zip"
	stylesFile  = "styles.zip"
	// dependents is the file of the styles that only point to another one, with
	// its name, a line each.
	dependents = "dependent.txt"
)

// recipe pins citeproc-js (npm package citeproc, CPAL-1.0 or AGPL-1.0).
func (p *Processor) recipe(runtime *js.Runtime) toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "2.4.63", Summary: "citeproc-js: citations by styles of CSL",
		Origin: toolchain.NPM{
			Package: "citeproc", Version: "2.4.63", Size: 194_607,
			Integrity: "sha512-68F95Bp4UbgZU/DBUGQn0qV3HDZLCdI9+Bb2ByrTaNJDL5VEm9LqaiNaxljsvoaExSLEXe1/r6n2Z06SCzW3/Q==",
			Files: map[string]toolchain.Pinned{
				"citeproc_commonjs.js": {Name: scriptFile, SHA256: "55abba1a8b8b48c14323fd053f9646013b4b7a0c977938064ecf5195a502b9f1"},
			},
		},
		Needs: []string{js.ToolName, localesName},
		Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
			return p.selfTest(ctx, runtime, t)
		},
		Takes: 5 * time.Second,
	}
}

// smallStyle shows the family names and the year of a work.
const smallStyle = `<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text"><info><title>small</title><id>small</id></info>
<citation><layout prefix="(" suffix=")" delimiter="; "><names variable="author"><name form="short" and="text"/></names><date variable="issued" prefix=" "><date-part name="year"/></date></layout></citation></style>`

// selfTest starts the processor from the files in t and has it write a citation.
func (p *Processor) selfTest(ctx context.Context, runtime *js.Runtime, t toolchain.Toolchain) error {
	tool := runtime.NewTool(p.toolConfig(func(context.Context) (toolchain.Toolchain, error) { return t, nil }))
	defer tool.Close()
	author := []map[string]any{{"family": "Müller"}, {"family": "Lee"}}
	out, err := p.cite(ctx, tool, &compile.CitedDocument{Style: smallStyle, Lang: "de", Anchors: map[string]string{"a": "a"}, Uncited: []string{},
		Items:     map[string]map[string]any{"a": {"id": "a", "type": "book", "author": author, "issued": map[string]any{"date-parts": [][]int{{1984}}}}},
		Citations: []compile.Citation{{Items: []compile.CitedItem{{ID: "a"}}}}})
	if err != nil {
		return err
	}
	if want := `(<a href="#a">Müller und Lee 1984</a>)`; len(out.Citations) != 1 || out.Citations[0] != want {
		return fmt.Errorf("a citation is %q, not %q", out.Citations, want)
	}
	return nil
}

const packaged = "share/citation-style-language/"

// localesRecipe keeps the locales of the CSL project (CC-BY-SA-3.0).
func localesRecipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: localesName, Version: "2023-01-22", Summary: "the CSL project's words and dates in 60 languages (CC-BY-SA-3.0, citationstyles.org)",
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "citation-style-language-locales", Version: "0~20230122.9b9366b-1", Suite: "bookworm", Binary: true,
				File: "citation-style-language-locales_0~20230122.9b9366b-1_all.deb", Size: 60_492,
				SHA256: "1fd1c4937b6fca6d494c5e78bff926cf647873fd6f6dc095e82520f6aff17311"},
			Files: []string{packaged + "locales/*.xml"},
			Of:    "1",
			Build: func(_ context.Context, job *toolchain.Job, files map[string][]byte) error {
				return writeZip(job, localesFile, files)
			},
		},
	}
}

// stylesRecipe keeps the styles of the CSL project (CC-BY-SA-3.0).
func stylesRecipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: stylesName, Version: "2023-02-09", Summary: "the CSL project's styles of 10,000 journals, by name (CC-BY-SA-3.0, citationstyles.org)",
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "citation-style-language-styles", Version: "0~20230209.153790a-1", Suite: "bookworm", Binary: true,
				File: "citation-style-language-styles_0~20230209.153790a-1_all.deb", Size: 2_016_392,
				SHA256: "8c086a7db98ae037fdeb4dec03f3cb253f44d757c127eb2127a8ba9b5682ceea"},
			Files: []string{packaged + "styles/*.csl", packaged + "styles/dependent/*.csl"},
			Of:    "1",
			Build: func(_ context.Context, job *toolchain.Job, files map[string][]byte) error {
				return writeZip(job, stylesFile, separated(files))
			},
		},
	}
}

var parentForm = lazyregexp.New(`<link\b[^>]*\bhref="[^"]*/([^"/]+)"[^>]*\brel="independent-parent"|<link\b[^>]*\brel="independent-parent"[^>]*\bhref="[^"]*/([^"/]+)"`)

// parent is the style that one stands for which has no rules of its own, or "".
func parent(style string) string {
	if m := parentForm.FindStringSubmatch(style); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// separated are the styles, and a list of those that stand for another.
func separated(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if to := parent(string(files[name])); to != "" {
			fmt.Fprintf(&list, "%s %s\n", strings.TrimSuffix(path.Base(name), ".csl"), to)
			continue
		}
		out[name] = files[name]
	}
	out[dependents] = []byte(list.String())
	return out
}

// filesTime is the age of all files, so that archives are equal.
var filesTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// writeZip writes files as one archive, without their directories.
func writeZip(job *toolchain.Job, name string, files map[string][]byte) error {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: path.Base(file), Method: zip.Deflate, Modified: filesTime})
		if err != nil {
			return err
		}
		if _, err := w.Write(files[file]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return job.Write(name, packed.Bytes())
}
