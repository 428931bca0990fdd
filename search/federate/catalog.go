package federate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/nearest"
	"wb/internal/value"
	"wb/org/oql"
)

// Config says what a catalog may read.
type Config struct {
	// Dir is where files named in queries are looked for; none outside of it,
	// links followed, is read.
	Dir string
	// Given are files named on the command line, which may be anywhere.
	Given []string
	// Toolkits are directories with toolkits, see [ToolkitDirs].
	Toolkits []string
	// Tables are sources known by a name, such as the library of package
	// workspace; a source is opened when a query names it.
	Tables map[string]func(context.Context) (Source, error)
	// Fetch makes the requests of manifests; nil refuses them.
	Fetch Fetcher
	// Getenv finds the keys that manifests name; nil finds none.
	Getenv func(string) string
	// OnError says what becomes of rows that cannot be read; "" stops.
	OnError OnError
	// Note is told how files were read; nil is silent.
	Note func(format string, args ...any)
}

// Catalog is the tables that queries can name. It is for one query.
type Catalog struct {
	config    Config
	manifests []Manifest
	problems  []error
	failures  []Failure
}

// Failure is a source that could not be read.
type Failure struct {
	Source string
	Err    error
}

// Open reads the manifests of a configuration.
func Open(config Config) *Catalog {
	if config.Getenv == nil {
		config.Getenv = func(string) string { return "" }
	}
	c := &Catalog{config: config}
	c.manifests, c.problems = ReadManifests(config.Toolkits)
	return c
}

// Manifests are the tables that toolkits declare, and what is wrong with the
// manifests that could not be used.
func (c *Catalog) Manifests() ([]Manifest, []error) { return c.manifests, c.problems }

// Failures are the sources that could not be read since the catalog was opened.
func (c *Catalog) Failures() []Failure { return c.failures }

// Read implements [oql.Foreign].
func (c *Catalog) Read(ctx context.Context, from []oql.Source, where oql.Expr) (*oql.Corpus, int, error) {
	name := from[0].Name
	source, taken, err := c.source(ctx, from)
	if err == nil && taken == 0 {
		err = c.misspelt(from[0])
	}
	if err != nil || taken == 0 {
		return nil, taken, err
	}
	t := newTable(name)
	if err := source.Rows(ctx, filterOf(where), t.add); err != nil {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		c.failures = append(c.failures, Failure{name, err})
		t = newTable(name) // a part of a table would look like all of it
	}
	return &oql.Corpus{Files: []*oql.File{t.file}}, taken, nil
}

// source finds what a query names, and how many of the names that took.
func (c *Catalog) source(ctx context.Context, from []oql.Source) (Source, int, error) {
	name := from[0].Name
	if open := c.config.Tables[name]; open != nil && !c.maybeFile(name) {
		s, err := open(ctx)
		return s, 1, err
	}
	for _, m := range c.manifests {
		if slices.Contains(m.Entities, name) {
			s, err := c.entity(m, name)
			return s, 1, err
		}
	}
	if !IsTable(name) {
		return nil, 0, c.unknown(name)
	}
	if strings.ContainsAny(name, "*?[") {
		return c.glob(from[0])
	}
	path, err := c.locate(from[0])
	if err != nil || path == "" {
		return nil, 0, err
	}
	format, table, taken := formatOf(name), "", 1
	if len(from) > 1 && format == "sqlite" && !IsTable(from[1].Name) {
		table, taken = from[1].Name, 2
	}
	s, err := fileSource(format, path, table, "", c.reading())
	return s, taken, err
}

func (c *Catalog) reading() *reading { return &reading{onError: c.config.OnError, note: c.config.Note} }

// several are files read one after another; every row says which it is from.
type several struct {
	names   []string
	sources []Source
}

func (s several) Rows(ctx context.Context, f Filter, yield func(Row) error) error {
	for i, source := range s.sources {
		name := value.Field{Name: "filename", Value: value.OfString(s.names[i])}
		if err := source.Rows(ctx, f, func(r Row) error { return yield(append(slices.Clip(r), name)) }); err != nil {
			return err
		}
	}
	return nil
}

