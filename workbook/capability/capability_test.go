package capability

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/test/docs"
	"wb/internal/test/lanetest"
	"wb/internal/trace"
	"wb/sandbox/dock/broker"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/workbook"
)

var (
	once     sync.Once
	all      *compile.Registry
	allError error
)

// registry has all lanes, in the environment that tests of a process share.
func registry(t *testing.T) *compile.Registry {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { all, allError = lanes.New(env) })
	if allError != nil {
		t.Fatal(allError)
	}
	return all
}

// bench is a machine with a user on it.
type bench struct {
	*Host
	t      *testing.T
	dir    string // of workbooks
	mu     sync.Mutex
	events []trace.Event
	listen func(trace.Event) // hears events as they come, may be nil
}

func newBench(t *testing.T) *bench {
	t.Helper()
	registry(t)
	lanetest.Need(t, lanetest.Env(t), "quickjs", "python", "clang", "toolbox", "shell")
	b := &bench{t: t, dir: t.TempDir()}
	b.Host = &Host{Tenant: "default", StateDir: t.TempDir(), Grants: grants.Open(t.TempDir(), nil),
		Seal:     func() ([]byte, error) { return make([]byte, 32), nil },
		Readable: func(r *netbroker.Reply) string { return "page: " + string(r.Body) },
		Complete: func(_ context.Context, prompt string) (broker.Completion, error) {
			return broker.Completion{Text: "answer to " + prompt, Tokens: 10}, nil
		}}
	t.Cleanup(func() { b.Close() })
	return b
}

// web puts one server in the place of the public internet.
func (b *bench) web(handler http.HandlerFunc) {
	server := httptest.NewTLSServer(handler)
	b.t.Cleanup(server.Close)
	b.Net = netbroker.Config{TLS: server.Client().Transport.(*http.Transport).TLSClientConfig,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}}
}

// run runs a workbook and gives its text afterwards.
func (b *bench) run(name, text string, granted ...string) (string, *workbook.Report) {
	b.t.Helper()
	all := registry(b.t)
	file := filepath.Join(b.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	opts := workbook.Options{Book: workbook.BookAt(file, nil, all), Authority: workbook.Authority{Grants: granted}, Listeners: workbook.Listeners{Trace: trace.SinkFunc(func(e trace.Event) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
		if b.listen != nil {
			b.listen(e)
		}
		return nil
	})}}
	finish, err := b.Prepare(&opts, workbook.NewPlan(file, []byte(text)))
	if err != nil {
		b.t.Fatal(err)
	}
	report, err := workbook.Run(b.t.Context(), opts)
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	if err := finish(b.t.Context()); err != nil {
		b.t.Error(err)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(after), report
}

// denials are the events of that kind, as TOOL: ERROR.
func (b *bench) denials() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for _, e := range b.events {
		if e.Kind == trace.KindDenial {
			list = append(list, e.Component+" "+e.Tool+": "+e.Error)
		}
	}
	return list
}

