// Package otlp writes runs as OpenTelemetry traces in OTLP's JSON encoding, as
// collectors and viewers read them from a file or take them at /v1/traces.
//
// A run is a trace: one root span, and one span for every component that ran,
// block that was compiled, model turn, tool call and agent that another asked. Runs started by other runs
// share the trace of the run that started them all, under their starter's span.
//
// Names follow OpenTelemetry's semantic conventions for generative AI (status
// "development", read in November 2026): gen_ai.operation.name is invoke_agent
// or invoke_workflow for a run, chat for a model turn and execute_tool for a
// tool call. What the conventions do not know has names that begin with wb. Texts that went
// in and came out are not exported unless asked for ([Options].Content), as the
// conventions want it.
//
// In OTLP's JSON ids are hexadecimal, 64-bit integers and times in nanoseconds
// are strings, and enumerations are numbers.
package otlp

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wb/internal/sha"
	"wb/internal/trace"
	"wb/internal/trace/telemetry"
)

// Options say what is exported.
type Options struct {
	Version string // of wb
	// Content exports arguments and excerpts of outputs.
	Content bool
	// Root is the run that started them all, by the id of a run; nil is the
	// run itself.
	Root func(run string) string
}

// Traces is the body of an export: ExportTraceServiceRequest.
type Traces struct {
	ResourceSpans []ResourceSpans `json:"resourceSpans"`
}

// ResourceSpans are the spans of one program.
type ResourceSpans struct {
	Resource   Resource     `json:"resource"`
	ScopeSpans []ScopeSpans `json:"scopeSpans"`
}

// Resource is the program.
type Resource struct {
	Attributes []Attribute `json:"attributes"`
}

// ScopeSpans are the spans made by one library.
type ScopeSpans struct {
	Scope Scope  `json:"scope"`
	Spans []Span `json:"spans"`
}

// Scope is the library.
type Scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Span is one span. Kind is 1 for internal, 3 for client.
type Span struct {
	TraceID      string      `json:"traceId"`
	SpanID       string      `json:"spanId"`
	ParentSpanID string      `json:"parentSpanId,omitempty"`
	Name         string      `json:"name"`
	Kind         int         `json:"kind"`
	Start        string      `json:"startTimeUnixNano"`
	End          string      `json:"endTimeUnixNano"`
	Attributes   []Attribute `json:"attributes,omitempty"`
	Events       []SpanEvent `json:"events,omitempty"`
	Status       Status      `json:"status"`
}

// SpanEvent is a moment within a span.
type SpanEvent struct {
	Time       string      `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Status is how a span ended: 0 is unset, 1 ok, 2 error.
type Status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// Attribute is a name with a value.
type Attribute struct {
	Key   string `json:"key"`
	Value Value  `json:"value"`
}

// Value has exactly one of its fields.
type Value struct {
	String *string  `json:"stringValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"` // 64 bits as a string
	Double *float64 `json:"doubleValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
}

// Span kinds.
const (
	internal = 1
	client   = 3
)

// Export makes the traces of some runs.
func Export(records []*telemetry.Record, opts Options) *Traces {
	rs := ResourceSpans{Resource: Resource{attributes(text("service.name", "wb"), text("service.version", opts.Version))},
		ScopeSpans: []ScopeSpans{{Scope: Scope{"wb/internal/trace", opts.Version}, Spans: []Span{}}}}
	for _, r := range records {
		rs.ScopeSpans[0].Spans = append(rs.ScopeSpans[0].Spans, spans(r, opts)...)
	}
	return &Traces{[]ResourceSpans{rs}}
}

// Write writes traces as JSON.
func (t *Traces) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

