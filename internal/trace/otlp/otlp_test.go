package otlp

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/telemetry"
)

func run(id, parent, agent string) *telemetry.Record {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	tick := func() time.Time { at = at.Add(time.Second); return at }
	events := []trace.Event{
		{Kind: trace.KindRun},
		{Kind: trace.KindComponentStart, Component: "a"},
		{Kind: trace.KindCompile, Component: "a", Lang: "c", Duration: 400 * time.Millisecond},
		{Kind: trace.KindComponentEnd, Component: "a", Lang: "c", Profile: "compute", Cache: "miss", Duration: 500 * time.Millisecond, Fuel: 1 << 60, Exit: trace.Exit(0), Output: "secret"},
		{Kind: trace.KindComponentEnd, Component: "b", Exit: trace.Exit(3)},
		{Kind: trace.KindCacheHit, Component: "c", Cache: "hit"},
		{Kind: trace.KindModelTurn, Agent: agent, Step: 1, Model: "xiaomi/mimo-v2.5", Duration: 900 * time.Millisecond, Usage: trace.Usage{TokensIn: 100, TokensOut: 20, TokensCached: 60, CostUSD: 0.25}},
		{Kind: trace.KindToolCall, Agent: agent, Step: 1, Tool: "shell", Args: json.RawMessage(`{"x":"secret"}`), Output: "secret", Error: "boom <&>\xff"},
		{Kind: trace.KindResult, Status: "failed", Error: "b failed", Fuel: 7},
	}
	for i := range events {
		events[i].Run, events[i].Call, events[i].Time = id, i-1, tick()
	}
	return &telemetry.Record{RunRecord: trace.RunRecord{Run: id, Parent: parent, Workbook: "/x/report.org", Agent: agent, Started: events[0].Time}, Events: events}
}

// TestEncoding holds an export against the rules of OTLP's JSON encoding, read
// as any JSON, so that no type of this package can hide a mistake.
func TestEncoding(t *testing.T) {
	records := []*telemetry.Record{run("R1", "", ""), run("R2", "R1", "ada")}
	roots := telemetry.Roots(nil, records)
	var out bytes.Buffer
	if err := Export(records, Options{Version: "1", Root: roots}).Write(&out); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out.Bytes(), []byte("secret")) {
		t.Error("texts are exported that were not asked for")
	}
	var body map[string]any
	if err := json.Unmarshal(out.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	rs := body["resourceSpans"].([]any)[0].(map[string]any)
	resource := checkAttributes(t, rs["resource"].(map[string]any)["attributes"])
	if resource["service.name"] != "wb" {
		t.Error(resource)
	}
	spans := rs["scopeSpans"].([]any)[0].(map[string]any)["spans"].([]any)
	byID := map[string]map[string]any{}
	names := map[string]map[string]any{}
	traces := map[any]bool{}
	for _, s := range spans {
		span := s.(map[string]any)
		checkSpan(t, span)
		byID[span["spanId"].(string)] = span
		names[span["name"].(string)] = checkAttributes(t, span["attributes"])
		traces[span["traceId"]] = true
	}
	if len(traces) != 1 || len(byID) != len(spans) || len(spans) != 12 {
		t.Errorf("%d traces, %d spans with %d ids", len(traces), len(spans), len(byID))
	}
	parent := func(name string, i int) string {
		for _, s := range spans {
			if s := s.(map[string]any); s["name"] == name {
				if i--; i < 0 {
					p, _ := s["parentSpanId"].(string)
					if p == "" {
						return ""
					}
					return byID[p]["name"].(string)
				}
			}
		}
		t.Errorf("no span %s", name)
		return ""
	}
	for _, want := range []struct {
		name   string
		i      int
		parent string
	}{{"invoke_workflow report", 0, ""}, {"invoke_agent ada", 0, "invoke_workflow report"}, {"compile a", 0, "run a"}, {"run a", 0, "invoke_workflow report"},
		{"run a", 1, "invoke_agent ada"}, {"chat xiaomi/mimo-v2.5", 1, "invoke_agent ada"}, {"execute_tool shell", 1, "invoke_agent ada"}} {
		if got := parent(want.name, want.i); got != want.parent {
			t.Errorf("%s is below %q, want %q", want.name, got, want.parent)
		}
	}
	for name, want := range map[string]map[string]any{
		"chat xiaomi/mimo-v2.5": {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "xiaomi", "gen_ai.request.model": "xiaomi/mimo-v2.5", "gen_ai.usage.input_tokens": int64(100),
			"gen_ai.usage.output_tokens": int64(20), "gen_ai.usage.cache_read.input_tokens": int64(60), "wb.cost.usd": 0.25},
		"execute_tool shell":     {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shell", "gen_ai.tool.type": "function", "error.type": "_OTHER", "gen_ai.agent.id": "ada"},
		"invoke_agent ada":       {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "ada", "gen_ai.usage.input_tokens": int64(100), "error.type": "failed"},
		"invoke_workflow report": {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "report"},
		"run a":                  {"wb.fuel": int64(1 << 60), "process.exit.code": int64(0)},
		"run b":                  {"error.type": "3", "process.exit.code": int64(3)},
	} {
		for key, v := range want {
			if names[name][key] != v {
				t.Errorf("%s: %s is %v, want %v", name, key, names[name][key], v)
			}
		}
	}
}

var (
	traceIDPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)
	spanIDPattern  = regexp.MustCompile(`^[0-9a-f]{16}$`)
	nanosPattern   = regexp.MustCompile(`^[1-9][0-9]*$`)
)

