package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"wb/app"
	"wb/internal/diag"
	"wb/sandbox/dock/store"
)

// vfsCmd shows and changes the volumes of a project.
type vfsCmd struct {
	Dir    string `help:"The project's directory; this one by default." default:"." type:"existingdir"`
	Tenant string `help:"Whose volumes, on a machine that serves several." default:"default" placeholder:"NAME"`

	Ls    vfsLsCmd    `cmd:"" help:"List files."`
	Get   vfsGetCmd   `cmd:"" help:"Print a file."`
	Put   vfsPutCmd   `cmd:"" help:"Make a file of another one, or of standard input."`
	Query vfsQueryCmd `cmd:"" help:"Answer a SELECT over vfs(volume, path, content, mtime)."`
}

type vfsLsCmd struct {
	Prefix string `arg:"" optional:"" help:"VOLUME:PREFIX; volumes are workspace (the default), memory and tmp."`
}

func (c *vfsLsCmd) Help() string { return "Example:\n  wb vfs ls memory:" }

func (c *vfsLsCmd) Run(a *terminal, v *vfsCmd) error {
	return withProject(v.Tenant, v.Dir, func(s *store.Store) error {
		names, err := s.ListFiles(a.ctx, c.Prefix)
		if err != nil {
			return err
		}
		return a.answer("vfs", names, func(w io.Writer) error {
			for _, name := range names {
				fmt.Fprintln(w, name)
			}
			return nil
		})
	})
}

type vfsGetCmd struct {
	Path string `arg:"" complete:"words" help:"VOLUME:PATH, or a PATH of the volume workspace."`
}

func (c *vfsGetCmd) Help() string { return "Example:\n  wb vfs get memory:notes/2026.org" }

func (c *vfsGetCmd) Run(a *terminal, v *vfsCmd) error {
	return withProject(v.Tenant, v.Dir, func(s *store.Store) error {
		content, found, err := s.ReadFile(a.ctx, c.Path)
		if err != nil {
			return err
		}
		if !found {
			return diag.NotFoundf("wb vfs ls", "there is no file %s", c.Path)
		}
		return a.answer("vfs", string(content), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
	})
}

type vfsPutCmd struct {
	Path string `arg:"" complete:"words" help:"VOLUME:PATH, or a PATH of the volume workspace."`
	File string `arg:"" optional:"" default:"-" help:"What to put there; - for standard input."`
}

func (c *vfsPutCmd) Help() string {
	return "Examples:\n  wb vfs put memory:seed.json seed.json\n  wb vfs put memory:seed.json < seed.json"
}

func (c *vfsPutCmd) Run(a *terminal, v *vfsCmd) error {
	content, err := c.content(a)
	if err != nil {
		return err
	}
	return withProject(v.Tenant, v.Dir, func(s *store.Store) error { return s.WriteFile(a.ctx, c.Path, content) })
}

// content is what to put.
func (c *vfsPutCmd) content(a *terminal) ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(a.std.In)
	}
	content, err := os.ReadFile(c.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, app.MissingFile(c.File)
	}
	return content, err
}

type vfsQueryCmd struct {
	SQL string `arg:"" name:"sql" help:"One SELECT."`
}

func (c *vfsQueryCmd) Help() string {
	return "Example:\n  wb vfs query \"SELECT path, length(content) FROM vfs WHERE volume = 'memory'\""
}

func (c *vfsQueryCmd) Run(a *terminal, v *vfsCmd) error {
	return withProject(v.Tenant, v.Dir, func(s *store.Store) error {
		columns, rows, err := s.Query(a.ctx, c.SQL)
		if err != nil {
			return err
		}
		return a.answer("vfs", map[string]any{"columns": columns, "rows": rows}, func(w io.Writer) error {
			for _, row := range rows {
				text, err := json.Marshal(row)
				if err != nil {
					return err
				}
				fmt.Fprintln(w, string(text))
			}
			return nil
		})
	})
}
