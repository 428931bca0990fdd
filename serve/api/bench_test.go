package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/identity"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/serve/api"
)

const team = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: vfs_write vfs_read file_issue
:END:
You write.
`

// bench is a machine with a model and directories for tenants.
type bench struct {
	t      *testing.T
	config api.Config
	server *api.Server
	http   *httptest.Server
}

// with changes a config before the server starts.
type with func(*api.Config)

const (
	adaToken = "ada-token-0123456789"
	bobToken = "bob-token-0123456789"
)

// newBench starts a server for ada and bob whose model answers with a function.
func newBench(t *testing.T, answer func(llmtest.Request) llmtest.Step, changes ...with) *bench {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	model := llmtest.Func(t, answer)
	b := &bench{t: t, config: api.Config{State: t.TempDir(), Lanes: registry, Version: "test", Schedules: false,
		Warn: func(err error) { t.Logf("warning: %v", err) },
		Identity: func(tenant string) (identity.Key, error) {
			seed := [32]byte{}
			copy(seed[:], tenant)
			return identity.FromSeed(seed[:])
		},
		Runtime: func(api.Tenant) *host.Runtime { return agents(env, registry, model.URL) }}}
	for name, token := range map[string]string{"ada": adaToken, "bob": bobToken} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "team.org"), team)
		b.config.Tenants = append(b.config.Tenants, api.Tenant{Name: name, Dir: dir, Token: token, Exec: name == "ada"})
	}
	for _, change := range changes {
		change(&b.config)
	}
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

func agents(env *compile.Env, registry *compile.Registry, model string) *host.Runtime {
	return &host.Runtime{Env: env, Lanes: registry, Table: app.ForAgents{}, Getenv: func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": model, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) start() {
	b.t.Helper()
	server, err := api.New(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	b.server = server
	b.http = httptest.NewServer(server.Handler())
}

// stop ends the server as a signal does.
func (b *bench) stop() {
	b.server.Close()
	b.http.Close()
}

// dir is the directory of a tenant.
func (b *bench) dir(tenant string) string {
	for _, t := range b.config.Tenants {
		if t.Name == tenant {
			return t.Dir
		}
	}
	b.t.Fatal("no tenant " + tenant)
	return ""
}

// call makes a request as the owner of a token and gives the status and the
// answer.
func (b *bench) call(token, method, path string, body any) (int, map[string]any) {
	b.t.Helper()
	status, _, text := b.raw(token, method, path, body)
	var got map[string]any
	if len(text) > 0 && json.Unmarshal(text, &got) != nil {
		b.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return status, got
}

func (b *bench) raw(token, method, path string, body any) (int, http.Header, []byte) {
	b.t.Helper()
	var text []byte
	switch v := body.(type) {
	case nil:
	case string:
		text = []byte(v)
	default:
		text, _ = json.Marshal(v)
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.http.URL+path, bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, response.Header, text
}

// run starts a run of ada's.
func (b *bench) run(q map[string]any) string {
	b.t.Helper()
	status, got := b.call(adaToken, "POST", "/api/run", q)
	if status != http.StatusAccepted || got["status"] != "running" {
		b.t.Fatalf("POST /api/run: %d %v", status, got)
	}
	return got["id"].(string)
}

// ended waits for the end of a run by reading its stream, and gives how it stands.
func (b *bench) ended(id string) map[string]any {
	b.t.Helper()
	b.frames(id, 0)
	status, got := b.call(adaToken, "GET", "/api/run/"+id, nil)
	if status != http.StatusOK {
		b.t.Fatalf("GET run: %d %v", status, got)
	}
	return got
}

// frames reads a stream to its end.
func (b *bench) frames(id string, after int) []api.Frame {
	b.t.Helper()
	status, _, text := b.raw(adaToken, "GET", fmt.Sprintf("/api/run/%s/stream?after=%d", id, after), nil)
	if status != http.StatusOK {
		b.t.Fatalf("stream: %d %s", status, text)
	}
	return parseEvents(b.t, text)
}

// parseEvents reads server-sent events and checks their form.
func parseEvents(t testing.TB, text []byte) []api.Frame {
	t.Helper()
	var all []api.Frame
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		var f api.Frame
		id, name := 0, ""
		for line := range strings.SplitSeq(block, "\n") {
			key, rest, _ := strings.Cut(line, ": ")
			switch key {
			case "id":
				fmt.Sscan(rest, &id)
			case "event":
				name = rest
			case "data":
				if err := json.Unmarshal([]byte(rest), &f); err != nil {
					t.Fatalf("%s: %v", rest, err)
				}
			}
		}
		if name == "" {
			continue // a comment
		}
		if f.N != id || name != f.Type && !(name == "failed" && f.Type == "error") {
			t.Fatalf("event %s with id %d tells %+v", name, id, f)
		}
		all = append(all, f)
	}
	return all
}

func step(tool string, args map[string]string) llmtest.Step {
	text, _ := json.Marshal(args)
	return llmtest.Step{Text: "I call " + tool + ".", Calls: []llmtest.Call{{Name: tool, Args: string(text)}}, In: 10, Out: 5}
}

// scribe writes a file named by the task, reads it back and is done.
func scribe(r llmtest.Request) llmtest.Step {
	turn, task := r.Turn()
	name := strings.Fields(task)[0] + ".txt"
	switch turn {
	case 0:
		return step("vfs_write", map[string]string{"path": name, "content": task})
	case 1:
		return step("vfs_read", map[string]string{"path": name})
	}
	return step("done", map[string]string{"result": "wrote " + name})
}

// types are the kinds of frames in their order, without the model's words.
func types(frames []api.Frame) string {
	var all []string
	for _, f := range frames {
		if f.Type != "delta" {
			all = append(all, f.Type)
		}
	}
	return strings.Join(all, " ")
}

const scribeTypes = "subscribed thinking tool_start step thinking tool_start step thinking tool_start step done"