func checkSpan(t *testing.T, span map[string]any) {
	t.Helper()
	text := func(key string, pattern *regexp.Regexp) {
		if s, ok := span[key].(string); !ok || !pattern.MatchString(s) {
			t.Errorf("%s: %s is %v", span["name"], key, span[key])
		}
	}
	text("traceId", traceIDPattern)
	text("spanId", spanIDPattern)
	text("startTimeUnixNano", nanosPattern)
	text("endTimeUnixNano", nanosPattern)
	if _, ok := span["parentSpanId"]; ok {
		text("parentSpanId", spanIDPattern)
	}
	from, _ := strconv.ParseInt(span["startTimeUnixNano"].(string), 10, 64)
	to, _ := strconv.ParseInt(span["endTimeUnixNano"].(string), 10, 64)
	if from > to {
		t.Errorf("%s ends before it starts", span["name"])
	}
	if kind, ok := span["kind"].(float64); !ok || kind < 1 || kind > 5 {
		t.Errorf("%s: kind %v is not a number of a kind", span["name"], span["kind"])
	}
	if code, ok := span["status"].(map[string]any)["code"]; ok && code != 1.0 && code != 2.0 {
		t.Errorf("%s: status %v", span["name"], code)
	}
	for key := range span {
		switch key {
		case "traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes", "events", "status":
		default:
			t.Errorf("OTLP knows no field %s of a span", key)
		}
	}
	if events, ok := span["events"].([]any); ok {
		for _, e := range events {
			e := e.(map[string]any)
			if !nanosPattern.MatchString(e["timeUnixNano"].(string)) || e["name"] == "" {
				t.Errorf("event %v", e)
			}
			checkAttributes(t, e["attributes"])
		}
	}
}

// checkAttributes reads attributes, each of which has one value: 64-bit
// integers as strings.
func checkAttributes(t *testing.T, list any) map[string]any {
	t.Helper()
	out := map[string]any{}
	if list == nil {
		return out
	}
	for _, a := range list.([]any) {
		a := a.(map[string]any)
		key := a["key"].(string)
		v := a["value"].(map[string]any)
		if _, twice := out[key]; twice || len(v) != 1 || key == "" {
			t.Errorf("attribute %v", a)
		}
		for kind, x := range v {
			switch kind {
			case "stringValue":
				out[key] = x.(string)
			case "intValue":
				n, err := strconv.ParseInt(x.(string), 10, 64)
				if err != nil {
					t.Error(err)
				}
				out[key] = n
			case "doubleValue":
				out[key] = x.(float64)
			default:
				t.Errorf("value %v", v)
			}
		}
	}
	return out
}

func TestContent(t *testing.T) {
	var out bytes.Buffer
	if err := Export([]*telemetry.Record{run("R1", "", "ada")}, Options{Content: true}).Write(&out); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("secret")); n != 3 {
		t.Errorf("%d texts are exported, want the arguments and two outputs", n)
	}
}

func TestProvider(t *testing.T) {
	for model, want := range map[string]string{"gpt-5-mini": "openai", "openai/gpt-5": "openai", "claude-opus": "anthropic", "mistralai/small": "mistral_ai",
		"acme/own": "acme", "llama": "_OTHER", "": "_OTHER"} {
		if got := provider(&trace.Event{Model: model}); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
	if got := provider(&trace.Event{Model: "llama", Props: []trace.Prop{{Name: "PROVIDER", Value: "home"}}}); got != "home" {
		t.Error(got)
	}
}
