// Package rebuild runs the workbooks inside pages and bundles again and
// compares what comes out with what was published.
//
// It trusts nobody: a workbook from a page runs in a directory of its own, in
// profile compute and without any grant, and nothing kept from earlier runs is
// used. The same source must give the same file, byte for byte.
package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/compile"
	"wb/publish/bundle"
	"wb/publish/fault"
	"wb/publish/manifest"
	"wb/publish/sign"
	"wb/workbook"
)

// Outcome is what was run again.
type Outcome struct {
	Components int
	Sources    []string
}

// Contents are the files of the bundle in a page, or of a .wbundle. Nothing is
// verified.
func Contents(data []byte) (manifest.Files, error) {
	if !bytes.HasPrefix(data, []byte("PK")) {
		zip, err := bundle.Extract(data)
		if err != nil {
			return nil, err
		}
		data = zip
	}
	return bundle.Unpack(data)
}

// Path runs again what a page or bundle holds.
func Path(ctx context.Context, path string, lanes *compile.Registry) (*Outcome, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil, fault.New(fault.RebuildNoSource, "%s holds no workbook to run again", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files, err := Contents(data)
	if fault.CodeOf(err) == fault.BundleMissing {
		return nil, fault.New(fault.RebuildNoSource, "%s holds no workbook to run again", path)
	}
	if err != nil {
		return nil, err
	}
	return Files(ctx, files, lanes)
}

// Sources are the workbooks among the files of a bundle, sorted.
func Sources(files manifest.Files) []string {
	var out []string
	for path := range files {
		if strings.HasSuffix(path, ".org") {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// Files runs the workbooks of a bundle again.
func Files(ctx context.Context, files manifest.Files, lanes *compile.Registry) (*Outcome, error) {
	out := &Outcome{Sources: Sources(files)}
	if len(out.Sources) == 0 {
		return nil, fault.New(fault.RebuildNoSource, "no workbook to run again")
	}
	dir, err := os.MkdirTemp("", "wb-rebuild-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := sign.WriteNew(dir, files, false); err != nil {
		return nil, err
	}
	for _, source := range out.Sources {
		n, err := again(ctx, filepath.Join(dir, filepath.FromSlash(source)), source, files, lanes)
		if err != nil {
			return nil, err
		}
		out.Components += n
	}
	return out, nil
}

// again runs one workbook without its results having any part in it and
// compares the text that comes out.
func again(ctx context.Context, file, source string, files manifest.Files, lanes *compile.Registry) (int, error) {
	report, err := workbook.Run(ctx, workbook.Options{File: file, Lanes: lanes, Force: true, TrustTier: "instance"})
	if err != nil {
		return 0, &fault.Error{Code: fault.RebuildFailed, Path: source, Text: err.Error()}
	}
	if failed := report.Failed(); failed != nil {
		return 0, &fault.Error{Code: fault.RebuildFailed, Path: source, Text: fmt.Sprintf("%s: %v", failed.ID, failed.Err)}
	}
	now, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(now, files[source]) {
		return 0, &fault.Error{Code: fault.RebuildDiffers, Path: source, Text: fmt.Sprintf("line %d comes out another way", firstDifference(now, files[source]))}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		made, err := os.ReadFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(path)))
		if filepath.Dir(source) == "." && err == nil && !bytes.Equal(made, files[path]) {
			return 0, &fault.Error{Code: fault.RebuildDiffers, Path: path, Text: "is written another way"}
		}
	}
	return len(report.Components), nil
}

// firstDifference is the first line in which two texts differ, from 1.
func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
