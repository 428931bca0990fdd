package textfilter_test

import (
	"context"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/shell"
	"wb/compile/textfilter"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

// lane is one of the filter lanes, in the environment all tests share.
func lane(t testing.TB, name string) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	lanes := textfilter.Lanes(shell.New(env))
	lanetest.Need(t, env, lanes[0].Info().Toolchains...)
	for _, l := range lanes {
		if l.Info().Name == name {
			return l
		}
	}
	t.Fatalf("no lane %s", name)
	return nil
}

// trial is one block and what it should do.
type trial struct {
	lang    string
	shape   compile.Shape
	body    string
	args    map[string]string
	vars    []compile.Var
	params  []string
	results string
	job     compile.Job
	want    string // the value as JSON, or the start of the error
}

func (c trial) run(t *testing.T) string {
	l := lane(t, c.lang)
	src := &compile.Source{Pos: diag.Position{File: "a.org", Line: 10, Col: 1}, Lang: c.lang, Body: c.body, Shape: c.shape,
		Vars: c.vars, Params: c.params, Args: map[string][]string{}, Results: strings.Fields(c.results)}
	for name, arg := range c.args {
		src.Args[name] = []string{arg}
	}
	art, err := l.Build(context.Background(), src)
	if err != nil {
		return err.Error()
	}
	c.job.Source = src
	out, err := l.Run(context.Background(), art, &c.job)
	switch {
	case err != nil:
		return err.Error()
	case out.Exit != 0:
		return string(out.Stderr)
	}
	return out.Value.String()
}

var table = value.OfList(
	value.OfList(value.OfString("Ulm"), value.OfInt(3)),
	value.OfList(value.OfString("Köln"), value.OfInt(4)))

func TestFilters(t *testing.T) {
	people := value.OfObject(value.Field{Name: "ages", Value: value.OfList(value.OfInt(36), value.OfInt(85))})
	for _, c := range []trial{
		{lang: "awk", shape: compile.ShapeBabel, body: `{ print $1, $2 * k }`, job: compile.Job{Stdin: []byte("Ulm 3\nKöln 4\n")},
			vars: []compile.Var{{Name: "k", Value: value.OfInt(10)}}, want: `[["Ulm",30],["Köln",40]]`},
		{lang: "awk", shape: compile.ShapeBabel, body: `BEGIN { n = split(t, rows, "\n"); print n, rows[2] }`, vars: []compile.Var{{Name: "t", Value: table}},
			results: "output", want: `"2 Köln\t4\n"`},
		{lang: "awk", shape: compile.ShapeBabel, body: `{ s += $2 * k } END { print s }`, args: map[string]string{"cmd-line": `-F ',' -v k=2`},
			job: compile.Job{Stdin: []byte("a,3\nb,4\n")}, want: `14`},
		{lang: "awk", shape: compile.ShapeBabel, body: `{ print f($1) }`, args: map[string]string{"prologue": "function f(x) { return x * x }", "epilogue": "END { print NR }"},
			job: compile.Job{Stdin: []byte("3\n4\n")}, results: "output", want: `"9\n16\n2\n"`},
		{lang: "awk", shape: compile.ShapeCommand, body: `{ print length($0) }`, job: compile.Job{Inputs: []value.Field{{Name: "x", Value: value.OfString("hello\n")}}}, want: `"5\n"`},
		{lang: "awk", shape: compile.ShapeBabel, body: "BEGIN { print 1 }\n{ x = ( }", want: "a.org:11:9: error: syntax error"},
		{lang: "awk", shape: compile.ShapeBabel, body: "BEGIN {\n  print 1/x }", want: "a.org:11:1: division by zero attempted"},
		{lang: "awk", shape: compile.ShapeBabel, body: "BEGIN { for (;;) i++ }", job: compile.Job{Limits: sandbox.Limits{Fuel: 1e7}}, want: "fuel limit 10000000 exceeded"},
		{lang: "awk", shape: compile.ShapeComponent, body: "{}", want: `a.org:10:1: error: awk blocks do not run as "component"`},
		{lang: "sed", shape: compile.ShapeBabel, body: "s/\\t/: /\n2d", job: compile.Job{Stdin: []byte("Ulm\t3\nKöln\t4\n")}, results: "output", want: `"Ulm: 3\n"`},
		{lang: "sed", shape: compile.ShapeBabel, body: "s/(a+)/<\\1>/", args: map[string]string{"cmd-line": "-E"}, job: compile.Job{Stdin: []byte("baa\n")}, results: "output", want: `"b<aa>\n"`},
		{lang: "sed", shape: compile.ShapeBabel, body: "p\ns/a/b", want: "a.org:11:5: error: unterminated `s' command"},
		{lang: "jq", shape: compile.ShapeBabel, body: `map(. * $k)`, vars: []compile.Var{{Name: "k", Value: value.OfInt(2)}}, job: compile.Job{Stdin: []byte("[1,2]")}, want: `[2,4]`},
		{lang: "jq", shape: compile.ShapeBabel, body: `.[]`, job: compile.Job{Stdin: []byte(`[1,"x"]`)}, want: `[1,"x"]`},
		{lang: "jq", shape: compile.ShapeBabel, body: `.[]`, job: compile.Job{Stdin: []byte(`[1,"x"]`)}, results: "output", want: `"1\n\"x\"\n"`},
		{lang: "jq", shape: compile.ShapeBabel, body: `{a: 1}`, want: `{"a":1}`},
		{lang: "jq", shape: compile.ShapeBabel, body: `-1`, want: `-1`},
		{lang: "jq", shape: compile.ShapeBabel, body: `.[]`, args: map[string]string{"cmd-line": "-r"}, job: compile.Job{Stdin: []byte(`["a b","c"]`)}, results: "verbatim", want: `"a b\nc\n"`},
		{lang: "jq", shape: compile.ShapeComponent, body: `.ages | add / length`, job: compile.Job{Inputs: []value.Field{{Name: "people", Value: people}}}, want: `60.5`},
		{lang: "jq", shape: compile.ShapeComponent, body: `$people.ages[$n]`, want: `85`,
			job:    compile.Job{Inputs: []value.Field{{Name: "people", Value: people}, {Name: "n", Value: value.OfInt(1)}}},
			params: []string{"people", "n"}},
		{lang: "jq", shape: compile.ShapeBabel, body: "{a: 1,\n b", want: "a.org:11:2: error: unexpected EOF"},
		{lang: "jq", shape: compile.ShapeBabel, body: ". as $x\n | foo", want: "a.org:11:4: error: function not defined: foo/0"},
		{lang: "jq", shape: compile.ShapeBabel, body: "error(\"no\")", want: "jq: error: error: no"},
		{lang: "jq", shape: compile.ShapeBabel, body: ".", args: map[string]string{"session": "s"}, want: "a.org:10:1: error: jq blocks have no sessions"},
	} {
		if got := c.run(t); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s %q: got %s, want %s", c.lang, c.shape, c.body, got, c.want)
		}
	}
}
