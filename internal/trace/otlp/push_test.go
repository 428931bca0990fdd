package otlp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/otlp"
)

// A collector has the spans of a run before the run ends, and all of them with one
// trace once it has; what it refuses for the moment comes again.
func TestPush(t *testing.T) {
	var mu sync.Mutex
	spans := map[string]otlp.Span{}
	posts := 0
	refused, first := make(chan struct{}), make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if posts++; posts == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			close(refused)
			return
		}
		var body otlp.Traces
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Authorization") != "Bearer x=y" {
			t.Errorf("%v %s %v", err, r.URL, r.Header)
		}
		if got := *body.ResourceSpans[0].Resource.Attributes[0].Value.String; got != "mine" {
			t.Errorf("the service is %s", got)
		}
		for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
			if _, twice := spans[s.Name]; twice {
				t.Errorf("%s came twice", s.Name)
			}
			spans[s.Name] = s
		}
		if posts == 2 {
			close(first)
		}
	}))
	t.Cleanup(collector.Close)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20x=y", "OTEL_SERVICE_NAME": "mine"}
	warnings := 0
	p, err := otlp.FromEnv(func(name string) string { return env[name] }, "1", func(error) { warnings++ })
	if err != nil || p == nil {
		t.Fatal(err)
	}
	emit := func(e trace.Event) {
		e.Run, e.RootRun, e.Time = "r2", "r1", time.Unix(1e9, 0)
		if err := p.Emit(e); err != nil {
			t.Error(err)
		}
	}
	emit(trace.Event{Kind: trace.KindRun, Agent: "waldo", ParentRun: "r1"})
	emit(trace.Event{Kind: trace.KindModelTurn, Call: 1, Model: "gpt-5", Usage: trace.Usage{TokensIn: 7, TokensOut: 2}})
	<-refused
	emit(trace.Event{Kind: trace.KindToolCall, Call: 2, Tool: "shell"})
	<-first
	mu.Lock()
	if _, early := spans["invoke_agent waldo"]; early || len(spans) != 2 {
		t.Errorf("before the end there are %v", spans)
	}
	mu.Unlock()
	emit(trace.Event{Kind: trace.KindResult, Status: "done", Call: 3})
	p.Close()
	run, turn := spans["invoke_agent waldo"], spans["chat gpt-5"]
	if len(spans) != 3 || turn.ParentSpanID != run.SpanID || turn.TraceID != run.TraceID || spans["execute_tool shell"].ParentSpanID != run.SpanID || run.ParentSpanID == "" || warnings != 1 {
		t.Errorf("%+v, %d warnings", spans, warnings)
	}
	for _, off := range []map[string]string{{}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}} {
		if p, err := otlp.FromEnv(func(name string) string { return off[name] }, "1", nil); p != nil || err != nil {
			t.Errorf("%v: %v %v", off, p, err)
		}
	}
	for _, wrong := range []map[string]string{{"OTEL_EXPORTER_OTLP_ENDPOINT": "x"}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}} {
		if _, err := otlp.FromEnv(func(name string) string { return wrong[name] }, "1", nil); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}
