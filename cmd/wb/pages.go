package main

import (
	"fmt"
	"os"

	"wb/compile"
	"wb/internal/diag"
	"wb/workbook"
)

// sourcesOf replaces pages and bundles among paths by the workbooks in them,
// verified and unpacked into directories that done removes.
func sourcesOf(paths []string) (out []string, done func(), err error) {
	var dirs []string
	done = func() {
		for _, dir := range dirs {
			os.RemoveAll(dir)
		}
	}
	for _, path := range paths {
		if !isPublished(path) {
			out = append(out, path)
			continue
		}
		dir, sources, err := unpackPublished(path)
		if err != nil {
			done()
			return nil, nil, err
		}
		dirs = append(dirs, dir)
		if len(sources) == 0 {
			done()
			return nil, nil, &codedError{text: path + ": no workbook inside", code: diag.ExitNotFound}
		}
		out = append(out, sources...)
	}
	return out, done, nil
}

// runPublished runs the workbook in a page or bundle. Its author is a third
// party: it runs one tier further away, and gets no grants.
func (c *runCmd) runPublished(a *app, opts workbook.Options) error {
	if len(c.Files) != 1 || c.Watch || c.Map != "" || c.Lines != "" {
		return &usageError{err: fmt.Errorf("a page or bundle runs alone, without --watch, --map and --lines"), hint: "wb unbundle makes files of it"}
	}
	sources, done, err := sourcesOf(c.Files)
	if err != nil {
		return err
	}
	defer done()
	c.Events = "none"
	opts.Profile, opts.Grants = "compute", nil
	opts.ThirdParty, opts.Principal = true, c.Files[0]
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		opts.Lanes = lanes
		for _, file := range sources {
			if err := c.runFile(a, opts, file); err != nil {
				return err
			}
		}
		return nil
	})
}
