package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"wb/sandbox/dock"
	"wb/sandbox/dock/store"
	"wb/sandbox/netbroker"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s := store.Open(store.Config{Dir: t.TempDir(), Seal: func() ([]byte, error) { return make([]byte, 32), nil }})
	t.Cleanup(func() { s.Close() })
	return s
}

// ask makes a call and answers with its body, "(none)" or the code of its error.
func ask(t *testing.T, d *dock.Dock, operation string, args ...string) string {
	t.Helper()
	data := make([][]byte, len(args))
	for i, a := range args {
		data[i] = []byte(a)
	}
	reply, err := d.Call(t.Context(), operation, data...)
	var e *dock.Error
	switch {
	case errors.As(err, &e):
		return e.Code + ": " + e.Message
	case err != nil:
		return "error: " + err.Error()
	case !reply.Found:
		return "(none)"
	}
	return string(reply.Body)
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) || want == "" && got != "" {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStores(t *testing.T) {
	s := open(t)
	p := dock.Principal{Tenant: "t"}
	d := dock.New(dock.Config{Principal: p, Granted: []string{"kv:a*", "queue", "vfs", "vars:open", "secrets:key"},
		Brokers: map[string]dock.Broker{"kv": KV(s), "queue": Queue(s), "vfs": VFS(s), "vars": Vars(s), "secrets": Secrets(s, nil)}})
	if err := s.SetVar(t.Context(), "t", "open", store.Plain, []byte("value")); err != nil {
		t.Fatal(err)
	}
	if err := s.SetVar(t.Context(), "t", "key", store.Secret, []byte("canary")); err != nil {
		t.Fatal(err)
	}
	expect(t, ask(t, d, "kv.get", "a"), "(none)")
	expect(t, ask(t, d, "kv.put", "a", "1"), "")
	expect(t, ask(t, d, "kv.get", "a"), "1")
	expect(t, ask(t, d, "kv.put", "b", "1"), "denied")
	expect(t, ask(t, d, "kv.delete", "b"), "denied")
	expect(t, ask(t, d, "kv.list", ""), `["a"]`)
	expect(t, ask(t, d, "kv.put", "a\x00", "1"), "invalid")
	expect(t, ask(t, d, "kv.delete", "a"), "")
	expect(t, ask(t, d, "queue.pop", "q"), "(none)")
	expect(t, ask(t, d, "queue.push", "q", "m"), "")
	expect(t, ask(t, d, "queue.length", "q"), "1")
	expect(t, ask(t, d, "queue.pop", "q"), "m")
	expect(t, ask(t, d, "vfs.read", "x"), "(none)")
	expect(t, ask(t, d, "vfs.write", "memory:x", "m"), "")
	expect(t, ask(t, d, "vfs.read", "memory:x"), "m")
	expect(t, ask(t, d, "vfs.write", "../x", "m"), "invalid")
	expect(t, ask(t, d, "vfs.list", "memory:"), `["memory:x"]`)
	expect(t, ask(t, d, "vfs.query", "SELECT content FROM vfs"), `{"columns":["content"],"rows":[["m"]]}`)
	expect(t, ask(t, d, "vfs.query", "DELETE FROM vfs"), "invalid")
	expect(t, ask(t, d, "vfs.remove", "memory:x"), "")
	expect(t, ask(t, d, "vars.get", "open"), "value")
	expect(t, ask(t, d, "vars.get", "key"), "denied")
	expect(t, ask(t, d, "vars.list"), `["open"]`)
	expect(t, ask(t, d, "secrets.sign", "key", "data"), "LYWdKvNCYUtEy1WOyQC7TeBzr6EjAvZfLjg8dPrq6eo=")
	expect(t, ask(t, d, "secrets.sign", "other", "data"), "denied")
	expect(t, ask(t, d, "secrets.public", "key"), "notfound")
}

// TestReadSecret: a secret that is in the scope of vars is not read either.
func TestReadSecret(t *testing.T) {
	s := open(t)
	if err := s.SetVar(t.Context(), "t", "key", store.Secret, []byte("canary")); err != nil {
		t.Fatal(err)
	}
	d := dock.New(dock.Config{Principal: dock.Principal{Tenant: "t"}, Granted: []string{"vars", "secrets"}, Brokers: map[string]dock.Broker{"vars": Vars(s), "secrets": Secrets(s, nil)}})
	expect(t, ask(t, d, "vars.get", "key"), "denied: key is a secret")
	expect(t, ask(t, d, "vars.list"), "[]")
}

func TestModel(t *testing.T) {
	asked := 0
	complete := func(_ context.Context, prompt string) (Completion, error) {
		asked++
		return Completion{Text: "re: " + prompt, Tokens: 60}, nil
	}
	d := dock.New(dock.Config{Granted: []string{"llm"}, Brokers: map[string]dock.Broker{"llm": LLM(complete, 100)}})
	expect(t, ask(t, d, "llm.complete", "a"), "re: a")
	expect(t, ask(t, d, "llm.complete", strings.Repeat("x", 160)), "limit: llm: the budget")
	expect(t, ask(t, d, "llm.complete", strings.Repeat("x", 156)), "re: x")
	expect(t, ask(t, d, "llm.complete", "a"), "limit")
	if asked != 2 {
		t.Errorf("the model was asked %d times", asked)
	}
}

func TestCommands(t *testing.T) {
	var running, most atomic.Int64
	run := func(_ context.Context, name string, args []string, input []byte) (Output, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if string(input) == "fail" {
			return Output{Stderr: "no\n", Exit: 3}, nil
		}
		return Output{Stdout: fmt.Appendf(nil, "%s %q %s", name, args, input)}, nil
	}
	d := dock.New(dock.Config{Granted: []string{"commands", "parallel"}, Brokers: map[string]dock.Broker{"commands": Commands([]string{"tr"}, run, 4, NewCounter(MaxRunning))}})
	expect(t, ask(t, d, "commands.run", "tr", "x", `["a","b"]`), `tr ["a" "b"] x`)
	expect(t, ask(t, d, "commands.run", "tr", "x", ""), `tr [] x`)
	expect(t, ask(t, d, "commands.run", "tr", "x", `[1]`), "invalid")
	expect(t, ask(t, d, "commands.run", "tr", "fail", ""), "failed: tr exited with 3: no")
	expect(t, ask(t, d, "commands.run", "sh", "x", ""), "notfound")
	expect(t, ask(t, d, "commands.many", "tr", `["a","fail"]`, ""), `[{"output":"tr [] a"},{"error":"tr exited with 3: no"}]`)
	at, _ := json.Marshal(make([]string, maxInputs))
	over, _ := json.Marshal(make([]string, maxInputs+1))
	expect(t, ask(t, d, "commands.many", "tr", string(at), ""), `[{"output"`)
	expect(t, ask(t, d, "commands.many", "tr", string(over), ""), "limit")
	if most.Load() > 4 {
		t.Errorf("%d ran at once", most.Load())
	}
	narrow := dock.New(dock.Config{Granted: []string{"commands:jq"}, Brokers: map[string]dock.Broker{"commands": Commands([]string{"tr", "jq"}, run, 1, NewCounter(MaxRunning))}})
	expect(t, ask(t, narrow, "commands.run", "tr", "x", ""), "denied")
	expect(t, ask(t, narrow, "commands.run", "jq", "x", ""), "jq")
	expect(t, ask(t, narrow, "commands.many", "jq", "[]", ""), "denied") // parallel is another capability
}

// netDock is a dock with a net whose hosts are all one server on loopback.
func netDock(t *testing.T, s *store.Store, handler http.HandlerFunc, granted ...string) *dock.Dock {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	config := netbroker.Config{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	for _, text := range granted {
		if rest, ok := strings.CutPrefix(text, "net:"); ok {
			g, err := netbroker.ParseGrant(rest)
			if err != nil {
				t.Fatal(err)
			}
			config.Allow = append(config.Allow, g)
		}
	}
	allowed := func(capability, name string) bool {
		return slices.Contains(granted, capability) || slices.Contains(granted, capability+":"+name)
	}
	return dock.New(dock.Config{Principal: dock.Principal{Tenant: "t"}, Granted: granted,
		Brokers: map[string]dock.Broker{"net": Net(netbroker.New(config), Templates(s, allowed, nil).Expand)}})
}

// TestSecretsInRequests sends a secret where it may go, and looks for it where
// it may not.
func TestSecretsInRequests(t *testing.T) {
	const canary = "canary/+\"s3cret"
	s := open(t)
	if err := s.SetVar(t.Context(), "t", "TOKEN", store.Secret, []byte(canary)); err != nil {
		t.Fatal(err)
	}
	if err := s.SetVar(t.Context(), "t", "region", store.Plain, []byte("eu")); err != nil {
		t.Fatal(err)
	}
	var auth, body string
	echo := func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		auth, body = r.Header.Get("Authorization"), string(data)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://other.test/", http.StatusTemporaryRedirect)
			return
		}
		quoted, _ := json.Marshal(auth)
		w.Header().Set("X-Echo", auth)
		fmt.Fprintf(w, "%s %s %s %x %s", auth, body, quoted, auth, store.Encode([]byte("Bearer "+canary+" and more")))
	}
	const options = `{"method":"POST","headers":{"Authorization":"Bearer {{secret:TOKEN}}"},"body":"{{var:region}} {{secret:TOKEN}} {{secret:NOPE}}"}`
	fetch := func(url string, granted ...string) string {
		auth, body = "", ""
		answer := ask(t, netDock(t, s, echo, granted...), "net.fetch", url, options)
		for _, form := range []string{canary, `canary/+\"s3cret`, string(store.Encode([]byte(canary)))[:12], fmt.Sprintf("%x", canary), "Y2FuYXJ5"} {
			if strings.Contains(answer, form) {
				t.Errorf("%v: the guest reads %q in %s", granted, form, answer)
			}
		}
		return answer
	}
	got := fetch("http://api.test/", "net:http://api.test", "secrets", "vars")
	if auth != "Bearer "+canary || body != "eu "+canary+" {{secret:NOPE}}" || !strings.Contains(got, "[secret]") {
		t.Errorf("sent %q %q, answered %s", auth, body, got)
	}
	fetch("http://api.test/", "net:http://api.test", "secrets:OTHER")
	if auth != "Bearer {{secret:TOKEN}}" || !strings.HasPrefix(body, "{{var:region}}") {
		t.Errorf("without a grant for the secret: sent %q %q", auth, body)
	}
	if got := fetch("http://api.test/", "net:http://*", "secrets", "vars"); !strings.HasPrefix(got, "denied: the secret TOKEN is sent only to hosts that a grant names") || auth != "" {
		t.Error("to a host that no grant names:", got, auth)
	}
	if got := fetch("http://api.test/away", "net:http://api.test", "net:http://other.test", "secrets", "vars"); !strings.Contains(got, "denied") || !strings.Contains(auth, canary) {
		t.Error("a redirect to another origin:", got)
	}
	// The URL is not a place for a secret: it would be in logs everywhere.
	answer := ask(t, netDock(t, s, echo, "net:http://api.test", "secrets"), "net.get", "http://api.test/?k={{secret:TOKEN}}")
	if strings.Contains(answer, canary) {
		t.Error("in the URL:", answer)
	}
}

func TestNet(t *testing.T) {
	d := netDock(t, open(t), func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bytes":
			w.Write([]byte{0xff})
		case "/missing":
			w.WriteHeader(404)
		default:
			fmt.Fprint(w, r.Method)
		}
	}, "net:http://api.test")
	expect(t, ask(t, d, "net.get", "http://api.test/"), "GET")
	expect(t, ask(t, d, "net.get", "http://api.test/missing"), "failed: net.get: HTTP 404")
	expect(t, ask(t, d, "net.get", "http://other.test/"), "denied")
	expect(t, ask(t, d, "net.fetch", "http://api.test/missing", ""), `{"headers":`)
	if got := ask(t, d, "net.fetch", "http://api.test/bytes", `{"method":"GET"}`); !strings.Contains(got, `"base64":"/w=="`) {
		t.Error(got)
	}
	expect(t, ask(t, d, "net.fetch", "http://api.test/", `{"headers":{"X":1}}`), "invalid")
	expect(t, ask(t, d, "net.fetch", "http://127.0.0.1/", ""), "denied")
}
