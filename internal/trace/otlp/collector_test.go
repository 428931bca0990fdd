//go:build long

package otlp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/otlp"
)

// collectorReads is a program that reads an export as OpenTelemetry's own collector
// does, by the package that its OTLP receiver decodes JSON with. It is a module of its
// own: wb does not depend on it.
const collectorReads = `package main

import (
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func main() {
	body, err := io.ReadAll(os.Stdin)
	request := ptraceotlp.NewExportRequest()
	if err == nil {
		err = request.UnmarshalJSON(body)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, r := range request.Traces().ResourceSpans().All() {
		service, _ := r.Resource().Attributes().Get("service.name")
		for _, s := range r.ScopeSpans().All() {
			for _, span := range s.Spans().All() {
				attributes := span.Attributes().AsRaw()
				fmt.Printf("%s|%s|%v|%v|%v|%s|%v|%v|%v\n", service.AsString(), span.Name(), span.TraceID().IsEmpty(), span.SpanID().IsEmpty(),
					span.ParentSpanID().IsEmpty(), span.Kind(), attributes["gen_ai.request.model"], attributes["gen_ai.usage.input_tokens"], span.EndTimestamp() >= span.StartTimestamp())
			}
		}
	}
}
`

// What is pushed is what OpenTelemetry's collector reads.
func TestCollector(t *testing.T) {
	reads := collector(t)
	var mu sync.Mutex
	var told strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		command := exec.Command(reads)
		command.Stdin = bytes.NewReader(body)
		out, err := command.CombinedOutput()
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Errorf("the collector refuses %s: %v: %s", body, err, out)
		}
		told.Write(out)
	}))
	t.Cleanup(server.Close)
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_SERVICE_NAME": "mine"}
	p, err := otlp.FromEnv(func(name string) string { return env[name] }, "1", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []trace.Event{
		{Kind: trace.KindRun, Agent: "waldo"},
		{Kind: trace.KindModelTurn, Call: 1, Model: "gpt-5", Usage: trace.Usage{TokensIn: 7, TokensOut: 2}},
		{Kind: trace.KindToolCall, Call: 2, Tool: "shell"},
		{Kind: trace.KindResult, Status: "done", Call: 3},
	} {
		e.Run, e.RootRun, e.Time = "r1", "r1", time.Unix(1e9, 0)
		if err := p.Emit(e); err != nil {
			t.Error(err)
		}
	}
	p.Close()
	for _, want := range []string{"mine|invoke_agent waldo|false|false|true|Internal|", "mine|chat gpt-5|false|false|false|Client|gpt-5|7|true", "mine|execute_tool shell|false|false|false|Internal|"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("it reads\n%swithout %s", told.String(), want)
		}
	}
}

// collector builds the program in a module of its own.
func collector(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": collectorReads, "go.mod": "module collector\n\ngo 1.26\n\nrequire go.opentelemetry.io/collector/pdata v1.40.0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", "reads", "."}} {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir, command.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := command.CombinedOutput(); err != nil {
			t.Skipf("the collector's packages cannot be had: go %s: %v\n%s", args, err, out)
		}
	}
	return filepath.Join(dir, "reads")
}
