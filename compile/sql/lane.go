package sql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "3"

// engine is the part both languages share.
type engine struct {
	env *compile.Env

	module compile.Loaded[*sandbox.Module]
}

// lane is one of the languages.
type lane struct {
	*engine
	info compile.Info
	// headers says that tables have their column names unless :colnames no.
	headers bool
}

var shapes = []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand}

// Lanes makes the lanes sqlite and sql and registers their toolchain, which c
// builds.
func Lanes(env *compile.Env, c *clang.Compiler) []compile.Lane {
	e := &engine{env: env}
	env.Tools.Register(e.recipe(c))
	return []compile.Lane{
		&lane{engine: e, info: compile.Info{Name: "sqlite", Aliases: []string{"sqlite3"}, Shapes: shapes, Toolchains: []string{toolName}, Args: []string{"colnames"}, Keeps: []string{"db"}, Summary: "SQL (SQLite 3.44 and its shell), as ob-sqlite"}},
		&lane{engine: e, headers: true, info: compile.Info{Name: "sql", Shapes: shapes, Toolchains: []string{toolName}, Args: []string{"colnames"}, Keeps: []string{"db"}, Summary: "SQL on SQLite, with column names"}},
	}
}

// Info describes the lane.
func (l *lane) Info() compile.Info { return l.info }

// Fingerprint names lane and SQLite.
func (l *lane) Fingerprint() string {
	return l.info.Name + "/" + version + "/" + l.env.Tools.Fingerprint(toolName)
}

// load is the shell, installed and compiled when it is first needed.
func (e *engine) load(ctx context.Context) (*sandbox.Module, error) {
	return e.module.Get(ctx, e.env, toolName, e.loadFrom)
}

func (e *engine) loadFrom(ctx context.Context, t toolchain.Toolchain) (*sandbox.Module, error) {
	return e.env.Program(ctx, t, toolName, wasmFile)
}

// unit is the result of building a block. Line Skip+1 of Script is the body's first.
type unit struct {
	Script string            `json:"-"`
	Skip   int               `json:"skip,omitempty"`
	Lines  int               `json:"lines"`
	Args   []string          `json:"args,omitempty"` // of the shell
	DB     string            `json:"db,omitempty"`   // a file, relative to the job's directory
	Tables []table           `json:"tables,omitempty"`
	Files  map[string]string `json:"files,omitempty"` // below privateDir
	// How the output is read.
	Commas  bool            `json:"commas,omitempty"`
	Heads   bool            `json:"heads,omitempty"` // the first row is a header
	Results compile.Results `json:"results,omitempty"`
	Outs    []string        `json:"outs,omitempty"`
	Params  []string        `json:"params,omitempty"`
	Sig     string          `json:"sig,omitempty"`
}

// privateDir holds what wb gives the shell beside the user's files.
const privateDir = ".wb-sql"

// initFile is the one of them that the shell reads first.
const initFile = "init.sql"

// Build lays out the script. SQLite itself finds mistakes when it runs, since
// what is right depends on the database.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if engine, ok := src.Arg("engine"); ok && !strings.EqualFold(strings.TrimSpace(engine), "sqlite") {
		return nil, diag.Errorf(src.At(1, 1), ":engine %s is a server; blocks run on SQLite", engine).WithHint(":engine sqlite, and :db FILE for a database beside the workbook")
	}
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "SQL blocks have no sessions").WithHint(":db FILE keeps tables between blocks")
	}
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "SQLite extensions (:deps %s) cannot be loaded", strings.Join(src.Deps, " "))
	}
	u, err := l.layOut(src)
	if err != nil {
		return nil, err
	}
	return compile.NewScript(l, src, u.Script, u)
}

// unpack is the unit of an artifact.
func unpack(art *compile.Artifact) (*unit, error) {
	u := &unit{Script: art.Script}
	return u, art.Unit(u)
}

