package federate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"wb/org"
	"wb/org/oql"
	"wb/sandbox/netbroker"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// rows reads a source and shows each row as JSON.
func rows(t *testing.T, s Source, f Filter) (list []string, err error) {
	t.Helper()
	err = s.Rows(t.Context(), f, func(r Row) error {
		var parts []string
		for _, field := range r {
			parts = append(parts, field.Name+"="+string(field.Value.AppendJSON(nil)))
		}
		list = append(list, strings.Join(parts, " "))
		return nil
	})
	return list, err
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, text string
		want       string // rows, or the error after "!"
	}{
		{"a.csv", "id,Name,id\n1,\"x, \"\"y\"\"\",2\n3\n", `id="1" Name="x, \"y\"" id_2="2"; id="3"`},
		{"bom.csv", "\xEF\xBB\xBFid,\n1,2\n", `id="1" column_2="2"`},
		{"crlf.csv", "a,b\r\n1,\r\n", `a="1" b=null`},
		{"lines.csv", "a\n\"two\nlines\"\n", `a="two\nlines"`},
		{"empty.csv", "", ""},
		{"header.csv", "a,b\n", ""},
		{"wide.csv", "a\n1,2\n", "!wide.csv:2:3: 2 values for 1 columns"},
		{"quote.csv", "a\n\"open\n", "!quote.csv:2:7: extraneous or missing \" in quoted-field"},
		{"latin.csv", "a\n\xe9\n", `a="é"`},
		{"t.tsv", "a\tb\n1\t\"q\n", `a="1" b="\"q"`},
		{"a.json", `[{"id":1,"x":{"y":[1,null]}},3,{"id":2.5}]`, `id=1 x={"y":[1,null]}; id=2.5`},
		{"one.json", `{"items":[{"a":1},{"a":2}],"n":2}`, `a=1; a=2`},
		{"obj.json", `{"a":1}`, `a=1`},
		{"bad.json", "[{\"a\":1},\n {\"a\":}]", "!bad.json:2:7: "},
		{"text.json", `"x"`, "!are not a list"},
		{"a.ndjson", "{\"a\":1}\n\n[2]\n{\"a\":\"x\"}", `a=1; a="x"`},
		{"bad.jsonl", "{\"a\":1}\n{a}\n", "!bad.jsonl:2:2: "},
	} {
		path := write(t, dir, c.name, c.text)
		s, err := fileSource(formatOf(c.name), path, "", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows(t, s, nil)
		if want, failing := strings.CutPrefix(c.want, "!"); failing {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", c.name, err, want)
			}
		} else if err != nil || strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

func database(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
}

func TestSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s?op #1.db")
	database(t, path, `CREATE TABLE "or""ders"(id INTEGER PRIMARY KEY, "unit price" REAL, day DATE, note);
INSERT INTO "or""ders" VALUES(1, 2.5, '2026-01-02', 'a'), (2, 10, NULL, x'ff'), (3, 'n/a', '', 7);`)
	got, err := rows(t, sqliteFile{path, `OR"DERS`}, nil)
	want := `id=1 unit price=2.5 day="2026-01-02" note="a"; id=2 unit price=10.0 day=null note="ff"; id=3 unit price="n/a" day="" note=7`
	if err != nil || strings.Join(got, "; ") != want {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := rows(t, sqliteFile{path, ""}, nil); err != nil || len(got) != 3 {
		t.Errorf("the only table: %q, %v", got, err)
	}
	var wrong *TableError
	if _, err := rows(t, sqliteFile{path, "order"}, nil); !errors.As(err, &wrong) || !strings.Contains(wrong.Hint(), `or"ders`) {
		t.Error(err)
	}
	if _, err := rows(t, sqliteFile{path + "x", ""}, nil); !os.IsNotExist(err) {
		t.Error(err)
	}
	garbage := write(t, t.TempDir(), "g.db", strings.Repeat("garbage ", 1000))
	if _, err := rows(t, sqliteFile{garbage, ""}, nil); err == nil {
		t.Error("garbage has rows")
	}
	before, _ := os.ReadFile(path)
	if _, err := rows(t, sqliteFile{path, `x"; DROP TABLE "or""ders`}, nil); err == nil {
		t.Error("a name is a statement")
	}
	if after, _ := os.ReadFile(path); string(before) != string(after) {
		t.Error("the file was written")
	}
}

// TestPushdown asks every comparison of every kind of value, once with the
// source filtering and once without: the answers are the same, and SQLite has
// left rows out.
func TestPushdown(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "v.db"), `CREATE TABLE v(id INTEGER PRIMARY KEY, n NUMERIC, r REAL, t TEXT, x);
INSERT INTO v(n, r, t, x) VALUES (1, 1.5, 'a', 1), (2, 2.5, 'b', 2.0), (10, 10, 'B', '10'), (NULL, NULL, NULL, NULL), (-3, -3, '3', '3'), (2, 2, '2026-01-02', '2:30'), (0, 0, '', x'61'), (9007199254740993, 9e15, 'ä', 'a');`)
	type item struct {
		ID int64    `parquet:"id"`
		N  *int64   `parquet:"n,optional"`
		R  *float64 `parquet:"r,optional"`
		T  string   `parquet:"t"`
	}
	var items []item
	for i := range int64(100) {
		x := float64(i) / 2
		items = append(items, item{i, &i, &x, fmt.Sprint("t", i%7)})
	}
	items = append(items, item{ID: 100, T: "null"})
	if err := parquet.WriteFile(filepath.Join(dir, "v.parquet"), items, parquet.MaxRowsPerRowGroup(10)); err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, name := range []string{"v.db", "v.parquet"} {
		for _, field := range []string{"id", "n", "R", "t", "x", "nothing"} {
			for _, op := range []string{"=", "!=", "<", "<=", ">", ">="} {
				for _, constant := range []string{"2", "-3", "a", "1:30", "9007199254740993"} {
					q, err := oql.Parse(fmt.Sprintf(`(query (from %q) (where (%s %s %s)) (select id))`, name, op, field, constant))
					if err != nil {
						t.Fatal(err)
					}
					answer := func(where bool) (string, int) {
						c := Open(Config{Dir: dir})
						var foreign oql.Foreign = c
						if !where {
							foreign = blind{c}
						}
						res, err := oql.Run(t.Context(), q, oql.Options{Foreign: foreign})
						if err != nil || len(c.Failures()) > 0 {
							t.Fatal(err, c.Failures())
						}
						ids := fmt.Sprint(len(res.Rows))
						for _, o := range res.Objects() {
							ids += string(o.AppendJSON(nil))
						}
						return ids, res.Read
					}
					with, read := answer(true)
					without, all := answer(false)
					if with != without {
						t.Errorf("%s: (%s %s %s): %s, want %s", name, op, field, constant, with, without)
					}
					if read < all {
						left++
					}
				}
			}
		}
	}
	if left < 50 {
		t.Errorf("rows were left out by %d comparisons only", left)
	}
}