// spans are those of a run, its own first.
func spans(r *telemetry.Record, opts Options) []Span {
	root := r.Run
	if opts.Root != nil {
		root = opts.Root(r.Run)
	}
	traceID := digest("trace", root)[:32]
	run := Span{TraceID: traceID, SpanID: spanID(r.Run, -1), Kind: internal, Name: "invoke_workflow"}
	if r.Parent != "" {
		run.ParentSpanID = spanID(r.Parent, -1)
	}
	list := []Span{run}
	start, end := r.Started, r.Ended
	var usage trace.Usage
	var result trace.Event
	var agents inner
	for i := range r.Events {
		e := &r.Events[i]
		if start.IsZero() || !e.Time.IsZero() && e.Time.Add(-e.Duration).Before(start) {
			start = e.Time.Add(-e.Duration)
		}
		if e.Time.After(end) {
			end = e.Time
		}
		switch e.Kind {
		case trace.KindRun:
		case trace.KindResult:
			result = *e
		case trace.KindComponentEnd, trace.KindCompile, trace.KindModelTurn, trace.KindToolCall:
			usage = usage.Add(e.Usage)
			s := span(e, opts)
			s.TraceID, s.SpanID, s.ParentSpanID = traceID, spanID(r.Run, e.Call), above(e)
			agents.note(e)
			if e.Kind == trace.KindCompile {
				s.ParentSpanID = spanID(r.Run, endOf(r.Events[i:], e.Component))
			}
			list = append(append(list, s), agents.answered(e, s)...)
		case trace.KindComponentStart: // its end says it all
		default:
			list[0].Events = append(list[0].Events, moment(e))
		}
	}
	finish(&list[0], r, &result, usage, start, end)
	return append(list, agents.rest(r.Run, traceID)...)
}

// endOf is the call that ends a component which is being compiled; -1, the run,
// when it never ended.
func endOf(events []trace.Event, component string) int {
	for i := range events {
		if events[i].Kind == trace.KindComponentEnd && events[i].Component == component {
			return events[i].Call
		}
	}
	return -1
}

// finish fills in the span of the run itself.
func finish(s *Span, r *telemetry.Record, result *trace.Event, usage trace.Usage, start, end time.Time) {
	s.Start, s.End = nanos(start), nanos(end)
	if usage == (trace.Usage{}) {
		usage = result.Usage
	}
	operation, name := "invoke_workflow", ""
	if r.Agent != "" {
		operation, name = "invoke_agent", r.Agent
		s.Attributes = attributes(text("gen_ai.agent.id", r.Agent), text("gen_ai.agent.name", r.Agent))
	} else if r.Workbook != "" {
		name = strings.TrimSuffix(filepath.Base(r.Workbook), ".org")
		s.Attributes = attributes(text("gen_ai.workflow.name", name))
	}
	s.Name = strings.TrimSpace(operation + " " + name)
	s.Attributes = append(attributes(text("gen_ai.operation.name", operation)), s.Attributes...)
	s.Attributes = append(s.Attributes, tokens(usage)...)
	s.Attributes = append(s.Attributes, attributes(text("wb.run.id", r.Run), text("wb.run.status", cmp.Or(result.Status, r.Status)), number("wb.fuel", result.Fuel))...)
	switch status := cmp.Or(result.Status, r.Status); {
	case result.Failed() || status == "failed" || status == "error" || status == trace.StatusCrashed:
		s.Status = Status{2, cmp.Or(result.Error, status)}
		s.Attributes = append(s.Attributes, attributes(text("error.type", cmp.Or(status, "_OTHER")))...)
	case status != "" && status != trace.StatusRunning:
		s.Status.Code = 1
	}
}

