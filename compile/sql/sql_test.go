package sql

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

func testLanes(t testing.TB) (sqlite, sql compile.Lane) {
	t.Helper()
	env := lanetest.Env(t)
	all := Lanes(env, clang.New(env))
	lanetest.Need(t, env, toolName)
	return all[0], all[1]
}

func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("sqlite", shape, body)
}

const people = `create table p(name, age, city);
insert into p values ('ada', 36, 'London'), ('bob, jr', 2.5, null), ('"q"', 0, 'x y');
`

func TestBabel(t *testing.T) {
	sqlite, sql := testLanes(t)
	for _, c := range []struct {
		lane       compile.Lane
		args, body string
		want       string
	}{
		{sqlite, "", people + "select * from p;", `[["ada",36,"London"],["bob, jr",2.5,""],["q",0,"x y"]]`},
		{sqlite, "", "select 6 * 7;", `42`},
		{sqlite, "", "select 'a';select 'b';", `[["a"],["b"]]`},
		{sqlite, "", "create table t(a);", `""`},
		{sqlite, "colnames=yes", people + "select name, age from p limit 1;", `[["name","age"],{"$hline":true},["ada",36]]`},
		{sql, "", people + "select name, age from p limit 1;", `[["name","age"],{"$hline":true},["ada",36]]`},
		{sql, "colnames=no", people + "select age from p limit 1;", `36`},
		{sqlite, "list=,separator=;,results=output", people + "select name, age from p limit 1;", `"ada;36\n"`},
		{sqlite, "nullvalue=NULL", people + "select city from p where age = 2.5;", `"NULL"`},
		{sqlite, "line=,results=verbatim", "select 1 as one, 'x' as two;", `"  one = 1\n  two = x\n"`},
		{sqlite, "column=,header=,results=verbatim", "select 1 as one, 'x' as two;", `"one  two\n---  ---\n1    x  \n"`},
		{sqlite, "html=,results=verbatim", "select 1 as one;", `"<TR><TD>1</TD>\n</TR>\n"`},
		{sqlite, "prologue=create table t(a);,epilogue=select sum(a) from t;", "insert into t values (1), (2);", `3`},
		{sqlite, "", ".print dot commands work", `"dot commands work"`},
		{sqlite, "", "select sqrt(2) > 1.41, json_extract('{\"a\":[1,7]}', '$.a[1]');", `[[1,7]]`},
	} {
		src := block(compile.ShapeBabel, c.body)
		for _, arg := range strings.FieldsFunc(c.args, func(r rune) bool { return r == ',' }) {
			name, text, _ := strings.Cut(arg, "=")
			if name == "results" {
				src.Results = []string{text}
				continue
			}
			src.Args[name] = []string{text}
		}
		lanetest.Gives(t, c.lane, src, nil, c.want)
	}
}