// blind keeps a catalog from knowing the condition.
type blind struct{ c *Catalog }

func (b blind) Read(ctx context.Context, from []oql.Source, _ oql.Expr) (*oql.Corpus, int, error) {
	return b.c.Read(ctx, from, nil)
}

func TestParquetTypes(t *testing.T) {
	type inner struct {
		City string `parquet:"city"`
	}
	type item struct {
		When time.Time `parquet:"when,timestamp(microsecond)"`
		Day  int32     `parquet:"day,date"`
		Cost int64     `parquet:"cost,decimal(2:10)"`
		Tags []string  `parquet:"tags,list"`
		At   inner     `parquet:"at"`
		OK   bool      `parquet:"ok"`
		Big  uint64    `parquet:"big"`
		F    float32   `parquet:"f"`
		B    []byte    `parquet:"b"`
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	when := time.Date(2026, 11, 21, 10, 0, 0, 5000, time.UTC)
	if err := parquet.WriteFile(path, []item{{when, 20000, -5, []string{"a", "b"}, inner{"Ulm"}, true, 1 << 63, 0.5, []byte{0xff}}}); err != nil {
		t.Fatal(err)
	}
	got, err := rows(t, parquetFile{path}, nil)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	for _, want := range []string{`when="2026-11-21 10:00:00.000005"`, `day="2024-10-04"`, `cost="-0.05"`, `=["a","b"]`, `at.city="Ulm"`, `ok=true`, `big="9223372036854775808"`, `f=0.5`, `b="ff"`} {
		if !strings.Contains(got[0], want) {
			t.Errorf("no %s in %s", want, got[0])
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(text); cut += 97 {
		if _, err := rows(t, parquetFile{write(t, t.TempDir(), "cut.parquet", string(text[:cut]))}, nil); err == nil {
			t.Errorf("a file cut at %d can be read", cut)
		}
	}
}

// replies is a network of canned replies.
type replies map[string]struct {
	status int
	media  string
	body   string
}

func (r replies) Get(_ context.Context, url string, header http.Header) (*netbroker.Reply, error) {
	reply, ok := r[url]
	if !ok {
		return nil, errors.New("unreachable")
	}
	body := strings.ReplaceAll(reply.body, "AUTH", header.Get("Authorization")+header.Get("X-Key"))
	return &netbroker.Reply{Status: reply.status, Body: []byte(body), URL: url, Header: http.Header{"Content-Type": {reply.media}}}, nil
}

func TestEntities(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "toolkits/shop/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: order, item\n#+URL: https://a.b/{entity}?k=1\n#+ROWS_PATH: data.rows\n#+ENV_KEYS: NONE TOKEN\n")
	write(t, dir, "toolkits/key/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: keyed\n#+IMPL: Workbooks.DataSource.Http\n#+URL: https://a.b/keyed\n#+AUTH: header X-Key\n#+ENV_KEYS: TOKEN\n")
	write(t, dir, "toolkits/local/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: people\n#+URL: data/people.csv\n")
	write(t, dir, "toolkits/local/data/people.csv", "name\nada\n")
	write(t, dir, "toolkits/other/plugin/manifest.org", "#+SLOT: renderer\n")
	write(t, dir, "toolkits/broken/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: x\n#+IMPL: soap\n#+URL: https://a.b\n")
	write(t, dir, "toolkits/README", "")
	net := replies{
		"https://a.b/order?k=1": {200, "application/json", `{"data":{"rows":[{"id":1,"auth":"AUTH"},"noise",{"id":2}]}}`},
		"https://a.b/item?k=1":  {500, "", ""},
		"https://a.b/keyed":     {200, "", `[{"id":"AUTH"}]`},
	}
	ask := func(query string) (string, *Catalog, error) {
		c := Open(Config{Dir: dir, Toolkits: ToolkitDirs(dir, func(string) string { return "" }), Fetch: net, Getenv: func(k string) string { return map[string]string{"TOKEN": "t0p"}[k] }})
		q, err := oql.Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		res, err := oql.Run(t.Context(), q, oql.Options{Foreign: c, Open: oql.OpenBelow(dir)})
		if err != nil {
			return "", c, err
		}
		text := ""
		for _, o := range res.Objects() {
			text += string(o.AppendJSON(nil))
		}
		return text, c, nil
	}
	for query, want := range map[string]string{
		"from:order":                      `{"auth":"Bearer t0p","id":1}{"auth":null,"id":2}`,
		"from:order id:>1":                `{"auth":null,"id":2}`,
		"from:keyed":                      `{"id":"t0p"}`,
		"from:people":                     `{"name":"ada"}`,
		"from:order | count":              `{"count":2}`,
		"from:people,keyed | select name": `{"name":"ada"}{"name":null}`,
	} {
		got, c, err := ask(query)
		if err != nil || len(c.Failures()) > 0 || normal(got) != normal(want) {
			t.Errorf("%s: %s, %v %v", query, got, err, c.Failures())
		}
	}
	got, c, err := ask("from:item,people")
	if err != nil || normal(got) != `{"name":"ada"}` || len(c.Failures()) != 1 || c.Failures()[0].Source != "item" || c.Failures()[0].Err.Error() != "https://a.b/item: HTTP 500" {
		t.Errorf("%s %v %v", got, err, c.Failures())
	}
	var wrong *ManifestError
	if _, _, err := ask("from:x"); !errors.As(err, &wrong) || wrong.Line != 3 || !strings.Contains(err.Error(), "unknown implementation soap") {
		t.Error(err)
	}
	if manifests, problems := c.Manifests(); len(manifests) != 3 || len(problems) != 1 {
		t.Error(manifests, problems)
	}
}

// normal orders the members of shown objects.
func normal(text string) string {
	var out []string
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var m map[string]any
		if dec.Decode(&m) != nil {
			return text
		}
		line, _ := json.Marshal(m)
		out = append(out, string(line))
	}
	return strings.Join(out, "")
}

func TestManifestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"#+SLOT: data-source\n#+URL: https://a":                                                    ":1:1: the data source declares no entities",
		"\n#+SLOT: data-source\n#+ENTITIES: a":                                                     ":2:1: the data source has no URL",
		"#+SLOT: data-source\n#+ENTITIES: a/b\n#+URL: https://a":                                   `:2:1: "a/b" is not a name`,
		"#+SLOT: data-source\n#+ENTITIES: a\n#+URL: x.doc":                                         ":3:1: the format of x.doc is unknown",
		"#+SLOT: data-source\n#+ENTITIES: a\n#+URL: https://a\n#+IMPL: csv":                        ":3:1: implementation csv cannot read https://a",
		"#+SLOT: data-source\n#+ENTITIES: a\n#+URL: x.csv\n#+IMPL: http":                           ":3:1: implementation http cannot read x.csv",
		"#+SLOT: data-source\n#+ENTITIES: a\n#+URL: https://a\n#+AUTH: basic":                      ":4:1: unknown authentication basic",
		"#+SLOT: data-source\n#+ENTITIES: a\n#+URL: https://a\n#+IMPL: Workbooks.DataSource.Magic": ":4:1: unknown implementation",
	} {
		if _, _, err := ParseManifest("m.org", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "m.org"+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestOutside names files that a query may not read.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "in")
	write(t, dir, "secret.csv", "a\n1\n")
	write(t, inside, "ok.csv", "a\n1\n")
	if err := os.Symlink(filepath.Join(dir, "secret.csv"), filepath.Join(inside, "link.csv")); err != nil {
		t.Skip(err)
	}
	if err := os.MkdirAll(filepath.Join(inside, "dir.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, inside, "toolkits/t/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: up\n#+URL: ../../../secret.csv\n")
	write(t, inside, "toolkits/u/plugin/manifest.org", "#+SLOT: data-source\n#+ENTITIES: linked\n#+URL: link.csv\n")
	if err := os.Symlink(filepath.Join(dir, "secret.csv"), filepath.Join(inside, "toolkits", "u", "link.csv")); err != nil {
		t.Fatal(err)
	}
	c := Open(Config{Dir: inside, Toolkits: []string{filepath.Join(inside, "toolkits")}})
	for _, name := range []string{"../secret.csv", filepath.Join(dir, "secret.csv"), "link.csv", "dir.csv", "up", "linked"} {
		if _, err := c.Rows(t.Context(), name, ""); err == nil {
			t.Errorf("%s can be read", name)
		}
	}
	if got, err := c.Rows(t.Context(), "ok.csv", ""); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
	given := Open(Config{Dir: inside, Given: []string{filepath.Join(dir, "secret.csv")}})
	if got, err := given.Rows(t.Context(), filepath.Join(dir, "secret.csv"), ""); err != nil || len(got) != 1 {
		t.Error(got, err)
	}
	var unknown *UnknownError
	if _, err := c.Rows(t.Context(), "linkd", ""); !errors.As(err, &unknown) || unknown.Hint() != "did you mean linked?" {
		t.Error(err)
	}
}

// mirror applies a mirror and returns the new text.
func mirror(t *testing.T, src string, csv string) (string, *Report) {
	t.Helper()
	var list []Row
	if err := readSeparated(t.Context(), "x.csv", strings.NewReader(csv), ',', nil, func(r Row) error { list = append(list, r); return nil }); err != nil {
		t.Fatal(err)
	}
	edits, report, err := Mirror(org.ParseString(src), "t", list)
	if err != nil {
		t.Fatal(err)
	}
	out, err := org.Apply([]byte(src), edits)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), report
}

func TestMirror(t *testing.T) {
	first, report := mirror(t, NewMirror("t"), "id,name,price\n1,bread,2\n2,TODO cake :x:,\n3,\"two\nlines\",5\n")
	if len(report.Added) != 3 {
		t.Errorf("%+v", report)
	}
	again, report := mirror(t, first, "id,name,price\n1,bread,2\n2,TODO cake :x:,\n3,\"two\nlines\",5\n")
	if again != first || report.Changed() || report.Unchanged != 3 {
		t.Errorf("the same table changes the file: %+v\n%s", report, again)
	}
	// The reader works with the file.
	edited := strings.Replace(first, "* bread", "* DONE [#A] bread", 1)
	edited = strings.Replace(edited, ":task:\n", ":task:mine:\n", 1)
	edited = strings.Replace(edited, ":PRICE:    2\n:END:\n", ":PRICE:    2\n:OWNER: ada\n:END:\nMy note.\n** Below\n", 1)
	edited += "* Something else\n  text\n"
	after, report := mirror(t, edited, "id,name,price\n2,TODO cake :x:,7\n1,rye bread,2\n4,new,1\n")
	if strings.Join(report.Updated, " ") != "t:2 t:1" || strings.Join(report.Deleted, " ") != "t:3" || strings.Join(report.Added, " ") != "t:4" {
		t.Errorf("%+v", report)
	}
	want := strings.Replace(edited, "] bread", "] rye bread", 1)
	want = strings.Replace(want, ":KEY:      2\n:NAME:     TODO cake :x:\n", ":KEY:      2\n:NAME:     TODO cake :x:\n:PRICE:    7\n", 1)
	want = strings.Replace(want, ":NAME:     bread\n", ":NAME:     rye bread\n", 1)
	want = strings.Replace(want, "    :task:\n:PROPERTIES:\n:ID:       t:3", ":task:deleted:\n:PROPERTIES:\n:ID:       t:3", 1)
	if !strings.HasPrefix(after, squeeze(after, want)) {
		t.Errorf("got\n%s\nwant\n%s", after, want)
	}
	for _, kept := range []string{"* DONE [#A] rye bread", ":task:mine:", ":OWNER: ada\n:END:\nMy note.\n** Below\n", "* Something else\n  text\n", ":deleted:"} {
		if !strings.Contains(after, kept) {
			t.Errorf("no %q in\n%s", kept, after)
		}
	}
	back, report := mirror(t, after, "id,name,price\n1,rye bread,2\n2,TODO cake :x:,7\n3,\"two\nlines\",5\n4,new,1\n")
	if strings.Join(report.Restored, " ") != "t:3" || strings.Contains(back, ":deleted:") {
		t.Errorf("%+v\n%s", report, back)
	}
	crlf, _ := mirror(t, "#+TITLE: x\r\n", "id\n1\n")
	if strings.Count(crlf, "\n") != strings.Count(crlf, "\r\n") {
		t.Errorf("%q", crlf)
	}
	if _, _, err := Mirror(org.ParseString(first+first), "t", nil); err == nil {
		t.Error("two headlines with one ID")
	}
}

// squeeze is got when both agree but for runs of blanks, which align tags.
func squeeze(got, want string) string {
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") && !strings.HasPrefix(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
		return want
	}
	return got
}

