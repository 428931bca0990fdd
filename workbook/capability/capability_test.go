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
	"strings"
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/lanetest"
	"wb/sandbox/dock/broker"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/trace"
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
	opts := workbook.Options{File: file, Lanes: all, Grants: granted, Cache: workbook.CacheBeside(file), Trace: trace.SinkFunc(func(e trace.Event) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
		return nil
	})}
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

// TestDocumentation runs the examples of docs/sandbox.md: with the grants their
// command lines give, they have the results that stand there.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile("../../docs/sandbox.md")
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
	for i, part := range strings.Split(string(data), "```") {
		if i%2 == 0 {
			continue
		}
		if text, ok := strings.CutPrefix(part, "org\n"); ok {
			examples++
			if got, report := b.run(name, text, granted...); got != text {
				t.Errorf("%s with %v gives\n%s", name, granted, got)
				if failed := report.Failed(); failed != nil {
					t.Error(failed.Err)
				}
			}
			continue
		}
		for line := range strings.Lines(part) {
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
