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

	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/org/oql"
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

// netGrants are the grants of a verb that reads tables.
type netGrants struct {
	Grant   []string `help:"Allow what a table needs: net:HOST, net:HOST:PORT or net:SCHEME://HOST:PORT." placeholder:"CAP"`
	OnError string   `enum:"stop,skip,null" default:"stop" help:"What becomes of rows of tables that cannot be read (${enum}): an error, nothing, or a row of nulls."`
}

// catalog are the tables below the working directory and those of toolkits.
func (g netGrants) catalog(a *app, given []string) (*federate.Catalog, error) {
	config := netbroker.Config{Private: a.private, Denied: func(e *netbroker.DeniedError) {
		if a.verbose {
			a.note("wb: %v", e)
		}
	}}
	for _, text := range g.Grant {
		host, ok := strings.CutPrefix(text, "net:")
		if !ok {
			return nil, &usageError{err: fmt.Errorf("grant %s: tables need nothing but net:HOST", text)}
		}
		grant, err := netbroker.ParseGrant(host)
		if err != nil {
			return nil, &usageError{err: err}
		}
		config.Allow = append(config.Allow, grant)
	}
	return federate.Open(federate.Config{Dir: ".", Given: given, Toolkits: federate.ToolkitDirs(".", os.Getenv), Fetch: netbroker.New(config), Getenv: os.Getenv,
		OnError: federate.OnError(g.OnError), Note: func(format string, args ...any) { a.note("wb: "+format, args...) },
		Tables: map[string]func(context.Context) (federate.Source, error){library.TableName: libraryTable}}), nil
}

// reportFailures shows the tables that could not be read: as rows of the answer, and
// on stderr with what helps. It returns the error that the verb ends with.
func reportFailures(a *app, res *oql.Result, failures []federate.Failure) error {
	if len(failures) == 0 {
		return nil
	}
	for _, f := range failures {
		addFailure(res, f)
		a.note("wb: %s", strings.Replace(f.Source+": "+f.Err.Error(), f.Source+": "+f.Source+":", f.Source+":", 1))
		if hint := hintOf(f.Err); hint != "" {
			a.note("hint: %s", hint)
		}
	}
	return alreadyReported(diag.ExitFailed)
}

// addFailure adds a row with the columns source and error.
func addFailure(res *oql.Result, f federate.Failure) {
	column := func(name string) int {
		for i, c := range res.Columns {
			if c == name {
				return i
			}
		}
		res.Columns = append(res.Columns, name)
		for i := range res.Rows {
			res.Rows[i] = append(res.Rows[i], value.Nil())
		}
		return len(res.Columns) - 1
	}
	source, failure := column("source"), column("error")
	row := make([]value.Value, len(res.Columns))
	row[source], row[failure] = value.OfString(f.Source), value.OfString(f.Err.Error())
	res.Rows = append(res.Rows, row)
	if res.Places != nil {
		res.Places = append(res.Places, oql.Place{Path: f.Source})
	}
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

func (c *federateListCmd) Run(a *app) error {
	catalog, err := netGrants{}.catalog(a, nil)
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
		for _, t := range tables {
			fmt.Fprintf(w, "%-20s %-8s %s\n", t.Entity, t.Impl, t.URL)
		}
		return nil
	})
	for _, problem := range problems {
		a.note("wb: %v", problem)
		if hint := hintOf(problem); hint != "" {
			a.note("hint: %s", hint)
		}
	}
	if err == nil && len(problems) > 0 {
		return alreadyReported(diag.ExitFailed)
	}
	return err
}

type federateSyncCmd struct {
	Entity string `arg:"" help:"A table: an entity of a toolkit, or a file."`
	Table  string `arg:"" optional:"" help:"The table of an SQLite file that has several."`
	Into   string `help:"The org file; sync/ENTITY.org or sync/TABLE.org when not given." placeholder:"FILE.org"`
	DryRun bool   `help:"Only say what would change."`
	netGrants
}

func (c *federateSyncCmd) Help() string {
	return `Examples:
  wb federate sync shop.sqlite orders
  wb federate sync shop-order --into orders.org --grant net:api.example.com

Rows become headlines, columns properties. The next run changes what changed in
the table, tags what is gone :deleted: and leaves everything else as it is.`
}

func (c *federateSyncCmd) Run(a *app) error {
	catalog, err := c.catalog(a, []string{c.Entity})
	if err != nil {
		return err
	}
	rows, err := catalog.Rows(a.ctx, c.Entity, c.Table)
	var which *federate.TableError
	if errors.As(err, &which) && which.Table == "" && len(which.Tables) > 0 {
		return &usageError{err: err, hint: fmt.Sprintf("name the table: wb federate sync %s %s; there are %s",
			c.Entity, which.Tables[0], strings.Join(which.Tables, ", "))}
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
