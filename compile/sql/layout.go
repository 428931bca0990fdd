package sql

import (
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

// layOut makes a unit of a block.
func (l *lane) layOut(src *compile.Source) (*unit, error) {
	u := &unit{Lines: src.LineCount(), Results: src.Results, Outs: src.Outs, Params: src.Params}
	if db, ok := src.Arg("db"); ok {
		if u.DB = compile.Unquoted(db); strings.HasPrefix(path.Clean(u.DB), "..") || path.IsAbs(u.DB) {
			return nil, diag.Errorf(src.At(1, 1), ":db %s lies outside the workbook's directory", db)
		}
	}
	if readonly, _ := src.Arg("readonly"); readonly == "yes" {
		u.Args = append(u.Args, "-readonly")
	}
	if src.Shape == compile.ShapeComponent {
		if src.Sig != nil {
			u.Sig = src.Sig.String()
		}
		u.Script, u.Args = src.Body, append(u.Args, "-json")
		return u, nil
	}
	body, err := u.substitute(src)
	if err != nil {
		return nil, err
	}
	prologue, _ := src.Arg("prologue")
	epilogue, _ := src.Arg("epilogue")
	if prologue = compile.Unquoted(prologue); prologue != "" {
		prologue += "\n"
	}
	u.Script = prologue + body
	u.Skip = strings.Count(prologue, "\n")
	if epilogue = compile.Unquoted(epilogue); epilogue != "" {
		u.Script += "\n" + epilogue
	}
	l.format(u, src)
	return u, nil
}

// format chooses what the shell prints (org-babel-execute:sqlite).
func (l *lane) format(u *unit, src *compile.Source) {
	own := false
	for _, name := range []string{"echo", "bail", "column", "csv", "html", "line", "list"} {
		if _, ok := src.Arg(name); ok {
			u.Args = append(u.Args, "-"+name)
			own = own || name != "echo" && name != "bail"
		}
	}
	_, separated := src.Arg("separator")
	if !own && !separated && src.Shape == compile.ShapeBabel {
		u.Args = append(u.Args, "-csv")
		u.Commas = true
	}
	names, _ := src.Arg("colnames")
	u.Heads = src.Shape == compile.ShapeBabel && (names == "yes" || l.headers && names != "no")
	if _, header := src.Arg("header"); header || u.Heads {
		u.Args = append(u.Args, "-header")
	} else {
		u.Args = append(u.Args, "-noheader")
	}
	for _, name := range []string{"separator", "nullvalue"} {
		if text, ok := src.Arg(name); ok {
			words := compile.Words(text)
			if len(words) == 0 {
				words = []string{text}
			}
			u.Args = append(u.Args, "-"+name, words[0])
		}
	}
}

// substitute puts variables into the body (org-babel-sql-expand-vars). Tables
// become files of CSV; those the body does not mention so become tables.
func (u *unit) substitute(src *compile.Source) (string, error) {
	body := src.Body
	for i, v := range src.Vars {
		if err := storable(v.Name, v.Value); err != nil {
			return "", diag.Errorf(src.At(1, 1), "%v", err)
		}
		mark := "$" + v.Name
		if v.Value.Kind() != value.List && v.Value.Kind() != value.Object && v.Value.Kind() != value.Null {
			text := v.Value.String()
			switch {
			case v.Value.Kind() == value.String:
				text = v.Value.Text()
			case v.Value.Kind() == value.Float:
				text = literal(v.Value)
			}
			body = strings.ReplaceAll(body, mark, text)
			continue
		}
		if !strings.Contains(body, mark) {
			u.Tables = append(u.Tables, tableOf(v.Name, v.Value, v.ColNames))
			continue
		}
		if u.Files == nil {
			u.Files = make(map[string]string)
		}
		name := fmt.Sprintf("sql-data-%d", i+1)
		u.Files[name] = asCSV(v.Value)
		body = strings.ReplaceAll(body, mark, "/"+privateDir+"/"+name)
	}
	return body, nil
}

// asCSV writes a table as orgtbl-to-csv does, without rules.
func asCSV(v value.Value) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, row := range v.Items() {
		var cells []string
		switch row.Kind() {
		case value.HLine:
			continue
		case value.List:
			for _, cell := range row.Items() {
				cells = append(cells, value.CellText(cell))
			}
		default:
			cells = []string{value.CellText(row)}
		}
		_ = w.Write(cells) // a strings.Builder takes everything
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// readOutput reads the shell's output as Emacs would.
func (u *unit) readOutput(text string) value.Value {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch {
	case u.Results.Has("discard"):
		return value.Nil()
	case u.Results.AsText() || text == "":
		return value.OfString(text)
	}
	v := compile.ImportTable(text)
	if u.Commas {
		v = compile.ImportCommas(text)
	}
	if !u.Heads || v.Kind() != value.List || len(v.Items()) == 0 {
		return v
	}
	if v.Items()[0].Kind() != value.List {
		return v
	}
	rows := slices.Clone(v.Items())
	return value.OfList(slices.Insert(rows, 1, value.Rule())...)
}