// TestDocumentation runs the examples of docs/sandbox.org: with the grants their
// command lines give, they have the results that stand there.
func TestDocumentation(t *testing.T) {
	blocks, err := docs.Blocks("../../docs/sandbox.org")
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var granted []string
	examples := 0
	b := newBench(t)
	b.web(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.Method, body)
	})
	variables := func(name string, kind store.VarKind, value string) {
		if err := b.Variables().SetVar(t.Context(), "default", name, kind, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range blocks {
		if text := block.Body; block.Lang == "org" {
			examples++
			if got, report := b.run(name, text, granted...); got != text {
				t.Errorf("%s with %v gives\n%s", name, granted, got)
				if failed := report.Failed(); failed != nil {
					t.Error(failed.Err)
				}
			}
			continue
		}
		for line := range strings.Lines(block.Body) {
			words := strings.Fields(line)
			switch {
			case len(words) > 2 && words[1] == "run":
				name, granted = words[2], nil
				for j, w := range words {
					if w == "--grant" {
						granted = append(granted, words[j+1])
					}
				}
			case len(words) > 4 && words[1] == "var" && words[4] == "--secret":
				variables(words[3], store.Secret, "the secret of the example")
			case len(words) > 4 && words[1] == "var":
				variables(words[3], store.Plain, words[4])
			}
		}
	}
	if examples < 4 {
		t.Errorf("only %d examples", examples)
	}
}

const greedy = `
#+NAME: greedy
#+begin_src js :uses kv :results output
import wb from "wb";
const tries = [() => wb.kv.put("a", "1"), () => wb.queue.push("q", "m"), () => wb.net.get("https://a.test/"), () => wb.secrets.sign("k", "d")];
for (const f of tries) try { f(); console.log("done"); } catch (e) { console.log(e.code); }
#+end_src
`

// TestDenials records everything that was refused, and nothing else.
func TestDenials(t *testing.T) {
	b := newBench(t)
	text, _ := b.run("a.org", greedy)
	if strings.Count(text, ": denied\n") != 4 || len(b.denials()) != 4 {
		t.Errorf("without grants: %q\n%s", b.denials(), text)
	}
	b.events = nil
	text, _ = b.run("a.org", greedy, "kv", "queue", "net", "secrets")
	want := []string{"greedy queue.push: queue is not granted", "greedy net.get: net is not granted", "greedy secrets.sign: secrets is not granted"}
	if !strings.Contains(text, ": done\n: denied\n: denied\n: denied\n") || !slices.Equal(b.denials(), want) {
		t.Errorf("granted more than it asks for: %q\n%s", b.denials(), text)
	}
	uses, err := b.Variables().Uses(t.Context())
	if err != nil || len(uses) != 4 {
		t.Errorf("%+v %v", uses, err)
	}
	for _, u := range uses {
		if u.Capability == "kv" && (u.Calls != 1 || u.Denied != 1) || u.Capability == "net" && u.Denied != 2 {
			t.Errorf("%+v", u)
		}
	}
}

// TestImports: a compiled program that imports what was not granted does not
// start, and is told what to do.
func TestImports(t *testing.T) {
	b := newBench(t)
	const book = "#+NAME: c\n#+begin_src C :uses kv :includes <stdio.h> <wb.h> :results output\nputs(\"started\");\nwb_free(wb_kv_get(\"a\"));\n#+end_src\n"
	text, report := b.run("c.org", book)
	failed := report.Failed()
	if failed == nil || strings.Contains(text, ": started") || !strings.Contains(failed.Err.Error(), "capability kv not granted") {
		t.Errorf("%v\n%s", failed, text)
	}
	if text, _ = b.run("c.org", book, "kv"); !strings.Contains(text, ": started") {
		t.Error("granted:", text)
	}
}

// TestTrust grants for good, until the code changes or it is taken back.
func TestTrust(t *testing.T) {
	b := newBench(t)
	const book = "Prose.\n\n#+NAME: n\n#+begin_src js :uses kv :results output\nimport { kv } from 'wb';\ntry { kv.put('a', ''); console.log('done'); } catch (e) { console.log(e.code); }\n#+end_src\n"
	granted := func(text string) bool {
		t.Helper()
		after, _ := b.run("t.org", text)
		return strings.Contains(after, ": done")
	}
	if granted(book) {
		t.Error("granted to everybody")
	}
	file := filepath.Join(b.dir, "t.org")
	plan := workbook.NewPlan(file, []byte(book))
	if asks := workbook.Asks(plan); !slices.Equal(asks, []string{"kv"}) {
		t.Error(asks)
	}
	if _, err := b.Grants.Trust(workbook.ProgramDigest(plan), file, []string{"kv"}); err != nil {
		t.Fatal(err)
	}
	if !granted(book) {
		t.Error("not granted after wb trust")
	}
	if !granted(strings.Replace(book, "Prose.", "Other prose.", 1) + "\n#+RESULTS: n\n: old\n") {
		t.Error("prose and results change the trust")
	}
	for _, change := range [][2]string{{"'a', ''", "'b', ''"}, {":uses kv", ":uses kv :var x=1"}, {"NAME: n", "NAME: m"}} {
		if granted(strings.Replace(book, change[0], change[1], 1)) {
			t.Errorf("still granted after %q", change)
		}
	}
	if !granted(book) {
		t.Error("not granted after the change was undone")
	}
	if _, err := b.Grants.Revoke(file, "kv"); err != nil {
		t.Fatal(err)
	}
	if granted(book) {
		t.Error("granted after it was taken back")
	}
	if after, _ := b.run("t.org", book, "kv"); !strings.Contains(after, ": done") {
		t.Error("a grant after the revocation does not count")
	}
}

// TestRevokeUnderWay takes a grant back while a block uses it.
func TestRevokeUnderWay(t *testing.T) {
	b := newBench(t)
	requests := 0
	b.web(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests == 2 {
			if _, err := b.Grants.Revoke(filepath.Join(b.dir, "r.org"), "net"); err != nil {
				t.Error(err)
			}
		}
		fmt.Fprint(w, "page")
	})
	text, _ := b.run("r.org", "#+begin_src js :uses net kv :results output\nimport { net, kv } from 'wb';\nfor (let i = 0; i < 4; i++) try { console.log(i, net.get('https://api.example.com/')); } catch (e) { console.log(i, e.code, e.message.includes('revoked')); }\nkv.put('a', '1'); console.log(kv.get('a'));\n#+end_src\n", "net", "kv")
	if !strings.Contains(text, ": 0 page\n") || !strings.Contains(text, ": 2 denied true\n: 3 denied true\n: 1\n") || requests != 2 {
		t.Errorf("%d requests\n%s", requests, text)
	}
}