func TestVariables(t *testing.T) {
	sqlite, _ := testLanes(t)
	sales, _ := value.ParseJSON([]byte(`[["bread", 3.5], ["a, \"b\"", 2]]`))
	for _, c := range []struct {
		body, want string
		columns    []string
	}{
		{".mode csv\n.import $sales s\n.headers off\nselect * from s;", `["a, \"b\"",2]`, nil},
		{"create table s(item, price);\n.import --csv $sales s\nselect count(*), sum(price) from s;", `[[2,5.5]]`, nil},
		{"select c1 from sales where c2 > $limit;", `"bread"`, nil},
		{"select item from sales where price = $limit;", `"a, \"b\""`, []string{"item", "price"}},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Vars = []compile.Var{{Name: "sales", Value: sales, ColNames: c.columns}, {Name: "limit", Value: value.OfInt(2)}}
		out, err := lanetest.Execute(t, sqlite, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", c.body, complaint)
		} else if got := out.Value.String(); got != c.want && got != "["+c.want+"]" {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
}

func TestComponent(t *testing.T) {
	sqlite, _ := testLanes(t)
	for _, c := range []struct{ body, sig, params, outs, args, want string }{
		{"select name, age + :n as later from people where age > 1 order by name desc;", "", "people n", "rows",
			`{"people": [{"name": "ada", "age": 36}, {"age": 7, "name": "o'b"}, {"name": "x"}], "n": 1}`, `[{"name":"o'b","later":8},{"name":"ada","later":37}]`},
		{"select @t as t, $t || '!' as u, :b as b, :z is null as z;", "", "t b z", "row", `{"t": "é\n'\"", "b": true, "z": null}`, `[{"t":"é\n'\"","u":"é\n'\"!","b":1,"z":1}]`},
		{"select sum(c2) as s from m;", "total(m: list<list<s32>>) -> s32", "m", "s", `{"m": [[1, 2], [3, 4]]}`, `6`},
		{"select c1 * 2 from xs;", "double(xs: list<f64>) -> list<f64>", "xs", "ys", `{"xs": [1.5, 2.5]}`, `[3.0,5.0]`},
		{"select 1 as a, 'x' as b;", "f() -> record {a: s32, b: string}", "", "r", `{}`, `{"a":1,"b":"x"}`},
		{"select 1 as a, 'x' as b;", "", "", "a b", `{}`, `{"a":1,"b":"x"}`},
		{"select 1 as n; select 2 as m union select 3;", "", "", "one two", `{}`, `{"one":[{"n":1}],"two":[{"m":2},{"m":3}]}`},
		{"select 1 where 0;", "", "", "rows", `{}`, `[]`},
		{"select 1 where 0;", "f() -> option<s32>", "", "v", `{}`, `null`},
		{"select 9007199254740993 as i, 0.1 as f, -1e300 * 1e10 as inf, '9.0e+999' as t;", "", "", "v", `{}`, `[{"i":9007199254740993,"f":0.1,"inf":{"$float":"-Infinity"},"t":"9.0e+999"}]`},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Params, src.Outs = strings.Fields(c.params), strings.Fields(c.outs)
		src.Sig = lanetest.Sig(t, c.sig)
		lanetest.Gives(t, sqlite, src, &compile.Job{Inputs: lanetest.Inputs(t, c.args)}, c.want)
	}
}

// Messages point to the place in the org file; the body begins in line 10.
func TestMessages(t *testing.T) {
	sqlite, _ := testLanes(t)
	for _, c := range []struct{ body, want string }{
		{"selec 1;", "a.org:10:1: near \"selec\": syntax error\n"},
		{"create table t(a);\nselect a,\n  b from t;", "a.org:12:3: no such column: b\n"},
		{"create table t(a unique);\n\n  insert into t values (1), (1);", "a.org:12:3: UNIQUE constraint failed: t.a (19)\n"},
		{"select 'open", "a.org:10:8: unrecognized token: \"'open\"\n"},
		{"select 1 +\n;", "a.org:11:1: near \";\": syntax error\n"},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Args["prologue"] = []string{".print x"}
		out, err := lanetest.Execute(t, sqlite, src, nil)
		if got := lanetest.Complaint(out, err); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.body, got, c.want)
		}
	}
	src := block(compile.ShapeComponent, "select 1 as a, 2 as b;")
	src.Sig, _ = value.ParseSig("f() -> s32")
	out, err := lanetest.Execute(t, sqlite, src, nil)
	if got, want := lanetest.Complaint(out, err), "a.org:10:1: the last statement found 2 columns, :sig: wants one s32\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	src = block(compile.ShapeCommand, "select 1;")
	out, err = lanetest.Execute(t, sqlite, src, &compile.Job{Args: []string{":memory:", "selec 2"}})
	if got, want := lanetest.Complaint(out, err), "a.org:10:1: in prepare, near \"selec\": syntax error\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	src = block(compile.ShapeBabel, "select 1")
	src.Args["engine"] = []string{"postgresql"}
	if _, err := sqlite.Build(t.Context(), src); err == nil || !strings.Contains(err.Error(), ":engine postgresql is a server") {
		t.Errorf("another engine: %v", err)
	}
}

