package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/agent"
	"wb/agent/tools"
	"wb/app"
	"wb/internal/trace"
	"wb/sandbox/dock/store"
	"wb/workbook"
)

// bench is a tree without languages and without capabilities.
func bench(tree *agent.Tree) tools.Bench { return tools.Bench{Table: app.ForAgents{}, Tree: tree} }

// wb looks at the tree of the run and at nothing else.
func TestWB(t *testing.T) {
	_, tree := workdir(t, map[string]string{"a.org": "* TODO One\n* Two\n", "sub/b.org": "* TODO Three\n#+begin_src js\n1\n#+end_src\n"})
	if err := tree.Write("c.org", []byte("* TODO New\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Changes(t.Context()); err != nil {
		t.Fatal(err)
	}
	wb := bench(tree).WB()
	for _, c := range []struct {
		args any
		want string
	}{
		{"query 'todo:TODO | count'", "3"},
		{[]string{"wb", "query", "sub", "todo:TODO | select title"}, "Three"},
		{"query 'todo:TODO | select file'", "c.org"},
		{"search three", "sub/b.org:1"},
		{"lint a.org", "no mistakes found"},
		{"lint ../../etc/passwd", "! wb lint error: read blocked: path escapes"},
		{"query /etc 'todo:TODO'", "! wb query error: "},
		{[]string{"query", `(query (from "/etc/passwd"))`}, "! wb query error: from "},
		{"plan sub/b.org", `"components"`},
		{"fmt a.org", "* TODO One"},
		{"telemetry", "! wb telemetry error: no run is recorded here"},
		{"help", "wb lint FILE"},
		{"read a.org", "! wb read not permitted to an agent"},
		{"run a.org", "! wb run not permitted to an agent"}, // unless the caller gives it
		{"tangle a.org", "nothing to tangle"},
		{"tangle --watch a.org", "! wb tangle error: unknown flag --watch"},
		{"trace export", "--otlp-json"},
		{"trace serve", "! wb trace error: trace serve not permitted to an agent"},
		{"serve", "! wb serve not permitted to an agent"},
		{"toolchain install clang", "not permitted"},
		{"query 'to:do:('", "! wb query error"},
		{"why a.org", "! wb why error"},
	} {
		if got := call(t, wb, map[string]any{"args": c.args}); !strings.Contains(got, c.want) {
			t.Errorf("%v gave %q, want %q", c.args, got, c.want)
		}
	}
}

// tangle writes into the tree of the run, strictly inside it, and never what the
// host keeps; nothing is written when one of the files may not be.
func TestWBTangle(t *testing.T) {
	outside := t.TempDir()
	dir, tree := workdir(t, map[string]string{
		"a.org":     "* A\n#+begin_src js :tangle src/a.js :mkdirp yes\n<<part>>\n#+end_src\n#+begin_src js :tangle b.js :var n=sub/c.org:num\nn\n#+end_src\n",
		"sub/c.org": "#+name: num\n| 7 |\n\n#+name: part\n#+begin_src js :tangle ../c.js\nlet c = 1\n#+end_src\n",
		"no.org":    "* No\n#+begin_src sh :tangle ok.sh\ntrue\n#+end_src\n#+begin_src sh :tangle TARGET\nrm\n#+end_src\n",
	})
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".git", filepath.Join(dir, "hidden")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".wb"), 0o755), os.Symlink(".wb", filepath.Join(dir, "hidden-too"))); err != nil {
		t.Fatal(err)
	}
	wb := bench(tree).WB()
	for _, c := range []struct{ args, want string }{
		{"tangle --check a.org", "exit 1"},
		{"tangle --dry-run a.org", "+++ src/a.js"},
		{"tangle --plan a.org", `"src/a.js"`},
		{"tangle a.org sub/c.org", "created   src/a.js\ncreated   b.js\ncreated   c.js"},
		{"tangle --check a.org sub/c.org", "unchanged src/a.js"},
		{"tangle --allow-outside a.org", "unknown flag"},
		{"tangle ../x.org", "! wb tangle error: read blocked: path escapes your working dir"},
		{"tangle", "! wb tangle error: no file"},
	} {
		if got := call(t, wb, map[string]any{"args": c.args}); !strings.Contains(got, c.want) || strings.Contains(got, dir) {
			t.Errorf("%s gave %q, want %q", c.args, got, c.want)
		}
	}
	if text, err := tree.Read("b.js"); !strings.Contains(string(text), "[[7]]") || err != nil {
		t.Errorf("b.js is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.js")); err == nil {
		t.Error("the working directory was written")
	}
	doc, err := tree.Read("no.org")
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"../up.sh":                           "write blocked: path escapes your working dir",
		filepath.Join(outside, "x.sh"):       "write blocked: path escapes your working dir",
		"link/x.sh :mkdirp yes":              "write blocked: ",
		"hidden/hooks/pre-commit :mkdirp y":  "write blocked: hidden is a broken link",
		"hidden-too/x :mkdirp yes":           "write blocked: .wb/x is reserved for the host",
		"events.org":                         "write blocked: events.org is reserved for the host",
		".git/hooks/pre-commit :mkdirp yes":  "write blocked: .git/hooks/pre-commit is reserved for the host",
		filepath.Join(dir, ".wb", "x.sh"):    "write blocked: .wb/x.sh is reserved for the host",
		"~/.profile":                         "the home directory is not known here",
		"(concat \"../\" (user-login-name))": "user-login-name is not known here",
	} {
		asked := strings.ReplaceAll(string(doc), "TARGET", target)
		_, fresh := workdir(t, nil)
		at, in := wb, tree
		if !strings.HasPrefix(target, dir) && !strings.HasPrefix(target, "link") && !strings.HasPrefix(target, "hidden") {
			at, in = bench(fresh).WB(), fresh
		}
		if err := in.Write("no.org", []byte(asked)); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Changes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := call(t, at, map[string]any{"args": "tangle no.org"}); !strings.HasPrefix(got, "! wb tangle error: ") || !strings.Contains(got, want) {
			t.Errorf(":tangle %s gave %q, want %q", target, got, want)
		}
		if _, err := in.Read("ok.sh"); err == nil {
			t.Errorf(":tangle %s: the other file was written", target)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Errorf("outside has %v", entries)
	}
}

