package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/telemetry"
)

// Pusher sends spans to a collector while runs go on, by OTLP over HTTP in JSON. It is
// a [trace.Sink]: a model turn, a tool call or a component is sent within a second of
// its end, a run when it ends. A collector that does not answer costs spans and never
// a run: it is told once through Warn.
type Pusher struct {
	endpoint string
	header   http.Header
	resource []Attribute
	options  Options
	client   *http.Client
	warn     func(error)

	mu      sync.Mutex
	runs    map[string]*going
	pending []Span
	lost    int
	warned  bool
	wake    chan struct{}
	ended   chan struct{}
	done    chan struct{}
}

// going is a run that has not ended, with what its own span will say.
type going struct {
	record telemetry.Record
	root   string
	held   map[string][]Span // of compilations, until the component they belong to ends
	inner  inner             // agents that were asked
}

// What a pusher keeps and how long it waits.
const (
	maxPending = 4096 // spans that could not be sent yet
	pushEvery  = time.Second
	pushTime   = 10 * time.Second
)

// FromEnv is the pusher that OpenTelemetry's environment variables ask for:
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces
// after it, with their _HEADERS and _TIMEOUT, OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES. Where none is set, or OTEL_SDK_DISABLED is true or
// OTEL_TRACES_EXPORTER is none, it is nil.
// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT sends texts, too.
func FromEnv(getenv func(string) string, version string, warn func(error)) (*Pusher, error) {
	of := func(name string) string {
		if v := getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); v != "" {
			return v
		}
		return getenv("OTEL_EXPORTER_OTLP_" + name)
	}
	endpoint := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint == "" && base != "" {
		endpoint = strings.TrimSuffix(base, "/") + "/v1/traces"
	}
	if endpoint == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return nil, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %q is not an http URL", endpoint)
	}
	if protocol := of("PROTOCOL"); protocol == "grpc" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL: wb sends http/json and no grpc; collectors take it at port 4318")
	}
	p := &Pusher{endpoint: endpoint, header: http.Header{"Content-Type": {"application/json"}}, warn: warn, runs: map[string]*going{},
		client: &http.Client{Timeout: pushTime}, wake: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{}),
		options: Options{Version: version, Content: strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")}}
	for key, value := range pairs(of("HEADERS")) {
		p.header.Set(key, value)
	}
	if ms, err := strconv.Atoi(of("TIMEOUT")); err == nil && ms > 0 {
		p.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	name := "wb"
	for key, value := range pairs(getenv("OTEL_RESOURCE_ATTRIBUTES")) {
		if key == "service.name" {
			name = value
			continue
		}
		p.resource = append(p.resource, attributes(text(key, value))...)
	}
	if given := getenv("OTEL_SERVICE_NAME"); given != "" {
		name = given
	}
	p.resource = append(attributes(text("service.name", name), text("service.version", version)), p.resource...)
	go p.work()
	return p, nil
}

// pairs are "key=value,key=value" with values as in URLs.
func pairs(list string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if plain, err := url.PathUnescape(value); ok && key != "" && err == nil {
			all[strings.TrimSpace(key)] = strings.TrimSpace(plain)
		}
	}
	return all
}

// Emit implements [trace.Sink]. It never waits and never fails.
func (p *Pusher) Emit(e trace.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.runs[e.Run]
	if g == nil {
		g = &going{root: e.RootRun, held: map[string][]Span{}}
		if g.root == "" {
			g.root = e.Run
		}
		g.record.Run, g.record.Started = e.Run, e.Time
		p.runs[e.Run] = g
	}
	p.add(g.take(e, p.options))
	if e.Kind == trace.KindResult {
		p.add(g.end(e, p.options))
		delete(p.runs, e.Run)
	}
	return nil
}

