package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/app"
	"wb/internal/diag"
	"wb/org"
	"wb/org/orgfile"
	"wb/sandbox/netbroker"
	"wb/search/federate"
	"wb/workbook/library"
)

// federateCmd shows and mirrors tables that are no org files.
type federateCmd struct {
	List federateListCmd `cmd:"" help:"List the tables that toolkits declare."`
	Sync federateSyncCmd `cmd:"" help:"Mirror a table's rows as headlines."`
}

// tables are the tables below the working directory and those of toolkits.
func (a *terminal) tables(flags app.TableFlags, given []string) (*federate.Catalog, error) {
	config := netbroker.Config{Private: a.private, Denied: func(e *netbroker.DeniedError) {
		if a.verbose {
			a.note("wb: %v", e)
		}
	}}
	for _, text := range flags.Grant {
		host, ok := strings.CutPrefix(text, "net:")
		if !ok {
			return nil, diag.Usagef("", "grant %s: tables need nothing but net:HOST", text)
		}
		grant, err := netbroker.ParseGrant(host)
		if err != nil {
			return nil, &diag.CodedError{Err: err, Help: "", Code: diag.ExitUsage}
		}
		config.Allow = append(config.Allow, grant)
	}
	return federate.Open(federate.Config{Dir: ".", Given: given, Toolkits: federate.ToolkitDirs(".", os.Getenv), Fetch: netbroker.New(config), Getenv: os.Getenv,
		OnError: federate.OnError(flags.OnError), Note: func(format string, args ...any) { a.note("wb: "+format, args...) },
		Tables: map[string]func(context.Context) (federate.Source, error){library.TableName: libraryTable}}), nil
}

type federateListCmd struct{}

func (c *federateListCmd) Help() string {
	return "Example:\n  wb federate list\n\nTables are declared in toolkits/NAME/plugin/manifest.org."
}

// tableJSON is one entity as `wb federate list` shows it.
type tableJSON struct {
	Entity   string   `json:"entity"`
	Toolkit  string   `json:"toolkit"`
	Impl     string   `json:"impl"`
	URL      string   `json:"url"`
	EnvKeys  []string `json:"env_keys,omitempty"`
	Manifest string   `json:"manifest"`
}

func (c *federateListCmd) Run(a *terminal) error {
	catalog, err := a.tables(app.TableFlags{}, nil)
	if err != nil {
		return err
	}
	manifests, problems := catalog.Manifests()
	tables := []tableJSON{}
	for _, m := range manifests {
		for _, entity := range m.Entities {
			tables = append(tables, tableJSON{entity, m.Toolkit, m.Impl, m.URL, m.EnvKeys, m.Path})
		}
	}
	err = a.answer("federate", tables, func(w io.Writer) error {
		if len(tables) == 0 && len(problems) == 0 {
			a.note("no toolkit here declares a table")
		}
		for _, t := range tables {
			fmt.Fprintf(w, "%-20s %-8s %s\n", t.Entity, t.Impl, t.URL)
		}
		return nil
	})
	for _, problem := range problems {
		a.note("wb: %v", problem)
		if hint := diag.HintOf(problem); hint != "" {
			a.note("hint: %s", hint)
		}
	}
	if err == nil && len(problems) > 0 {
		return diag.Told(diag.ExitFailed)
	}
	return err
}

type federateSyncCmd struct {
	Entity string `arg:"" help:"A table: an entity of a toolkit, or a file."`
	Table  string `arg:"" optional:"" help:"The table of an SQLite file that has several."`
	Into   string `help:"The org file; sync/ENTITY.org or sync/TABLE.org when not given." placeholder:"FILE.org"`
	DryRun bool   `help:"Only say what would change."`
	app.TableFlags
}

func (c *federateSyncCmd) Help() string {
	return `Examples:
  wb federate sync shop.sqlite orders
  wb federate sync shop-order --into orders.org --grant net:api.example.com

Rows become headlines, columns properties. The next run changes what changed in
the table, tags what is gone :deleted: and leaves everything else as it is.`
}

func (c *federateSyncCmd) Run(a *terminal) error {
	catalog, err := a.tables(c.TableFlags, []string{c.Entity})
	if err != nil {
		return err
	}
	rows, err := catalog.Rows(a.ctx, c.Entity, c.Table)
	var which *federate.TableError
	if errors.As(err, &which) && which.Table == "" && len(which.Tables) > 0 {
		return &diag.CodedError{Err: err, Help: fmt.Sprintf("name the table: wb federate sync %s %s; known tables: %s",
			c.Entity, which.Tables[0], strings.Join(which.Tables, ", ")), Code: diag.ExitUsage}
	}
	if err != nil {
		return err
	}
	entity := c.Table
	if entity == "" {
		entity = strings.TrimSuffix(filepath.Base(c.Entity), filepath.Ext(c.Entity))
	}
	path := c.Into
	if path == "" {
		path = filepath.Join("sync", entity+".org")
	}
	file, err := orgfile.Read(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return err
	}
	doc := org.ParseString(federate.NewMirror(entity))
	if !fresh {
		doc = file.Doc
	}
	edits, report, err := federate.Mirror(doc, entity, rows)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	report.File = path
	if !c.DryRun {
		if err := writeMirror(path, file, doc, edits); err != nil {
			return err
		}
	}
	return a.answer("federate", report, func(w io.Writer) error {
		for _, part := range []struct {
			sign string
			ids  []string
		}{{"+", report.Added}, {"~", report.Updated}, {"-", report.Deleted}, {"^", report.Restored}} {
			for _, id := range part.ids {
				fmt.Fprintf(w, "%s %s\n", part.sign, id)
			}
		}
		verb := "wrote"
		if c.DryRun {
			verb = "would write"
		}
		_, err := fmt.Fprintf(w, "%s %s: %d rows, %d added, %d updated, %d deleted, %d restored, %d unchanged\n", verb, path, report.Rows,
			len(report.Added), len(report.Updated), len(report.Deleted), len(report.Restored), report.Unchanged)
		return err
	})
}

// writeMirror writes a mirror; a new one must not exist by now.
func writeMirror(path string, file *orgfile.File, doc *org.Document, edits []org.Edit) error {
	if file != nil {
		_, err := file.Apply(edits)
		return err
	}
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
