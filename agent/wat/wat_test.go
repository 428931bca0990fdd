package wat

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wb/agent"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/sandbox/netbroker"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Answer
	}{
		{"plain words", Answer{Kind: KindResponse, Body: "plain words"}},
		{`<reasoning>think</reasoning> ToolCall::Response("""
hi "there" (ok)
""")`, Answer{Kind: KindResponse, Thought: "think", Body: `hi "there" (ok)`}},
		{`ToolCall::Response("""no end`, Answer{Kind: KindResponse, Body: "no end"}},
		{`ToolCall::Response("short")`, Answer{Kind: KindResponse, Body: "short"}},
		{`ToolCall::Response(bare words)`, Answer{Kind: KindResponse, Body: "bare words"}},
		{"first\nToolCall::Wat(```wat\n(i32.const 0)\n```, \"a\", \"b \\\"c\\\" )\")", Answer{Kind: KindWat, Thought: "first", Body: "(i32.const 0)\n", Args: []string{"a", `b "c" )`}}},
		{"ToolCall::Wat(```wat\n(i32.const 0)", Answer{Kind: KindWat, Body: "(i32.const 0)"}},
		{"ToolCall::Wat(```\n(i32.const 0)```)", Answer{Kind: KindWat, Body: "(i32.const 0)"}},
		{"ToolCall::Wat((i32.const 0))", Answer{Kind: KindWat, Body: "(i32.const 0)"}},
		{"ToolCall::Wat(```wat (i32.const 0) ```, \"\"\"long\n\"text\" )\"\"\")", Answer{Kind: KindWat, Body: " (i32.const 0) ", Args: []string{"long\n\"text\" )"}}},
		{`ToolCall::Catalog("get", "x"`, Answer{Kind: KindCatalog, Name: "get", Args: []string{"x"}}},
		{`ToolCall::Catalog("get", "x`, Answer{Kind: KindCatalog, Name: "get", Args: []string{"x"}}},
		{`ToolCall::Catalog()`, Answer{Kind: KindUnread, Body: "ToolCall::Catalog()"}},
		{`ToolCall::Fly("away")`, Answer{Kind: KindUnread, Body: `ToolCall::Fly("away")`}},
		{`ToolCall::Code("js","console.log(6*7)")`, Answer{Kind: KindCode, Name: "js", Body: "console.log(6*7)"}},
		{`ToolCall::Code("js", """console.log("a")""", "b")`, Answer{Kind: KindCode, Name: "js", Body: `console.log("a")`, Args: []string{"b"}}},
		{"ToolCall::Code(\"JS\", ```js\nprint(1)\n```, \"a\")", Answer{Kind: KindCode, Name: "js", Body: "print(1)\n", Args: []string{"a"}}},
		{`ToolCall::Code('js', 'console.log("a")')`, Answer{Kind: KindCode, Name: "js", Body: `console.log("a")`}},
		{"ToolCall::Code(js, `f(1)`)", Answer{Kind: KindCode, Name: "js", Body: "f(1)"}},
		{"ToolCall::Code(js, f(1))", Answer{Kind: KindCode, Name: "js", Body: "f(1)"}},
		{"ToolCall::Code(js, ```f(1)```)", Answer{Kind: KindCode, Name: "js", Body: "f(1)"}},
		{"toolcall :: wat (```\n(i32.const 0)```)", Answer{Kind: KindWat, Body: "(i32.const 0)"}},
		{"tool_call::\nCatalog(\"x\")", Answer{Kind: KindCatalog, Name: "x"}},
		{`ToolCall::Response(ToolCall::Catalog("x"))`, Answer{Kind: KindCatalog, Name: "x"}},
		{`ToolCall::Response("""ToolCall::Fly()""")`, Answer{Kind: KindUnread, Body: `ToolCall::Response("""ToolCall::Fly()""")`}},
		{`ToolCall::Response("write ToolCall::Wat(…)")`, Answer{Kind: KindResponse, Body: "write ToolCall::Wat(…)"}},
		{"ToolCall::Catalog(\"x\") ToolCall::Wat(```wat\n1\n```) ToolCall::Response(\"\"\"r\"\"\")", Answer{Kind: KindResponse, Body: "r"}},
		{"ToolCall::Catalog(\"x\") ToolCall::Wat(```wat\n1\n```)", Answer{Kind: KindWat, Body: "1\n"}},
	} {
		got := Parse(c.text)
		if got.Kind != c.want.Kind || got.Body != c.want.Body || got.Name != c.want.Name || strings.Join(got.Args, "|") != strings.Join(c.want.Args, "|") || got.Thought != c.want.Thought {
			t.Errorf("%q:\n %+v, want\n %+v", c.text, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"x", "ToolCall::Wat(```wat\n(x \"\"\"\n```, \"a", `ToolCall::Response("""`, `ToolCall::Catalog("a\`, "ToolCall::Code(\"c\", ```c\nint", "<reasoning>ToolCall::"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := Parse(text)
		switch a.Kind {
		case KindWat, KindCode:
			if strings.TrimSpace(a.Body) == "" {
				t.Errorf("%q: an empty program", text)
			}
		case KindResponse, KindCatalog, KindUnread:
		default:
			t.Errorf("%q: kind %q", text, a.Kind)
		}
		if a.Kind == KindResponse && isCall(a.Body) {
			t.Errorf("%q: a ToolCall became the answer", text)
		}
		if !mark.MatchString(text) && a.Body != strings.TrimSpace(text) {
			t.Errorf("%q became %q", text, a.Body)
		}
	})
}

