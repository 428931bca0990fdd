package main

import (
	"os"

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
			return nil, nil, diag.NotFoundf("", "%s", path+": no workbook inside")
		}
		out = append(out, sources...)
	}
	return out, done, nil
}

// runPublished runs the workbook in a page or bundle. Its author is a third
// party: it runs one tier further away, and gets no grants.
func (c *runCmd) runPublished(a *terminal) error {
	if len(c.Files) != 1 || c.Watch || c.Map != "" || c.Lines != "" {
		return diag.Usagef("wb unbundle makes files of it", "a page or bundle runs alone, without --watch, --map and --lines")
	}
	sources, done, err := sourcesOf(c.Files)
	if err != nil {
		return err
	}
	defer done()
	c.Events, c.Profile, c.Grant = "none", "compute", nil
	home, err := c.home(a)
	if err != nil {
		return err
	}
	usual := home.Options
	home.Options = func(opts *workbook.Options) {
		usual(opts)
		opts.ThirdParty, opts.Principal = true, c.Files[0]
	}
	for _, file := range sources {
		if err := c.runFile(a, home, file); err != nil {
			return err
		}
	}
	return nil
}