// add queues spans; of too many the oldest are lost.
func (p *Pusher) add(spans []Span) {
	if len(spans) == 0 {
		return
	}
	p.pending = append(p.pending, spans...)
	if n := len(p.pending) - maxPending; n > 0 {
		p.pending, p.lost = p.pending[n:], p.lost+n
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// take notes an event of a run and gives the spans that it ends.
func (g *going) take(e trace.Event, opts Options) []Span {
	switch e.Kind {
	case trace.KindRun:
		g.record.Agent, g.record.Workbook, g.record.Parent = e.Agent, e.Workbook, e.ParentRun
	case trace.KindComponentEnd, trace.KindModelTurn, trace.KindToolCall, trace.KindCompile:
		s := g.placed(span(&e, opts), e.Call, above(&e))
		g.inner.note(&e)
		e.Output, e.Args = "", nil // for the run's own span its usage is enough
		g.record.Events = append(g.record.Events, e)
		if e.Kind == trace.KindCompile {
			g.held[e.Component] = append(g.held[e.Component], s)
			return nil
		}
		spans := append([]Span{s}, g.inner.answered(&e, s)...)
		if e.Kind == trace.KindComponentEnd {
			spans = append(spans, g.compiled(e.Component, s.SpanID)...)
		}
		return spans
	case trace.KindComponentStart, trace.KindResult:
	default:
		g.record.Events = append(g.record.Events, e)
	}
	return nil
}

func (g *going) placed(s Span, call int, parent string) Span {
	s.TraceID, s.SpanID, s.ParentSpanID = digest("trace", g.root)[:32], spanID(g.record.Run, call), parent
	return s
}

// compiled are the compilations of a component, below its span.
func (g *going) compiled(component, parent string) []Span {
	spans := g.held[component]
	delete(g.held, component)
	for i := range spans {
		spans[i].ParentSpanID = parent
	}
	return spans
}

// end gives the span of the run itself, and compilations whose component never ended.
func (g *going) end(e trace.Event, opts Options) []Span {
	g.record.Ended, g.record.Status = e.Time, e.Status
	g.record.Events = append(g.record.Events, e)
	opts.Root = func(string) string { return g.root }
	all := spans(&g.record, opts)[:1]
	for component := range g.held {
		all = append(all, g.compiled(component, all[0].SpanID)...)
	}
	return append(all, g.inner.rest(g.record.Run, all[0].TraceID)...)
}

// work sends what is pending once a second, until the end.
func (p *Pusher) work() {
	defer close(p.done)
	for {
		select {
		case <-p.wake:
		case <-p.ended:
			p.send(context.Background())
			return
		}
		select { // gather what else ends in this second
		case <-time.After(pushEvery):
		case <-p.ended:
		}
		p.send(context.Background())
	}
}

// send posts what is pending. What the collector cannot take now is kept for later.
func (p *Pusher) send(ctx context.Context) {
	p.mu.Lock()
	spans := p.pending
	p.pending = nil
	p.mu.Unlock()
	if len(spans) == 0 {
		return
	}
	again, err := p.post(ctx, spans)
	p.mu.Lock()
	defer p.mu.Unlock()
	if again {
		p.pending = append(spans, p.pending...)
		if n := len(p.pending) - maxPending; n > 0 {
			p.pending, p.lost = p.pending[n:], p.lost+n
		}
	}
	if err != nil && !p.warned && p.warn != nil {
		p.warned = true
		p.warn(fmt.Errorf("spans are not sent to %s: %w", p.endpoint, err))
	}
}

// post sends spans; again says that it may succeed later.
func (p *Pusher) post(ctx context.Context, spans []Span) (again bool, err error) {
	body := &Traces{[]ResourceSpans{{Resource: Resource{p.resource}, ScopeSpans: []ScopeSpans{{Scope: Scope{"wb/internal/trace", p.options.Version}, Spans: spans}}}}}
	var text bytes.Buffer
	if err := body.Write(&text); err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, &text)
	if err != nil {
		return false, err
	}
	request.Header = p.header.Clone()
	response, err := p.client.Do(request)
	if err != nil {
		return true, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection is used again
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("the collector answered %s", response.Status)
}

// Close sends what is left and ends. A nil pusher has nothing to send.
func (p *Pusher) Close() {
	if p == nil {
		return
	}
	close(p.ended)
	<-p.done
}