func FuzzAssemble(f *testing.F) {
	for _, seed := range []string{`(argv 0 $x) (resv $x) (i32.const 0)`, `"a" """b""" ;; c`, `(; (; ;) "x`, `(local $a i32)(local $a i64)`, "(check\n$e)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		a, err := Assemble(body)
		var wrong *SyntaxError
		if err != nil && !errors.As(err, &wrong) {
			t.Errorf("%q: %v", body, err)
		}
		if err == nil && strings.Count(a.Text, "\n") < a.Line {
			t.Errorf("%q: line %d of\n%s", body, a.Line, a.Text)
		}
	})
}

// workshop is programs on a tree of their own.
func workshop(t *testing.T, web *netbroker.Broker) (*Programs, *Host) {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "wabt")
	tree, err := agent.NewTree(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	host := &Host{Engine: env.Engine, State: agent.NewState(nil), Files: tree,
		Assist: func(_ context.Context, text, instruction string) (string, error) {
			return instruction + " of " + text, nil
		}}
	if web != nil {
		host.Web = web
	}
	return &Programs{Lanes: registry}, host
}

func TestPrograms(t *testing.T) {
	programs, host := workshop(t, nil)
	for _, c := range []struct{ name, body, want string }{
		{"arguments", `(argv 0 $x) (resv $x) (i32.const 0)`, "Ada"},
		{"literals", `(local $p i32) (local.set $p "a\n\22b\22") (resv $p) (local.set $p """x "y"
z""") (resv $p) (i32.const 0)`, "a\n\"b\"\nx \"y\"\nz"},
		{"results at once", `(resv "text ( ;; ") (resv """more""") (local $p i32) (local.set $p "x") (resv (local.get $p)) (i32.const 0)`, "text ( ;; \nmore\nx"},
		{"late locals", `(call $str.concat "a" "b")
(local $err i32) (local $p i32)
(local.set $err) (local.set $p) (check $err) (resv $p) (i32.const 0)`, "ab"},
		{"no argument", `(argv 7 $x) (i32.const 0)`, "exit code 5 (EBOUND): sys.argv: there is no argument 7"},
		{"own code", `(i32.const 42)`, "exit code 42 (UNKNOWN)"},
		{"nothing", `(i32.const 0)`, "(no results)"},
		{"debug", `(call $debug.log "here") (call $debug.int (i32.const -3)) (i32.const 0)`, "[debug] here\n[debug] -3"},
		{"lists", `(local $e i32) (local $l i32) (local $s i32)
(call $str.split "c,a,b" ",") (local.set $e) (local.set $l)
(call $arr.sort (local.get $l)) (local.set $e) (local.set $l)
(call $arr.push (local.get $l) "z") (local.set $e) (local.set $l)
(call $debug.int (call $arr.len (local.get $l)))
(call $json.from_list (local.get $l)) (local.set $e) (local.set $s) (resv $s)
(call $str.join (local.get $l) "+") (local.set $e) (local.set $s) (resv $s)
(call $arr.get (local.get $l) (i32.const 9)) (local.set $e) (local.set $s) (check $e) (i32.const 0)`,
			"[debug] 4\n[\"a\",\"b\",\"c\",\"z\"]\na+b+c+z\nexit code 5 (EBOUND): arr.get: item 9 of 4"},
		{"json", `(local $e i32) (local $s i32)
(call $json.get "{\"a\":[{\"b\":\"deep\"}]}" "a.0.b") (local.set $e) (local.set $s) (check $e) (resv $s)
(call $json.get "{" "a") (local.set $e) (local.set $s) (check $e) (i32.const 0)`, "deep\nexit code 7 (EPARSE): json.get: no JSON: unexpected EOF"},
		{"kv", `(local $e i32) (local $s i32)
(call $kv.set "k" "v") (local.set $e) (check $e)
(call $kv.get "k") (local.set $e) (local.set $s) (check $e) (resv $s)
(call $kv.get "none") (local.set $e) (local.set $s) (check $e) (i32.const 0)`, "v\nexit code 4 (ENOENT): kv.get: no key none"},
		{"fs", `(local $e i32) (local $s i32)
(call $fs.write "d/a.txt" "text") (local.set $e) (check $e)
(call $fs.read "d/a.txt") (local.set $e) (local.set $s) (check $e) (resv $s)
(call $fs.write "../x" "no") (local.set $e) (check $e) (i32.const 0)`, "text\nexit code 3 (EACCESS): fs.write: write blocked: path escapes your working dir"},
		{"ai", `(local $e i32) (local $s i32)
(call $ai.assist "text" "summary" (i32.const 0)) (local.set $e) (local.set $s) (check $e) (resv $s) (i32.const 0)`, "summary of text"},
		{"no network", `(local $e i32) (local $s i32)
(call $http.get "http://example.org/") (local.set $e) (local.set $s) (check $e) (i32.const 0)`, "exit code 3 (EACCESS): http.get: there is no network"},
		{"wild pointer", `(local $e i32) (local $s i32)
(call $str.concat (i32.const -5) "b") (local.set $e) (local.set $s) (check $e) (i32.const 0)`, "exit code 1 (ETRFM): str.concat: there is no value at 4294967291"},
		{"more memory", `(local $e i32) (local $s i32) (local $i i32)
(local.set $s "0123456789abcdef")
(loop $l
  (call $str.concat (local.get $s) (local.get $s)) (local.set $e) (local.set $s)
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if $l (i32.lt_u (local.get $i) (i32.const 15))))
(call $debug.int (call $str.len (local.get $s))) (local.get $e)`, "[debug] 524288"},
		{"numbers", `(local $e i32) (local $s i32) (local $n i32) (local $f f64)
(call $str.to_int " 41 ") (local.set $e) (local.set $n)
(call $str.from_int (i32.add (local.get $n) (i32.const 1))) (local.set $e) (local.set $s) (resv $s)
(call $str.to_f64 "2.5") (local.set $e) (local.set $f)
(call $str.from_f64 (f64.mul (local.get $f) (f64.const 2))) (local.set $e) (local.set $s) (resv $s) (i32.const 0)`, "42\n5"},
	} {
		out, err := programs.Run(t.Context(), host, c.body, []string{"Ada"})
		if err != nil || out.Text != c.want {
			t.Errorf("%s: %q %v, want %q", c.name, out.Text, err, c.want)
		}
	}
	for body, want := range map[string]string{
		"(i32.const 0":                       "line 1: 1 parentheses are not closed",
		"\n(argv 0)":                         "line 2: write (argv 0 $name)",
		"(i32.const 0)\n(call $none)":        "line 2:",
		"(local $a i32) (local $a i64)":      "declared as i32 and as i64",
		"(i32.const 0) )":                    "a parenthesis closes",
		"(local.get $missing)":               "line 1:",
		"\"open":                             "a text does not end",
		"(local.set $x \"a\") (i32.const 0)": "line 1:",
	} {
		var wrong *CompileError
		if _, err := programs.Run(t.Context(), host, body, nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", body, err, want)
		}
	}
	if _, err := programs.Run(t.Context(), host, "unreachable", nil); err == nil || errors.As(err, new(*CompileError)) {
		t.Errorf("a trap gave %v", err)
	}
	host.Limits = DefaultLimits
	host.Limits.Fuel = 1e6
	if _, err := programs.Run(t.Context(), host, "(loop $l (br $l)) (i32.const 0)", nil); err == nil || !strings.Contains(err.Error(), "fuel limit") {
		t.Errorf("an endless loop gave %v", err)
	}
}