// span is the span of a call.
func span(e *trace.Event, opts Options) Span {
	s := Span{Kind: internal, Start: nanos(e.Time.Add(-e.Duration)), End: nanos(e.Time)}
	call := strconv.Itoa(e.Call)
	switch e.Kind {
	case trace.KindModelTurn:
		s.Kind, s.Name = client, strings.TrimSpace("chat "+e.Model)
		s.Attributes = attributes(text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", provider(e)), text("gen_ai.request.model", e.Model))
		s.Attributes = append(s.Attributes, tokens(e.Usage)...)
	case trace.KindToolCall:
		s.Name = strings.TrimSpace("execute_tool " + e.Tool)
		s.Attributes = attributes(text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", e.Tool), text("gen_ai.tool.type", "function"), text("gen_ai.tool.call.id", e.Run+"/"+call))
		if opts.Content {
			s.Attributes = append(s.Attributes, attributes(text("gen_ai.tool.call.arguments", string(e.Args)), text("gen_ai.tool.call.result", e.Output))...)
		}
	case trace.KindCompile:
		s.Name = strings.TrimSpace("compile " + e.Component)
	default:
		s.Name = strings.TrimSpace("run " + e.Component)
		if opts.Content {
			s.Attributes = attributes(text("wb.output", e.Output))
		}
	}
	s.Attributes = append(s.Attributes, attributes(text("gen_ai.agent.id", e.Agent), text("wb.component.id", e.Component), text("wb.component.language", e.Lang),
		text("wb.component.profile", e.Profile), text("wb.cache", e.Cache), number("wb.fuel", e.Fuel), text("wb.output.sha256", e.OutputSHA256), number("wb.step", int64(e.Step)))...)
	if e.Usage.CostUSD > 0 {
		s.Attributes = append(s.Attributes, attributes(double("wb.cost.usd", e.Usage.CostUSD))...)
	}
	if e.Exit != nil {
		s.Attributes = append(s.Attributes, intAttribute("process.exit.code", int64(*e.Exit)))
	}
	s.Status.Code = 1
	if e.Failed() {
		kind := "_OTHER"
		if e.Error == "" && e.Exit != nil {
			kind = strconv.Itoa(*e.Exit)
		}
		s.Status = Status{2, e.Error}
		s.Attributes = append(s.Attributes, attributes(text("error.type", kind))...)
	}
	return s
}

// moment is an event that takes no time, on the span of the run.
func moment(e *trace.Event) SpanEvent {
	return SpanEvent{nanos(e.Time), "wb." + string(e.Kind), attributes(text("wb.component.id", e.Component), text("gen_ai.tool.name", e.Tool), text("gen_ai.agent.id", e.Agent),
		text("wb.path", e.Path), text("wb.cache", e.Cache), text("wb.status", e.Status), text("wb.error", e.Error))}
}

func tokens(u trace.Usage) []Attribute {
	return attributes(number("gen_ai.usage.input_tokens", u.TokensIn), number("gen_ai.usage.output_tokens", u.TokensOut), number("gen_ai.usage.cache_read.input_tokens", u.TokensCached))
}

// providers are the well-known values of gen_ai.provider.name by the words that
// names of models begin with.
var providers = []struct{ prefix, name string }{
	{"gpt", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"}, {"openai", "openai"}, {"claude", "anthropic"}, {"anthropic", "anthropic"},
	{"gemini", "gcp.gemini"}, {"google", "gcp.gen_ai"}, {"mistral", "mistral_ai"}, {"mistralai", "mistral_ai"}, {"codestral", "mistral_ai"}, {"command", "cohere"},
	{"cohere", "cohere"}, {"deepseek", "deepseek"}, {"grok", "x_ai"}, {"x-ai", "x_ai"}, {"kimi", "moonshot_ai"}, {"moonshotai", "moonshot_ai"}, {"sonar", "perplexity"}, {"perplexity", "perplexity"},
	{"groq", "groq"}, {"xiaomi", "xiaomi"},
}

// provider is who serves a model: what the event says, else what the model's
// name tells, "xiaomi/mimo" or "gpt-5".
func provider(e *trace.Event) string {
	for _, p := range e.Props {
		if p.Name == "PROVIDER" {
			return p.Value
		}
	}
	maker, _, routed := strings.Cut(strings.ToLower(e.Model), "/")
	for _, p := range providers {
		if maker == p.prefix || !routed && strings.HasPrefix(maker, p.prefix) {
			return p.name
		}
	}
	if routed {
		return maker
	}
	return "_OTHER"
}

func spanID(run string, call int) string { return digest("span", run, strconv.Itoa(call))[:16] }

// digest makes ids that are the same in every export.
func digest(parts ...string) string {
	return sha.Hex(strings.Join(parts, "\x00"))
}

func nanos(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixNano(), 10)
}

func text(key, value string) Attribute {
	value = strings.ToValidUTF8(value, "\uFFFD")
	return Attribute{key, Value{String: &value}}
}

func number(key string, n int64) Attribute {
	if n == 0 {
		return Attribute{}
	}
	return intAttribute(key, n)
}

func intAttribute(key string, n int64) Attribute {
	value := strconv.FormatInt(n, 10)
	return Attribute{key, Value{Int: &value}}
}

func double(key string, x float64) Attribute { return Attribute{key, Value{Double: &x}} }

// attributes leaves out those that say nothing.
func attributes(list ...Attribute) []Attribute {
	out := []Attribute{}
	for _, a := range list {
		if a.Key != "" && (a.Value.String == nil || *a.Value.String != "") {
			out = append(out, a)
		}
	}
	return out
}