// args is the command line of the shell.
func (u *unit) args(shape compile.Shape, job *compile.Job) []string {
	args := append([]string{"sqlite3", "-batch", "-init", "/" + privateDir + "/" + initFile}, u.Args...)
	if shape == compile.ShapeCommand {
		args = append(args, job.Args...)
	}
	if u.DB != "" {
		args = append(args, path.Join("/", job.Dir, u.DB))
	}
	return args
}

// Run gives the script to the shell.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	module, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	files, err := u.files(art.Shape, job)
	if err != nil {
		return nil, err
	}
	var stdout, messages bytes.Buffer
	listener := job.Stdout
	if art.Shape == compile.ShapeComponent {
		listener = nil // rows, in JSON
	}
	exit, err := l.env.Engine.Run(ctx, sandbox.Command{Module: module, Args: u.args(art.Shape, job), Stdin: strings.NewReader(u.Script),
		Stdout: compile.Tee(&stdout, listener), Stderr: &messages, Files: files, Limits: job.Limits, Caps: job.Caps})
	out := &compile.Outcome{Stdout: stdout.Bytes(), Exit: exit.Code, Usage: exit.Usage}
	text, failed := u.report(job.Source, messages.String())
	if failed && out.Exit == 0 {
		out.Exit = 1
	}
	out.Stderr = []byte(text)
	if job.Stderr != nil && text != "" {
		if _, werr := io.WriteString(job.Stderr, text); err == nil {
			err = werr
		}
	}
	if err != nil {
		return out, err
	}
	switch art.Shape {
	case compile.ShapeComponent:
		if out.Exit == 0 {
			out.Stdout = nil
			out.Value, err = u.rows(stdout.Bytes())
			if err != nil {
				out.Exit = 1
				out.Stderr = append(out.Stderr, (job.Source.At(1, 1).String() + ": " + err.Error() + "\n")...)
				err = nil
			}
		}
	case compile.ShapeBabel:
		out.Value = u.readOutput(stdout.String())
	default:
		out.Value = value.OfString(stdout.String())
	}
	return out, err
}