const greeting = `;;; name = "greet"
;;; description = "Greet somebody"
;;; [[args]]
;;; name = "who"
;;; type_hint = "string"
;;; description = "whom"
;;; default = "world"
(argv 0 $who)
(call $str.concat "hello " (local.get $who))
(local $err i32) (local $p i32)
(local.set $err) (local.set $p)
(resv $p)
(i32.const 0)
`

func TestCatalog(t *testing.T) {
	p, err := ReadProgram("greet.wat", greeting)
	if err != nil {
		t.Fatal(err)
	}
	c := Catalog{p.Name: p}
	if !strings.Contains(c.Describe(), "- **greet**: Greet somebody\n  Arguments:\n  - who (string): whom (default \"world\")\n") {
		t.Errorf("%s", c.Describe())
	}
	programs, host := workshop(t, nil)
	if err := c.Prepare(t.Context(), programs, host.Engine); err != nil {
		t.Fatal(err)
	}
	prepared := len(programs.kept)
	for want, args := range map[string][]string{"hello world": nil, "hello Ada": {"Ada"}} {
		body, whole, err := c.Find("greet", args)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := programs.Run(t.Context(), host, body, whole); err != nil || out.Text != want {
			t.Errorf("%q %v, want %q", out.Text, err, want)
		}
	}
	if len(programs.kept) != prepared {
		t.Errorf("%d programs are kept, %d were prepared", len(programs.kept), prepared)
	}
	if _, _, err := c.Find("great", nil); err == nil || err.Error() != "Catalog program 'great' not found. Did you mean 'greet'?" {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		"(i32.const 0)":               "must begin with ;;; name",
		";;; name = \n":               "x.wat:1:",
		";;; nam = \"x\"\n":           "has no nam",
		";;; name = \"x\"\n;;; x=1\n": "has no x",
	} {
		if _, err := ReadProgram("x.wat", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The prompt is made from the table and the catalog.
func TestPrompt(t *testing.T) {
	text := Prompt(Catalog{}, []string{"js"})
	for _, f := range Functions {
		if !strings.Contains(text, "$"+f.Name+f.Signature) {
			t.Errorf("the prompt has no %s", f.Name)
		}
	}
	if strings.Contains(text, "{") && strings.Contains(text, "{functions}") || !strings.Contains(text, "No library programs available.") {
		t.Errorf("%s", text)
	}
}