// Variables are those of the tenant; what is secret stays so.
func TestWBVar(t *testing.T) {
	_, tree := workdir(t, nil)
	vars := store.Open(store.Config{Dir: t.TempDir(), Seal: func() ([]byte, error) { return make([]byte, 32), nil }})
	defer vars.Close()
	for name, v := range map[string]struct {
		kind store.VarKind
		text string
	}{"TOKEN": {store.Secret, "canary-1234"}, "release": {store.Ed25519, strings.Repeat("k", 32)}, "city": {store.Plain, "Bern"}} {
		if err := vars.SetVar(t.Context(), "ada", name, v.kind, []byte(v.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := vars.SetVar(t.Context(), "bob", "other", store.Plain, []byte("bobs")); err != nil {
		t.Fatal(err)
	}
	wb := withVariables(tree, vars).WB()
	for _, c := range []struct{ args, want string }{
		{"var list", "<secret: 11 bytes"},
		{"var get city", "Bern"},
		{"var get TOKEN", "cannot read"},
		{"var get other", "! wb var error: there is no variable other"},
		{"var set region 'eu 1'", "set region"},
		{"var get region", "eu 1"},
		{"var set TOKEN mine", "! wb var error: TOKEN was set by a person"},
		{"var set release mine", "! wb var error: release was set by a person"},
		{"var set x y --secret", "! wb var error: unknown flag --secret"},
		{"var set x", "! wb var error: wb var set NAME VALUE: the value of x is missing"},
		{"var ref TOKEN", "{{secret:TOKEN}}"},
		{"var ref city", "{{var:city}}"},
		{"var ref release", "! wb var error: release is a signing key"},
		{"var unset city", "! wb var error: var unset not permitted to an agent"},
		{"var get city --tenant=bob", "unknown flag"},
	} {
		got := call(t, wb, map[string]any{"args": c.args})
		if !strings.Contains(got, c.want) || strings.Contains(got, "canary") || strings.Contains(got, "kkkk") || strings.Contains(got, "bobs") {
			t.Errorf("%s gave %q, want %q", c.args, got, c.want)
		}
	}
	if value, _, err := vars.Expand(t.Context(), "ada", "TOKEN"); string(value) != "canary-1234" || err != nil {
		t.Errorf("TOKEN is now %q, %v", value, err)
	}
	if got := call(t, bench(tree).WB(), map[string]any{"args": "var list"}); !strings.Contains(got, "this server keeps no variables") {
		t.Errorf("without a store: %q", got)
	}
}

// telemetry and trace know the runs that are recorded in the tree and no others.
func TestWBTrace(t *testing.T) {
	dir, tree := workdir(t, nil)
	var ids []string
	for _, tool := range []string{"shell", "fetch"} {
		run, err := trace.Begin(trace.Config{Files: trace.FilesIn(dir)}, trace.RunInfo{Agent: "waldo"})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Emit(trace.Event{Kind: trace.KindToolCall, Tool: tool, Args: json.RawMessage(`{"x":"private"}`), Duration: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		if err := run.End(trace.Outcome{Status: "done"}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID())
	}
	wb := bench(tree).WB()
	for _, c := range []struct{ args, want, not string }{
		{"telemetry", "fetch", "shell"},
		{"telemetry " + ids[0], "shell", "fetch"},
		{"telemetry last~7", "! wb telemetry error: no run last~7", ""},
		{"telemetry /etc/passwd", "! wb telemetry error: no run /etc/passwd", ""},
		{"trace diff last~1 last", "exit 1", ""},
		{"trace diff last last", "", "exit 1"},
		{"trace diff last~1", "fetch", ""},
		{"trace export --otlp-json", `"execute_tool fetch"`, "private"},
		{"trace export --otlp-json --content last~1", "private", ""},
		{"trace export --otlp-json nosuchrun", "! wb trace error: no run nosuchrun", ""},
	} {
		got := call(t, wb, map[string]any{"args": c.args})
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) || strings.Contains(got, dir) {
			t.Errorf("%s gave %q, want %q and not %q", c.args, got, c.want, c.not)
		}
	}
	elsewhere, linked := workdir(t, nil)
	if err := os.Symlink(filepath.Join(dir, "events.org"), filepath.Join(elsewhere, "events.org")); err != nil {
		t.Fatal(err)
	}
	if got := call(t, bench(linked).WB(), map[string]any{"args": "telemetry"}); !strings.Contains(got, "read blocked") {
		t.Errorf("records behind a link: %q", got)
	}
}

// run passes on what the tool run passes on, and gives the same.
func TestWBRun(t *testing.T) {
	book := "#+name: in\n: 2\n* Sum\n#+name: sum\n| 1 |\n| 2 |\n"
	_, tree := workdir(t, map[string]string{"sub/book.org": book, "n.json": "[1]"})
	var passed []string
	pass := func(_ context.Context, name string) tools.Held {
		passed = append(passed, name)
		return tools.Held{}
	}
	cache := func(string) *workbook.Cache { return nil }
	wb := tools.Bench{Table: app.ForAgents{}, Tree: tree, Cache: cache, Pass: pass}.WB()
	run := tools.Bench{Table: app.ForAgents{}, Tree: tree, Cache: cache, Pass: pass}.Workbooks()
	want := call(t, run, map[string]any{"workbook": "sub/book.org"})
	for _, args := range []string{"run sub/book.org", "run ./sub/book.org --no-write"} {
		if got := call(t, wb, map[string]any{"args": args}); got != want || strings.HasPrefix(got, "!") {
			t.Errorf("%s gave %q, the tool %q", args, got, want)
		}
	}
	if !slices.Equal(passed, []string{"sub/book.org", "sub/book.org", "sub/book.org"}) {
		t.Errorf("it was passed on to %v", passed)
	}
	for args, want := range map[string]string{
		"run":                                   "no file",
		"run ../x.org":                          "read blocked",
		"run 'count the headings'":              "no such file",
		"run sub/book.org --grant net:x":        "unknown flag --grant",
		"run sub/book.org --set x":              "--set takes NAME=VALUE",
		"run sub/book.org --set x=@/etc/passwd": "read blocked",
	} {
		if got := call(t, wb, map[string]any{"args": args}); !strings.HasPrefix(got, "! wb run error: ") || !strings.Contains(got, want) {
			t.Errorf("%s gave %q, want %q", args, got, want)
		}
	}
}

// withVariables is a tree with the variables of ada.
func withVariables(tree *agent.Tree, vars *store.Store) tools.Bench {
	b := bench(tree)
	b.Variables = func() (*store.Store, string) { return vars, "ada" }
	return b
}
