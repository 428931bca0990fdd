package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/org/orgfile"
	"wb/search/federate"
)

// ListedTable is a table that a toolkit declares.
type ListedTable struct {
	Entity   string   `json:"entity"`
	Toolkit  string   `json:"toolkit"`
	Impl     string   `json:"impl"`
	URL      string   `json:"url"`
	EnvKeys  []string `json:"env_keys,omitempty"`
	Manifest string   `json:"manifest"`
}

var federateList = Verb[struct{}, *partial[ListedTable]]{
	Name: "federate list", Help: "List the tables that toolkits declare.",
	About: "Example:\n  wb federate list\n\nTables are declared in toolkits/NAME/plugin/manifest.org.",
	Do: func(_ context.Context, h *Home, _ *struct{}) (*partial[ListedTable], error) {
		catalog, err := h.Tables(TableFlags{}, nil)
		if err != nil {
			return nil, err
		}
		manifests, problems := catalog.Manifests()
		out := &partial[ListedTable]{list: []ListedTable{}}
		for _, m := range manifests {
			for _, entity := range m.Entities {
				out.list = append(out.list, ListedTable{entity, m.Toolkit, m.Impl, m.URL, m.EnvKeys, m.Path})
			}
		}
		if len(out.list)+len(problems) == 0 {
			h.notef("no toolkit here declares a table")
		}
		out.broken = h.lacks(problems)
		return out, nil
	},
	Text: func(p *Page, out *partial[ListedTable]) error {
		return listed(func(t ListedTable) string { return fmt.Sprintf("%-20s %-8s %s", t.Entity, t.Impl, t.URL) })(p, out.list)
	},
}

// FederateSyncIn holds the arguments of wb federate sync.
type FederateSyncIn struct {
	Entity string `arg:"" help:"A table: an entity of a toolkit, or a file."`
	Table  string `arg:"" optional:"" help:"The table of an SQLite file that has several."`
	Into   string `help:"The org file; sync/ENTITY.org or sync/TABLE.org when not given." placeholder:"FILE.org"`
	DryRun bool   `help:"Print what would change, and change nothing."`
	TableFlags
}

// Mirrored counts the changes in the mirror of a table.
type Mirrored struct {
	*federate.Report
	dry bool
}

var federateSync = Verb[FederateSyncIn, *Mirrored]{
	Name: "federate sync", Help: "Mirror a table's rows as headlines.", Changes: true,
	About: `Examples:
  wb federate sync shop.sqlite orders
  wb federate sync shop-order --into orders.org --grant net:api.example.com

Rows become headlines, columns properties. The next run changes what changed in
the table, tags what is gone :deleted: and leaves everything else as it is.`,
	Do: func(ctx context.Context, h *Home, in *FederateSyncIn) (*Mirrored, error) {
		catalog, err := h.Tables(in.TableFlags, []string{in.Entity})
		if err != nil {
			return nil, err
		}
		rows, err := catalog.Rows(ctx, in.Entity, in.Table)
		var which *federate.TableError
		if errors.As(err, &which) && which.Table == "" && len(which.Tables) > 0 {
			return nil, diag.Usagef(fmt.Sprintf("name the table: wb federate sync %s %s; known tables: %s",
				in.Entity, which.Tables[0], strings.Join(which.Tables, ", ")), "%w", err)
		}
		if err != nil {
			return nil, err
		}
		report, err := in.mirror(rows)
		return &Mirrored{report, in.DryRun}, err
	},
	Text: func(p *Page, out *Mirrored) error {
		for _, part := range []struct {
			sign string
			ids  []string
		}{{"+", out.Added}, {"~", out.Updated}, {"-", out.Deleted}, {"^", out.Restored}} {
			for _, id := range part.ids {
				p.Printf("%s %s\n", part.sign, id)
			}
		}
		wrote := "wrote"
		if out.dry {
			wrote = "would write"
		}
		p.Printf("%s %s: %d rows, %d added, %d updated, %d deleted, %d restored, %d unchanged\n", wrote, out.File, out.Rows,
			len(out.Added), len(out.Updated), len(out.Deleted), len(out.Restored), out.Unchanged)
		return nil
	},
}

// mirror brings rows into the org file that mirrors them.
func (in *FederateSyncIn) mirror(rows []federate.Row) (*federate.Report, error) {
	entity := in.Table
	if entity == "" {
		entity = strings.TrimSuffix(filepath.Base(in.Entity), filepath.Ext(in.Entity))
	}
	path := in.Into
	if path == "" {
		path = filepath.Join("sync", entity+".org")
	}
	file, err := orgfile.Read(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return nil, err
	}
	doc := org.ParseString(federate.NewMirror(entity))
	if !fresh {
		doc = file.Doc
	}
	edits, report, err := federate.Mirror(doc, entity, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	report.File = path
	switch {
	case in.DryRun:
	case fresh:
		err = writeMirror(path, doc, edits)
	default:
		_, err = file.Apply(edits)
	}
	return report, err
}

// writeMirror writes a new mirror, which must not exist by now.
func writeMirror(path string, doc *org.Document, edits []org.Edit) error {
	src, err := org.Apply(doc.Bytes(), edits)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	return errors.Join(err, f.Close())
}
