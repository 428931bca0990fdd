package app

import (
	"context"
	"encoding/json"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox/dock/store"
)

// projectFlags say whose volumes a verb is about.
type projectFlags struct {
	Dir string `help:"The project's directory; the current one by default." default:"." type:"existingdir"`
	TenantFlag
}

func (f projectFlags) do(do func(s *store.Store) error) error { return f.project(f.Dir, do) }

// VolumeListIn holds the arguments of wb vfs ls.
type VolumeListIn struct {
	Prefix string `arg:"" optional:"" help:"VOLUME:PREFIX; volumes are workspace (the default), memory and tmp."`
	projectFlags
}

var volumeList = Verb[VolumeListIn, []string]{
	Name: "vfs ls", Help: "List files.", About: "Example:\n  wb vfs ls memory:",
	Do: func(ctx context.Context, _ *Home, in *VolumeListIn) (names []string, err error) {
		return names, in.do(func(s *store.Store) error {
			names, err = s.ListFiles(ctx, in.Prefix)
			return err
		})
	},
	Text: listed(func(name string) string { return name }),
}

// VolumeGetIn holds the arguments of wb vfs get.
type VolumeGetIn struct {
	Path string `arg:"" complete:"words" help:"VOLUME:PATH, or a PATH of the volume workspace."`
	projectFlags
}

var volumeGet = Verb[VolumeGetIn, string]{
	Name: "vfs get", Help: "Print a file.", About: "Example:\n  wb vfs get memory:notes/2026.org",
	Do: func(ctx context.Context, _ *Home, in *VolumeGetIn) (content string, err error) {
		return content, in.do(func(s *store.Store) error {
			data, found, err := s.ReadFile(ctx, in.Path)
			if err == nil && !found {
				err = diag.NotFoundf("wb vfs ls", "there is no file %s", in.Path)
			}
			content = string(data)
			return err
		})
	},
	Text: text,
}

// VolumePutIn holds the arguments of wb vfs put.
type VolumePutIn struct {
	Path string `arg:"" complete:"words" help:"VOLUME:PATH, or a PATH of the volume workspace."`
	File string `arg:"" optional:"" default:"-" help:"The file to copy; - is standard input."`
	projectFlags
}

var volumePut = Verb[VolumePutIn, Done]{
	Name: "vfs put", Help: "Write a file into a volume, from another file or standard input.", Changes: true,
	About: "Examples:\n  wb vfs put memory:seed.json seed.json\n  wb vfs put memory:seed.json < seed.json",
	Do: func(ctx context.Context, h *Home, in *VolumePutIn) (Done, error) {
		content, err := h.text(in.File)
		if err != nil {
			return Done{}, err
		}
		return Done{}, in.do(func(s *store.Store) error { return s.WriteFile(ctx, in.Path, content) })
	},
}

// VolumeQueryIn holds the arguments of wb vfs query.
type VolumeQueryIn struct {
	SQL string `arg:"" name:"sql" help:"One SELECT."`
	projectFlags
}

// VolumeRows are the rows a SELECT found.
type VolumeRows struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

var volumeQuery = Verb[VolumeQueryIn, *VolumeRows]{
	Name: "vfs query", Help: "Answer a SELECT over vfs(volume, path, content, mtime).",
	About: "Example:\n  wb vfs query \"SELECT path, length(content) FROM vfs WHERE volume = 'memory'\"",
	Do: func(ctx context.Context, _ *Home, in *VolumeQueryIn) (*VolumeRows, error) {
		out := &VolumeRows{}
		return out, in.do(func(s *store.Store) (err error) {
			out.Columns, out.Rows, err = s.Query(ctx, in.SQL)
			return diag.Advise(err, "there is one table: vfs(volume, path, content, mtime)")
		})
	},
	Text: func(p *Page, out *VolumeRows) error {
		for _, row := range out.Rows {
			line := []byte("{")
			for i, cell := range row {
				text, err := json.Marshal(cell)
				if err != nil {
					return err
				}
				if i > 0 {
					line = append(line, ',')
				}
				line = append(append(value.AppendQuoted(line, out.Columns[i]), ':'), text...)
			}
			p.Printf("%s}\n", line)
		}
		return nil
	},
}
