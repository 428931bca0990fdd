package dot

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

func testLane(t testing.TB) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	l := New(env)
	lanetest.Need(t, env, toolName)
	return l
}

func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("dot", shape, body)
}

// elements counts the elements of a picture by id or class.
func elements(t *testing.T, svg string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					counts["."+a.Value]++
				}
			}
		}
	}
}

func TestEveryLayoutDraws(t *testing.T) {
	l := testLane(t)
	for _, layout := range layouts {
		src := block(compile.ShapeBabel, "digraph g { rankdir=LR; a -> b -> c; subgraph cluster_x { b; d } d -> a [label=\"back\"] }")
		src.Args["file"] = []string{"out.svg"}
		src.Args["cmd"] = []string{layout}
		out, err := lanetest.Execute(t, l, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", layout, complaint)
			continue
		}
		n := elements(t, out.Value.Text())
		if n["svg"] != 1 || n[".node"] != 4 || layout != "patchwork" && n[".edge"] != 3 {
			t.Errorf("%s: drew %v", layout, n)
		}
		again, err := lanetest.Execute(t, l, src, nil)
		if err != nil || again.Value.Text() != out.Value.Text() || again.Usage.Fuel != out.Usage.Fuel {
			t.Errorf("%s: a second run differs", layout)
		}
	}
}

// Places are those of the graph: ranks go down, HTML labels become tables.
func TestPlain(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeBabel, "digraph { node [shape=box, width=1, height=0.5, fixedsize=true]; a -> b; a -> c }")
	src.Args["file"], src.Args["cmdline"] = []string{"x.plain"}, []string{"-Tplain -Gnodesep=1"}
	out, err := lanetest.Execute(t, l, src, nil)
	if complaint := lanetest.Complaint(out, err); complaint != "" {
		t.Fatal(complaint)
	}
	want := "graph 1 3 1.5\nnode a 1.5 1.25 1 0.5 a solid box black lightgrey\nnode b 0.5 0.25 1 0.5 b solid box black lightgrey\nnode c 2.5 0.25 1 0.5 c solid box black lightgrey\n"
	if got := out.Value.Text(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "stop\n") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	src = block(compile.ShapeBabel, "graph { t [shape=plain, label=<<table><tr><td>one</td><td bgcolor=\"red\">two</td></tr></table>>] }")
	if out, err = lanetest.Execute(t, l, src, nil); err != nil || !strings.Contains(out.Value.Text(), `fill="red"`) {
		t.Errorf("HTML label: %v, %v", out, err)
	}
}

func TestVariablesAndSurroundings(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeBabel, "$from -> $to [label=\"$n\"]")
	src.Args = map[string][]string{"prologue": {"digraph {"}, "epilogue": {"}"}, "cmdline": {"-Tcanon"}}
	src.Vars = []compile.Var{{Name: "from", Value: value.OfString("x")}, {Name: "to", Value: value.OfString("y")}, {Name: "n", Value: value.OfInt(7)}}
	out, err := lanetest.Execute(t, l, src, nil)
	if complaint := lanetest.Complaint(out, err); complaint != "" || !strings.Contains(out.Value.Text(), "x -> y\t[label=7]") {
		t.Errorf("%v %s", out, complaint)
	}
	src = block(compile.ShapeComponent, "graph { $a -- b }")
	src.Params = []string{"a"}
	out, err = lanetest.Execute(t, l, src, &compile.Job{Inputs: lanetest.Inputs(t, `{"a": "Ünicode"}`)})
	if complaint := lanetest.Complaint(out, err); complaint != "" || !strings.Contains(out.Value.Text(), "<title>Ünicode</title>") {
		t.Errorf("%v %s", out, complaint)
	}
	src = block(compile.ShapeCommand, "graph { a -- b }")
	out, err = lanetest.Execute(t, l, src, &compile.Job{Args: []string{"-Kneato", "-T", "dot"}})
	if complaint := lanetest.Complaint(out, err); complaint != "" || !strings.HasPrefix(string(out.Stdout), "graph {") {
		t.Errorf("%v %s", out, complaint)
	}
}

// Messages point to the place in the org file; the body begins in line 10.
func TestMessages(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, file, want string }{
		{"digraph {\n  a -> ;\n}", "x.svg", "a.org:11:8: syntax error in line 2 near ';'\n"},
		{"digraph {\n  a -- b\n}", "x.svg", "a.org:11:5: syntax error in line 2 near '--'\n"},
		{"digraph {", "x.svg", "a.org:10:1: syntax error in line 1"},
		{"no graph", "x.svg", "a.org:10:1: syntax error in line 1 near 'no'\n"},
		{"graph {}", "x.png", "a.org:10:1: error: Graphviz draws no png in the sandbox"},
		{"graph {}", "x.odd", "a.org:10:1: error: unknown format \"odd\""},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Args["file"] = []string{c.file}
		out, err := lanetest.Execute(t, l, src, nil)
		if got := lanetest.Complaint(out, err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.body, got, c.want)
		}
	}
	out, err := lanetest.Execute(t, l, block(compile.ShapeBabel, "digraph { a [shape=nosuch]; a -> b }"), nil)
	if err != nil || out.Exit != 0 || !strings.HasPrefix(string(out.Stderr), "a.org:10:1: warning: ") {
		t.Errorf("a warning: %+v %v", out, err)
	}
}

func TestLimits(t *testing.T) {
	l := testLane(t)
	var b strings.Builder
	b.WriteString("digraph {")
	for range 4000 {
		b.WriteString(" a -> b; b -> c; c -> a;")
	}
	b.WriteString("}")
	var limit *sandbox.LimitError
	_, err := lanetest.Execute(t, l, block(compile.ShapeBabel, b.String()), &compile.Job{Limits: sandbox.Limits{Fuel: 1e6}})
	if !errors.As(err, &limit) || limit.Kind != sandbox.LimitFuel {
		t.Errorf("a large graph: %v", err)
	}
	_, err = lanetest.Execute(t, l, block(compile.ShapeBabel, "graph { a -- b }"), &compile.Job{Limits: sandbox.Limits{Output: 100}})
	if !errors.As(err, &limit) || limit.Kind != sandbox.LimitOutput {
		t.Errorf("a long picture: %v", err)
	}
	// Nesting too deep for the parser's stack ends in a message.
	out, err := lanetest.Execute(t, l, block(compile.ShapeBabel, "graph "+strings.Repeat("{", 20000)), nil)
	if lanetest.Complaint(out, err) == "" {
		t.Error("deep nesting went through")
	}
}

func BenchmarkDraw(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(b.Context(), block(compile.ShapeBabel, "digraph { a -> b -> c; a -> c }"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := l.Run(b.Context(), art, &compile.Job{}); err != nil || out.Exit != 0 {
			b.Fatal(err)
		}
	}
}