// A database is a file beside the workbook, the same that the machine's own
// sqlite3 reads.
func TestDatabaseFile(t *testing.T) {
	sqlite, _ := testLanes(t)
	files := sandbox.NewMemFS()
	if err := files.WriteFile("w/x", nil); err != nil {
		t.Fatal(err)
	}
	run := func(body string, args ...string) *compile.Outcome {
		t.Helper()
		src := block(compile.ShapeBabel, body)
		src.Args["db"] = []string{"data.db"}
		for _, arg := range args {
			src.Args[arg] = []string{"yes"}
		}
		out, err := lanetest.Execute(t, sqlite, src, &compile.Job{Files: files, Dir: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run(people + "create index i on p(age);\n.output out.csv\nselect name from p;")
	if out := run("begin; update p set age = age + 1; commit; select sum(age) from p;"); out.Value.String() != "41.5" {
		t.Errorf("got %+v", out)
	}
	if out := run("delete from p", "readonly"); out.Exit == 0 || !strings.Contains(string(out.Stderr), "readonly") {
		t.Errorf("readonly: %+v", out)
	}
	if text, err := files.ReadFile("w/out.csv"); err != nil || !strings.HasPrefix(string(text), "ada") {
		t.Errorf("out.csv: %q, %v", text, err)
	}
	native, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("comparing with the machine's sqlite3: it is not installed")
	}
	data, err := files.ReadFile("w/data.db")
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/data.db"
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(native, path, "pragma integrity_check; select sum(age) from p;").CombinedOutput()
	if err != nil || string(got) != "ok\n41.5\n" {
		t.Errorf("the machine's sqlite3 says %q, %v", got, err)
	}
}

// What the shell prints is what the machine's own sqlite3 prints.
func TestLikeNative(t *testing.T) {
	sqlite, _ := testLanes(t)
	native, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("the machine has no sqlite3 to compare with")
	}
	for _, body := range []string{
		people + "select * from p order by age;",
		people + "select upper(name), typeof(age), quote(city), length(name) from p;",
		"with recursive f(a, b) as (select 0, 1 union all select b, a + b from f limit 20) select a from f;",
		"select 1/3.0, 1e100, -0.0, 123456789012345678, x'41', 10/4, 7 % 3;",
		"create virtual table d using fts5(t); insert into d values ('the quick fox'), ('lazy dog'); select t from d where d match 'quick';",
		people + "select city, count(*), group_concat(name, '|'), avg(age) over (order by age) from p group by city;",
		"select json_group_array(value * 2) from json_each('[1,2,3]'), (select 1);",
		"select strftime('%Y-%m-%d', '2024-02-29', '+1 year'), julianday('2000-01-01'), printf('%8.3f|%-5s|%05d', 3.14159, 'ab', 42);",
		".mode column\n.headers on\n" + people + "select * from p;",
		".mode insert t\n" + people + "select * from p;",
		".mode quote\n" + people + "select * from p;",
		".mode list\n" + people + ".schema\nselect 'über', hex('ü'), unicode('ü');",
	} {
		src := block(compile.ShapeCommand, body)
		src.Args["csv"] = []string{""}
		out, err := lanetest.Execute(t, sqlite, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", body, complaint)
			continue
		}
		cmd := exec.Command(native, "-batch", "-noheader", "-csv")
		cmd.Stdin = strings.NewReader(body)
		want, err := cmd.Output()
		if err != nil {
			t.Errorf("native: %v", err)
		}
		if !bytes.Equal(out.Stdout, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", body, out.Stdout, want)
		}
	}
}

func TestLimits(t *testing.T) {
	sqlite, _ := testLanes(t)
	for _, c := range []struct {
		body   string
		limits sandbox.Limits
		kind   sandbox.LimitKind
	}{
		{"with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c;", sandbox.Limits{Fuel: 1e7}, sandbox.LimitFuel},
		{"with recursive c(x) as (select 1 union all select x + 1 from c) select x from c;", sandbox.Limits{Output: 1 << 16}, sandbox.LimitOutput},
		{"create table t(a); with recursive c(x) as (select 1 union all select x + 1 from c) insert into t select randomblob(10000) from c;", sandbox.Limits{Memory: 16 << 20}, sandbox.LimitMemory},
	} {
		lanetest.Breaks(t, sqlite, block(compile.ShapeBabel, c.body), c.limits, c.kind)
	}
}

func BenchmarkQuery(b *testing.B) {
	sqlite, _ := testLanes(b)
	art, err := sqlite.Build(b.Context(), block(compile.ShapeBabel, people+"select * from p;"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := sqlite.Run(b.Context(), art, &compile.Job{}); err != nil || out.Exit != 0 {
			b.Fatal(err)
		}
	}
}
