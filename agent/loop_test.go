package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wb/agent"
	"wb/agent/llm"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

// function is a tool made of a function.
type function struct {
	name     string
	readOnly bool
	call     func(ctx context.Context, args agent.Args) (agent.Output, error)
}

func (f function) Spec() agent.ToolSpec {
	return agent.ToolSpec{Name: f.name, Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}
}
func (f function) ReadOnly() bool { return f.readOnly }
func (f function) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	return f.call(ctx, args)
}

// echo says what it is given, done ends the run with it.
var echo = function{"echo", true, func(_ context.Context, a agent.Args) (agent.Output, error) {
	return agent.Output{Text: a.Text("text")}, nil
}}

var done = function{"done", true, func(_ context.Context, a agent.Args) (agent.Output, error) {
	return agent.Output{Text: a.Text("text"), Done: true}, nil
}}

// run runs an agent against a scripted endpoint.
func run(t *testing.T, change func(*agent.Options), script ...llmtest.Step) (*agent.Result, *llmtest.Server) {
	t.Helper()
	server := llmtest.New(t, script...)
	client, err := llm.New(llm.Config{BaseURL: server.URL, Key: "canary-key-1234", Retries: 2, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	d := agent.Default()
	d.Bounds, d.Model = agent.Bounds{Steps: 3}, "m"
	opts := agent.Options{Agent: d, Task: "do it", Model: client, Tools: []agent.Tool{echo, done}, RunID: "r1"}
	if change != nil {
		change(&opts)
	}
	return agent.Run(context.Background(), opts), server
}

func say(text string) llmtest.Step { return llmtest.Step{Text: text} }

func call(names ...string) llmtest.Step {
	var s llmtest.Step
	for _, name := range names {
		name, text, _ := strings.Cut(name, " ")
		args, _ := json.Marshal(map[string]string{"text": text})
		s.Calls = append(s.Calls, llmtest.Call{Name: name, Args: string(args)})
	}
	return s
}

// Every way a run ends, and every failure the model reads.
func TestEndings(t *testing.T) {
	outputs := func(r *agent.Result) string {
		var all []string
		for _, e := range r.Events {
			all = append(all, e.Output)
		}
		return strings.Join(all, "|")
	}
	schema, err := agent.NewSchema([]byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	slow := function{"slow", false, func(ctx context.Context, _ agent.Args) (agent.Output, error) {
		<-ctx.Done()
		return agent.Output{}, ctx.Err()
	}}
	broken := function{"broken", false, func(context.Context, agent.Args) (agent.Output, error) { panic("oh") }}
	silent := function{"note", true, func(context.Context, agent.Args) (agent.Output, error) { return agent.Output{Silent: true}, nil }}
	for _, c := range []struct {
		name                   string
		change                 func(*agent.Options)
		script                 []llmtest.Step
		status, result, output string
	}{
		{"text", nil, []llmtest.Step{say("the answer")}, "text", "the answer", ""},
		{"done", nil, []llmtest.Step{call("echo one", "echo two"), call("done ready")}, "done", "ready", "one|two|ready"},
		{"steps with a conclusion", nil, []llmtest.Step{call("echo 1"), call("echo 2"), call("echo 3"), say("so far: 3")}, "max_steps", "so far: 3", "1|2|3"},
		{"steps, literally", func(o *agent.Options) { o.Agent.WrapUp = agent.WrapUpNone }, []llmtest.Step{call("echo 1"), call("echo 2"), call("echo 3")}, "max_steps", "stopped: reached max_steps (3)", "1|2|3"},
		{"steps, the latest text", func(o *agent.Options) { o.Agent.WrapUp = agent.WrapUpLast },
			[]llmtest.Step{{Text: "thinking", Calls: call("echo 1").Calls}, call("echo 2"), call("echo 3")}, "max_steps", "thinking", "1|2|3"},
		{"unknown tool", nil, []llmtest.Step{call("nope x"), say("ok")}, "text", "ok", "unknown tool: nope"},
		{"gated tool", nil, []llmtest.Step{call("git x"), say("ok")}, "text", "ok", "git not permitted (no exec capability)"},
		{"malformed arguments", nil, []llmtest.Step{{Calls: []llmtest.Call{{Name: "echo", Args: `{"text":`}}}, say("ok")}, "text", "ok", "echo error: arguments are not a JSON object: unexpected end of JSON input"},
		{"missing argument", nil, []llmtest.Step{{Calls: []llmtest.Call{{Name: "echo", Args: `{}`}}}, say("ok")}, "text", "ok", "echo error: required arg `text` missing or not a string"},
		{"wrong type", nil, []llmtest.Step{{Calls: []llmtest.Call{{Name: "echo", Args: `{"text":3}`}}}, say("ok")}, "text", "ok", "echo error: required arg `text` missing or not a string"},
		{"a tool that fails", func(o *agent.Options) { o.Tools = append(o.Tools, broken) }, []llmtest.Step{call("broken x"), say("ok")}, "text", "ok", "tool error: broken failed: oh"},
		{"all silent", func(o *agent.Options) { o.Tools = append(o.Tools, silent) }, []llmtest.Step{{Text: "noted", Calls: call("note x", "note y").Calls}}, "silent", "noted", "|"},
		{"time over in a tool", func(o *agent.Options) {
			// the turn takes as long as it may need, on a clock that leaves the tool little
			o.Tools = append(o.Tools, slow)
			o.Agent.Bounds.Wall, o.Agent.WrapUp = time.Hour, agent.WrapUpNone
			var ahead time.Duration
			o.Now = func() time.Time { return time.Now().Add(ahead) }
			o.Starting = func(string, int, agent.ToolCall) { ahead = time.Hour - 20*time.Millisecond }
		}, []llmtest.Step{call("slow x")}, "timeout", "stopped: timeout after 3600000 ms", "tool error: slow timed out after 0s (killed)"},
		{"time over in a turn", func(o *agent.Options) { o.Agent.Bounds.Wall, o.Agent.WrapUp = 50*time.Millisecond, agent.WrapUpNone },
			[]llmtest.Step{{Stall: time.Hour, Text: "late"}}, "timeout", "stopped: timeout after 50 ms", ""},
		{"tool calls", func(o *agent.Options) { o.Agent.Bounds.ToolCalls, o.Agent.WrapUp = 1, agent.WrapUpNone },
			[]llmtest.Step{call("echo a"), call("echo b")}, "budget", "stopped: budget tool_calls exhausted (1)", "a"},
		{"tokens", func(o *agent.Options) { o.Agent.Bounds.Tokens, o.Agent.WrapUp = 40, agent.WrapUpNone }, []llmtest.Step{say("x")}, "budget", "stopped: budget tokens exhausted (40)", ""},
		{"dollars without prices", func(o *agent.Options) { o.Agent.Bounds.USD = 1 }, nil, "error", "error: a budget in dollars needs prices: set WB_LLM_PRICE_IN and WB_LLM_PRICE_OUT, in dollars per million tokens", ""},
		{"dollars", func(o *agent.Options) {
			o.Agent.Bounds.USD, o.Prices, o.Agent.WrapUp = 0.0001, agent.Prices{In: 1, Out: 1}, agent.WrapUpNone
		}, []llmtest.Step{say("x")}, "budget", "stopped: budget usd exhausted (0.0001)", ""},
		{"an empty answer", nil, []llmtest.Step{{In: 1, Out: 1}, say("here")}, "text", "here", ""},
		{"an answer that stays empty", nil, []llmtest.Step{{In: 1, Out: 1}, {In: 1, Out: 1}}, "text", "", ""},
		{"a mended answer", func(o *agent.Options) { o.Agent.Output = schema }, []llmtest.Step{say("three"), say("```json\n{\"n\": 3}\n```")}, "text", "```json\n{\"n\": 3}\n```", ""},
		{"an answer that cannot be mended", func(o *agent.Options) { o.Agent.Output = schema }, []llmtest.Step{say("three"), say("3")}, "error", "error: the result does not fit its schema", ""},
		{"a server error that passes", nil, []llmtest.Step{{Status: 500, Body: "oops"}, {Status: 429, RetryAfter: "0", Body: `{"error":{"message":"slow down"}}`}, say("ok")}, "text", "ok", ""},
		{"a server error that stays", nil, []llmtest.Step{{Status: 500}, {Status: 502}, {Status: 503, Body: "no canary-key-1234"}}, "error", "error: the model's endpoint answered 503 Service Unavailable: no [key]", ""},
		{"a refusal", nil, []llmtest.Step{{Status: 401, Body: `{"error":{"message":"bad key canary-key-1234"}}`}}, "error", "error: the model's endpoint answered 401 Unauthorized: bad key [key] (is ", ""},
		{"a cut stream", nil, []llmtest.Step{{Text: "half an answer", Cut: true}, say("whole")}, "text", "whole", ""},
		{"nonsense in the stream", nil, []llmtest.Step{{Raw: "data: {nonsense\n\n"}, say("ok")}, "text", "ok", ""},
		{"nothing but nonsense", nil, []llmtest.Step{{Raw: "data: {\n\n"}, {Raw: "data: {\n\n"}, {Raw: "data: {\n\n"}}, "error", "error: the model's stream cannot be read", ""},
		{"a stream of nothing", nil, []llmtest.Step{{Raw: "data: [DONE]\n\n"}, say("ok")}, "text", "ok", ""},
		{"a model that is not there", nil, []llmtest.Step{{Status: 404, Body: `{"error":{"message":"no such model"}}`}}, "error", "error: the model's endpoint answered 404 Not Found: no such model (WB_LLM_BASE_URL is", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := run(t, c.change, c.script...)
			if r.Status != c.status || !strings.HasPrefix(r.Result, c.result) {
				t.Errorf("ended %s with %q, want %s with %q", r.Status, r.Result, c.status, c.result)
			}
			if got := outputs(r); got != c.output {
				t.Errorf("tools said %q, want %q", got, c.output)
			}
			whole, _ := json.Marshal(r)
			if strings.Contains(string(whole), "canary-key") {
				t.Errorf("the key is in the result: %s", whole)
			}
		})
	}
}

// A request that stalls is given up and made again.
func TestStalledStream(t *testing.T) {
	var asked atomic.Int32
	server := llmtest.Func(t, func(llmtest.Request) llmtest.Step {
		if asked.Add(1) == 1 {
			return llmtest.Step{Stall: time.Hour}
		}
		return say("in time")
	})
	// on a machine that is busy some more may be given up
	client, err := llm.New(llm.Config{BaseURL: server.URL, Retries: 1000, Request: 200 * time.Millisecond, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r := agent.Run(context.Background(), agent.Options{Agent: agent.Default(), Task: "t", Model: client, RunID: "r", Limits: agent.Bounds{Wall: time.Hour}})
	if r.Status != "text" || r.Result != "in time" || asked.Load() < 2 {
		t.Errorf("%s %q after %d requests", r.Status, r.Result, asked.Load())
	}
}

// An address that is not a model's is named as such, at once.
func TestPageInsteadOfModel(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><title>Welcome</title>")
	}))
	defer server.Close()
	client, err := llm.New(llm.Config{BaseURL: server.URL, Retries: 2, OnRetry: func(int, error, time.Duration) { t.Error("it is asked again") }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.Complete(t.Context(), agent.Request{Model: "m"}, nil); err == nil || !strings.Contains(err.Error(), "usually ends in /v1") {
		t.Error(err)
	}
}

// Reading calls of a turn overlap, and their outputs keep the order of the
// calls.
func TestParallelCalls(t *testing.T) {
	meet := make(chan struct{})
	pair := function{"pair", true, func(ctx context.Context, a agent.Args) (agent.Output, error) {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-ctx.Done():
			return agent.Output{}, ctx.Err()
		}
		return agent.Output{Text: a.Text("text")}, nil
	}}
	r, server := run(t, func(o *agent.Options) { o.Tools = append(o.Tools, pair) }, call("pair a", "pair b"), say("met"))
	if r.Result != "met" {
		t.Fatalf("%+v", r)
	}
	messages := server.Requests()[1].Body["messages"].([]any)
	var said []string
	for _, m := range messages {
		if m := m.(map[string]any); m["role"] == "tool" {
			said = append(said, m["content"].(string))
		}
	}
	if strings.Join(said, "") != "ab" {
		t.Errorf("outputs in the order %v", said)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := function{"stop", false, func(context.Context, agent.Args) (agent.Output, error) {
		cancel(errors.New("enough"))
		return agent.Output{Text: "x"}, nil
	}}
	server := llmtest.New(t, call("stop x"), say("never"))
	client, err := llm.New(llm.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	d := agent.Default()
	r := agent.Run(ctx, agent.Options{Agent: d, Task: "t", Model: client, Tools: []agent.Tool{stop}, RunID: "r"})
	if r.Status != "cancelled" || r.Result != "cancelled: enough" || r.ExitCode() != 130 {
		t.Errorf("%s %q", r.Status, r.Result)
	}
}

// A provider without response_format gets the schema as an instruction.
func TestSoftSchema(t *testing.T) {
	schema, err := agent.NewSchema([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, server := run(t, func(o *agent.Options) { o.Agent.Output = schema },
		llmtest.Step{Status: 400, Body: `{"error":{"message":"unknown field response_format"}}`}, say(`{"a":1}`))
	if string(r.Data) != `{"a":1}` {
		t.Fatalf("%+v", r)
	}
	if _, sent := server.Requests()[0].Body["response_format"]; !sent {
		t.Error("the schema was not offered")
	}
	if _, sent := server.Requests()[1].Body["response_format"]; sent {
		t.Error("response_format was sent again")
	}
}

// random is a model whose answers and usage are random within what the request
// allows: at most two tokens for seven bytes, counted alike for what it has seen.
type random struct {
	*rand.Rand
	most, tokens int64 // of the last prompt
}

func (m *random) Complete(_ context.Context, r agent.Request, _ func(string)) (agent.Reply, error) {
	size, _ := json.Marshal([]any{r.Messages, r.Tools, r.Schema})
	most := (int64(len(size))*2 + 6) / 7
	if most < m.most {
		m.most, m.tokens = 0, 0
	}
	m.tokens += m.Int64N(most - m.most + 1)
	m.most = most
	reply := agent.Reply{Message: agent.Message{Role: "assistant", Content: "x"}, Finish: "stop",
		Usage: trace.Usage{TokensIn: m.tokens, TokensOut: m.Int64N(int64(max(r.MaxTokens, 1)) + 1)}}
	for range m.IntN(4) {
		if len(r.Tools) > 0 {
			reply.Message.ToolCalls = append(reply.Message.ToolCalls, agent.ToolCall{ID: fmt.Sprint(m.Int()), Name: "echo", Args: fmt.Sprintf(`{"text":%q}`, strings.Repeat("a", m.IntN(3000)))})
		}
	}
	return reply, nil
}

// No schedule of turns and tools exceeds a bound, nor the caller's.
func TestBudgetsHold(t *testing.T) {
	for seed := range uint64(300) {
		m := &random{Rand: rand.New(rand.NewPCG(seed, 1))}
		bounds := agent.Bounds{Steps: 1 + m.Int64N(8), ToolCalls: 1 + m.Int64N(8), Tokens: 200 + m.Int64N(40000), USD: 0.001 + m.Float64()*0.05}
		caller := agent.Bounds{Tokens: 100 + m.Int64N(40000), ToolCalls: 1 + m.Int64N(10)}
		ledger := agent.NewLedger(caller, nil)
		d := agent.Default()
		d.Bounds, d.WrapUp = bounds, []agent.WrapUp{agent.WrapUpTurn, agent.WrapUpLast, agent.WrapUpNone}[seed%3]
		r := agent.Run(context.Background(), agent.Options{Agent: d, Task: "t", Model: m, Tools: []agent.Tool{echo}, RunID: "r", Ledger: ledger, Prices: agent.Prices{In: 1, Out: 1}})
		used := ledger.Used()
		tokens := r.Usage.TokensIn + r.Usage.TokensOut
		if tokens > bounds.Tokens || tokens > caller.Tokens || int64(len(r.Events)) > min(bounds.ToolCalls, caller.ToolCalls) || int64(r.Steps) > bounds.Steps ||
			float64(tokens)/1e6 > bounds.USD || used.Tokens != tokens {
			t.Fatalf("seed %d: %d tokens, %d calls, %d steps, ledger %+v; bounds %+v and %+v; %s", seed, tokens, len(r.Events), r.Steps, used, bounds, caller, r.Status)
		}
	}
}