// TestModelAndPages asks the model and fetches a page, within the run's budget.
func TestModelAndPages(t *testing.T) {
	b := newBench(t)
	b.TokenBudget = 15
	b.web(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<p>hello") })
	text, _ := b.run("m.org", "#+begin_src python :uses llm browse :results output\nimport wb\nprint(wb.browse.fetch('https://api.example.com/'))\nprint(wb.llm.complete('one'), wb.llm.complete('two'))\ntry:\n    wb.llm.complete('three')\nexcept wb.Error as e:\n    print(e.code)\n#+end_src\n", "llm", "browse")
	if !strings.Contains(text, ": page: <p>hello\n: answer to one answer to two\n: limit\n") {
		t.Error(text)
	}
}

// TestProjects keeps the stores of two directories apart, and tmp for a run.
func TestProjects(t *testing.T) {
	b := newBench(t)
	const book = "#+begin_src sh :uses kv vfs :results output\nwb kv get a || echo none\nwb vfs read tmp:a || echo none\necho 1 | wb kv put a\necho 1 | wb vfs write tmp:a\n#+end_src\n"
	if text, _ := b.run("p.org", book, "kv"); !strings.Contains(text, ": none\n: none\n") {
		t.Error("first:", text)
	}
	if text, _ := b.run("p.org", book, "kv"); !strings.Contains(text, ": 1\n: none\n") {
		t.Error("again:", text)
	}
	b.dir = t.TempDir()
	if text, _ := b.run("p.org", book, "kv"); !strings.Contains(text, ": none\n: none\n") {
		t.Error("elsewhere:", text)
	}
}

// TestFilesOfTheHost: volumes are not files of the directory, and names that the
// host keeps cannot be written by a block in any way.
func TestFilesOfTheHost(t *testing.T) {
	b := newBench(t)
	b.run("h.org", "#+begin_src js :uses vfs :results output\nimport { vfs } from 'wb';\nconst fs = require('fs');\nvfs.write('events.org', 'forged'); vfs.write('.wb/x', 'forged');\nfor (const f of ['events.org', '_ledger.json', 'wb.toml', 'approvals.org', '.git/config']) try { fs.writeFileSync(f, 'forged'); } catch (e) { console.log(e.code); }\n#+end_src\n")
	for _, name := range []string{"events.org", "_ledger.json", "wb.toml", "approvals.org", ".git/config", ".wb/x"} {
		if data, err := os.ReadFile(filepath.Join(b.dir, name)); err == nil && strings.Contains(string(data), "forged") {
			t.Errorf("%s was written", name)
		}
	}
}