func FuzzManifest(f *testing.F) {
	f.Add("#+SLOT: data-source\n#+ENTITIES: a b\n#+URL: https://a.b/{entity}\n#+AUTH: header X\n")
	f.Add("#+SLOT: data-source\n#+ENTITIES: a\n#+URL: file://x.db\n#+IMPL: sqlite")
	f.Fuzz(func(t *testing.T, text string) {
		m, ok, err := ParseManifest("m.org", []byte(text))
		if ok && (err != nil || len(m.Entities) == 0 || m.URL == "" || m.Impl == "") {
			t.Errorf("%+v, %v", m, err)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n1,\"2\n3\"\n", true)
	f.Add("\xEF\xBB\xBFa,a,\n,,\n", true)
	f.Add("a\tb\n\"", false)
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		sep := '\t'
		if comma {
			sep = ','
		}
		table := newTable("x")
		_ = readSeparated(t.Context(), "x.csv", strings.NewReader(text), sep, nil, table.add)
		seen := map[string]bool{}
		for _, c := range table.file.Columns {
			if u := strings.ToUpper(c); seen[u] || c == "" {
				t.Errorf("columns %q", table.file.Columns)
			} else {
				seen[u] = true
			}
		}
	})
}

// FuzzMirror mirrors rows with any text twice: the second time nothing is to do.
func FuzzMirror(f *testing.F) {
	f.Add("1", "bread", "note")
	f.Add("[#A]", "TODO x :a:b:", "* star\n:END:")
	f.Add("", "COMMENT :", "\u200b")
	f.Fuzz(func(t *testing.T, id, name, note string) {
		csv := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		text := "id,title,note\n" + csv(id) + "," + csv(name) + "," + csv(note) + "\n"
		first, report := mirror(t, NewMirror("t"), text)
		if len(report.Added) != 1 {
			t.Skip()
		}
		if again, report := mirror(t, first, text); again != first {
			t.Errorf("%+v\n%q\n%q", report, first, again)
		}
	})
}