// files is the job's tree with the shell's own files mounted in it.
func (u *unit) files(shape compile.Shape, job *compile.Job) (sandbox.FS, error) {
	own := sandbox.NewMemFS()
	for name, text := range u.Files {
		if err := own.WriteFile(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	init := startUp(job)
	tables := u.Tables
	if shape == compile.ShapeComponent {
		for _, in := range job.Inputs {
			if err := storable(in.Name, in.Value); err != nil {
				return nil, err
			}
		}
		bound, more := parameters(u.Params, job.Inputs)
		init += bound
		tables = append(tables, more...)
	}
	if err := own.WriteFile(initFile, []byte(init+create(tables))); err != nil {
		return nil, err
	}
	tree := job.Files
	if tree == nil {
		tree = sandbox.NewMemFS()
	}
	return sandbox.Mounts(tree, map[string]sandbox.FS{privateDir: own})
}

// startUp are the shell's first commands.
func startUp(job *compile.Job) string {
	if job.Dir == "" || job.Dir == "/" {
		return ""
	}
	return fmt.Sprintf(".cd %s\n", quoteWord(path.Join("/", job.Dir)))
}

// rows are the rows of the last statement: see the package comment.
func (u *unit) rows(output []byte) (value.Value, error) {
	sets, err := resultSets(output)
	if err != nil {
		return value.Value{}, err
	}
	last := value.OfList()
	if len(sets) > 0 {
		last = sets[len(sets)-1]
	}
	if len(u.Outs) > 1 {
		return u.outputs(sets, last)
	}
	if u.Sig == "" {
		return last, nil
	}
	sig, err := value.ParseSig(u.Sig)
	if err != nil || len(sig.Results) == 0 {
		return last, err
	}
	if len(sig.Results) > 1 {
		u.Outs = nil
		for _, r := range sig.Results {
			u.Outs = append(u.Outs, r.Name)
		}
		return u.outputs(sets, last)
	}
	return fit(last, sig.Results[0].Type)
}

// fit takes a row, or a value, out of the rows where the signature wants one.
func fit(rows value.Value, want value.Type) (value.Value, error) {
	items := rows.Items()
	switch want.Kind {
	case value.TypeList:
		if kind := want.Args[0].Kind; kind != value.TypeRecord && kind != value.TypeList && kind != value.TypeTuple {
			return column(items)
		}
		if kind := want.Args[0].Kind; kind != value.TypeRecord {
			for i, row := range items {
				items[i] = cellsOf(row)
			}
			return value.OfList(items...), nil
		}
		return rows, nil
	case value.TypeOption:
		if len(items) == 0 {
			return value.Nil(), nil
		}
		return fit(rows, want.Args[0])
	}
	if len(items) != 1 {
		return value.Value{}, fmt.Errorf("the last statement found %d rows, :sig: wants one %s", len(items), want)
	}
	switch want.Kind {
	case value.TypeRecord:
		return items[0], nil
	case value.TypeTuple:
		return cellsOf(items[0]), nil
	}
	if n := len(items[0].Fields()); n != 1 {
		return value.Value{}, fmt.Errorf("the last statement found %d columns, :sig: wants one %s", n, want)
	}
	v := items[0].Fields()[0].Value
	if want.Kind == value.TypeBool && v.Kind() == value.Int {
		v = value.OfBool(v.Int() != 0)
	}
	return v, nil
}

// column are the values of rows with one column.
func column(rows []value.Value) (value.Value, error) {
	var items []value.Value
	for _, row := range rows {
		if len(row.Fields()) != 1 {
			return value.Value{}, errors.New("the last statement found several columns, :sig: wants a list of one")
		}
		items = append(items, row.Fields()[0].Value)
	}
	return value.OfList(items...), nil
}

func cellsOf(row value.Value) value.Value {
	var cells []value.Value
	for _, f := range row.Fields() {
		cells = append(cells, f.Value)
	}
	return value.OfList(cells...)
}

// outputs names what was found after several outputs.
func (u *unit) outputs(sets []value.Value, last value.Value) (value.Value, error) {
	if len(last.Items()) == 1 {
		row, all := last.Items()[0], true
		for _, name := range u.Outs {
			_, ok := row.Get(name)
			all = all && ok
		}
		if all {
			return row, nil
		}
	}
	if len(sets) != len(u.Outs) {
		return value.Value{}, fmt.Errorf("the outputs %s need one row with a column each, or one statement with rows each; %d statements found rows", strings.Join(u.Outs, ", "), len(sets))
	}
	var fields []value.Field
	for i, name := range u.Outs {
		fields = append(fields, value.Field{Name: name, Value: sets[i]})
	}
	return value.OfObject(fields...), nil
}

// resultSets reads the shell's JSON: one array of records for every statement
// that found rows.
func resultSets(output []byte) ([]value.Value, error) {
	var sets []value.Value
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			return sets, nil
		} else if err != nil {
			return nil, fmt.Errorf("the block's output is not rows: %w", err)
		}
		v, err := value.ParseJSON(finite(raw))
		if err != nil {
			return nil, err
		}
		sets = append(sets, v)
	}
}

// finite names infinite numbers, which the shell writes as 9.0e+999 and which
// JSON does not have, as package value does.
func finite(text []byte) []byte {
	infinite := []byte("9.0e+999")
	if !bytes.Contains(text, infinite) {
		return text
	}
	var out []byte
	for inside := false; len(text) > 0; {
		switch c := text[0]; {
		case inside && c == '\\':
			out, text = append(out, text[:2]...), text[2:]
			continue
		case c == '"':
			inside = !inside
		case !inside && bytes.HasPrefix(bytes.TrimPrefix(text, []byte("-")), infinite):
			name := value.OfFloat(math.Inf(1))
			if c == '-' {
				name = value.OfFloat(math.Inf(-1))
			}
			out = name.AppendJSON(out)
			text = bytes.TrimPrefix(text, []byte("-"))[len(infinite):]
			continue
		}
		out, text = append(out, text[0]), text[1:]
	}
	return out
}