// glob reads all files that a pattern such as data/*.csv names.
func (c *Catalog) glob(from oql.Source) (Source, int, error) {
	if !filepath.IsLocal(filepath.FromSlash(from.Name)) {
		return nil, 0, &oql.OutsideError{Source: from}
	}
	names, err := fs.Glob(os.DirFS(c.config.Dir), from.Name)
	if err != nil {
		return nil, 0, &oql.SyntaxError{Pos: from.Pos, Message: "pattern " + from.Name + ": " + err.Error(), Tip: "* is any part of a name, ? a character, [ab] one of these"}
	}
	var all several
	for _, name := range names {
		format := formatOf(name)
		if format == "" {
			continue
		}
		path, err := c.locate(oql.Source{Name: name, Pos: from.Pos})
		if err != nil {
			return nil, 0, err
		}
		source, err := fileSource(format, path, "", "", c.reading())
		if err != nil {
			return nil, 0, err
		}
		all.names, all.sources = append(all.names, name), append(all.sources, source)
	}
	if len(all.names) == 0 {
		return nil, 0, &oql.SyntaxError{Pos: from.Pos, Message: "no file is named like " + from.Name}
	}
	return all, 1, nil
}

// unknown says what is wrong with a name that a broken manifest would have
// declared, if one did; else the name is for others to know.
func (c *Catalog) unknown(name string) error {
	if c.maybeFile(name) {
		return nil
	}
	return errors.Join(c.problems...)
}

// misspelt is the error for a name that no other source can know and that is nearly
// the one of a table.
func (c *Catalog) misspelt(s oql.Source) error {
	near := nearest.Word(s.Name, c.names())
	if near == "" || c.maybeFile(s.Name) {
		return nil
	}
	return &oql.SyntaxError{Pos: s.Pos, Message: "no table " + s.Name, Tip: "did you mean " + near + "?"}
}

func (c *Catalog) maybeFile(name string) bool {
	_, err := os.Lstat(filepath.Join(c.config.Dir, name))
	return err == nil || strings.ContainsAny(name, `./\`)
}

// locate is the path of a file that may be read; "" leaves the name to others.
func (c *Catalog) locate(s oql.Source) (string, error) {
	if slices.Contains(c.config.Given, s.Name) {
		return s.Name, nil
	}
	if !filepath.IsLocal(filepath.FromSlash(s.Name)) {
		return "", &oql.OutsideError{Source: s}
	}
	root, err := filepath.EvalSymlinks(c.config.Dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(s.Name)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
		return "", &oql.OutsideError{Source: s}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", s.Name)
	}
	return path, nil
}

// entity makes the source of a manifest's entity.
func (c *Catalog) entity(m Manifest, name string) (Source, error) {
	target := strings.ReplaceAll(m.URL, "{entity}", name)
	if m.Impl == "http" {
		if c.config.Fetch == nil {
			return nil, fmt.Errorf("entity %s needs the network, which is not available here", name)
		}
		return httpSource{c.config.Fetch, target, m.RowsPath, m.header(c.config.Getenv)}, nil
	}
	path := strings.TrimPrefix(target, "file://")
	dir := filepath.Dir(filepath.Dir(m.Path)) // the toolkit's
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, &ManifestError{m.Path, 1, fmt.Sprintf("%s is outside the toolkit", path), "name a file below the toolkit's directory"}
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	full := filepath.Join(root, filepath.FromSlash(path))
	if real, err := filepath.EvalSymlinks(full); err == nil {
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
			return nil, &ManifestError{m.Path, 1, fmt.Sprintf("%s is outside the toolkit", path), "name a file below the toolkit's directory"}
		}
	}
	table := m.RowsPath
	if table == "" && m.Impl == "sqlite" && len(m.Entities) > 1 {
		table = name
	}
	return fileSource(m.Impl, full, table, m.RowsPath, c.reading())
}

// Rows reads all rows of an entity, or of a file; table is one of an SQLite
// file's, and may be empty if the file has no other.
func (c *Catalog) Rows(ctx context.Context, name, table string) (rows []Row, err error) {
	from := []oql.Source{{Name: name, Pos: oql.Pos{Line: 1, Col: 1}}}
	if table != "" {
		from = append(from, oql.Source{Name: table, Pos: oql.Pos{Line: 1, Col: 1}})
	}
	source, taken, err := c.source(ctx, from)
	if err != nil {
		return nil, err
	}
	if taken == 0 {
		return nil, &UnknownError{name, c.names()}
	}
	if taken < len(from) {
		return nil, &OneTableError{name, table}
	}
	err = source.Rows(ctx, nil, func(r Row) error {
		if len(rows) >= maxRows {
			return fmt.Errorf("more than %d rows", maxRows)
		}
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

func (c *Catalog) names() (names []string) {
	for _, m := range c.manifests {
		names = append(names, m.Entities...)
	}
	return slices.AppendSeq(names, maps.Keys(c.config.Tables))
}
