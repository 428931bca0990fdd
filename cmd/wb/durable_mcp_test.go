package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/mcptools"
	"wb/internal/test/llmtest"
)

// noted is an MCP server that writes down what it is told to, and by which key.
type noted struct {
	mu       sync.Mutex
	made     map[string]int             // how often each note was made
	keys     map[string]map[string]bool // the idempotency keys of each
	under    sync.WaitGroup             // calls under way
	received int
}

// notes is how many notes a run makes, kills how often it is killed.
const (
	notes = 20
	kills = 2
)

// serve offers a tool that does its work at some time of its call, whoever has died
// since.
func (n *noted) serve(t *testing.T, random *rand.Rand) string {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	type in struct {
		Name string `json:"name"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add"}, func(_ context.Context, r *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
		n.mu.Lock()
		n.received++
		n.under.Add(1)
		before, after := time.Duration(random.IntN(3000))*time.Microsecond, time.Duration(random.IntN(3000))*time.Microsecond
		n.mu.Unlock()
		defer n.under.Done()
		time.Sleep(before)
		n.mu.Lock()
		n.made[in.Name]++
		if n.keys[in.Name] == nil {
			n.keys[in.Name] = map[string]bool{}
		}
		n.keys[in.Name][fmt.Sprint(r.Params.Meta[mcptools.KeyMeta])] = true
		n.mu.Unlock()
		time.Sleep(after)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted"}}}, nil, nil
	})
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { listening.CloseClientConnections(); listening.Close() })
	return listening.URL
}

// has reports whether a note was made, when no call is under way any longer.
func (n *noted) has(name string) bool {
	n.under.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.made[name] > 0
}

func (n *noted) calls() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.received
}

var notedName = regexp.MustCompile(`note-\d+`)

// A run of calls to an MCP server that is killed twice makes none twice unasked. A
// person who is asked looks whether the note is there.
func TestKillMCP(t *testing.T) {
	wb := crashable(t)
	for seed := range killedRuns {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(seed), 17))
			n := &noted{made: map[string]int{}, keys: map[string]map[string]bool{}}
			c := newNotesBench(t, wb, n.serve(t, random))
			first, second := 1+random.IntN(notes/2), notes/2+1+random.IntN(notes/2-3)
			args, asked := []string{"--json", "agent", "run", "team.org#waldo", "go", "--no-wait"}, 0
			var result *agent.Result
			for killed := 0; ; {
				at := notes + 1
				if killed < kills {
					at = []int{first, second}[killed]
				}
				out, died := c.until(func() bool { return n.calls() >= at }, time.Duration(random.IntN(8000))*time.Microsecond, args...)
				run, _ := c.journal()
				args = []string{"--json", "agent", "resume", run}
				if died {
					killed++
					continue
				}
				if result = c.result(out); !strings.Contains(result.Result, "waiting for approval") {
					if killed < kills {
						t.Errorf("killed %d times", killed)
					}
					break
				}
				asked += c.decide(n)
			}
			if result.Status != agent.StatusDone {
				t.Fatalf("%s: %s", result.Status, result.Result)
			}
			keys := map[string]bool{}
			for i := range notes {
				name := fmt.Sprintf("note-%d", i)
				if n.made[name] != 1 || len(n.keys[name]) != 1 {
					t.Errorf("%s was made %d times, with %d keys", name, n.made[name], len(n.keys[name]))
				}
				for key := range n.keys[name] {
					keys[key] = true
				}
			}
			if len(keys) != notes || keys["<nil>"] {
				t.Errorf("the notes have %d keys: %v", len(keys), keys)
			}
			t.Logf("killed after calls %d and %d, asked %d times, %d calls received", first, second, asked, n.received)
		})
	}
}

// newNotesBench is a run of an agent that makes notes, four a turn.
func newNotesBench(t *testing.T, wb, server string) *crashBench {
	t.Helper()
	c := &crashBench{t: t, wb: wb, dir: t.TempDir(), state: t.TempDir()}
	var script []llmtest.Step
	for i := range notes {
		if i%4 == 0 {
			script = append(script, llmtest.Step{})
		}
		last := &script[len(script)-1]
		last.Calls = append(last.Calls, toolCall("mcp_notes_add", map[string]string{"name": fmt.Sprintf("note-%d", i)}))
	}
	script = append(script, llmtest.Step{Calls: []llmtest.Call{toolCall("done", map[string]string{"result": "noted"})}})
	endpoint := httptest.NewServer(llmtest.Answering(func(r llmtest.Request) llmtest.Step {
		turn, _ := r.Turn()
		return script[min(turn, len(script)-1)]
	}))
	t.Cleanup(endpoint.Close)
	c.endpoint = endpoint.URL
	for path, text := range map[string]string{
		filepath.Join(c.state, "wb", "wb.toml"): fmt.Sprintf("[policy]\ntaint = \"allow\"\n[mcp.notes]\nurl = %q\n", server),
		filepath.Join(c.dir, "team.org"):        "* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:MCP: notes\n:END:\nYou note.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// until runs wb and kills it some time after a moment has come; died is false where it
// ended by itself before.
func (c *crashBench) until(moment func() bool, after time.Duration, args ...string) (out *bytes.Buffer, died bool) {
	c.t.Helper()
	command, out, _ := c.command(args...)
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for !moment() {
		select {
		case <-ended:
			return out, false
		case <-time.After(50 * time.Microsecond):
		}
	}
	time.Sleep(after)
	_ = command.Process.Kill() // SIGKILL
	<-ended
	return out, out.Len() == 0
}

// decide answers what waits: what was done shall not be done again. It gives how much
// that was.
func (c *crashBench) decide(n *noted) int {
	c.t.Helper()
	command, out, stderr := c.command("--json", "agent", "approve")
	if err := command.Run(); err != nil {
		c.t.Fatalf("%v\n%s", err, stderr)
	}
	var waiting struct{ Data []approval.Request }
	if err := json.Unmarshal(out.Bytes(), &waiting); err != nil || len(waiting.Data) == 0 {
		c.t.Fatalf("%v: %s", err, out)
	}
	for _, r := range waiting.Data {
		args := []string{"agent", "approve", r.ID}
		if n.has(notedName.FindString(string(r.Args))) {
			args = append(args, "--deny")
		}
		if command, _, stderr := c.command(args...); command.Run() != nil {
			c.t.Fatal(stderr)
		}
	}
	return len(waiting.Data)
}
