package otlp

import (
	"slices"
	"strings"
	"time"

	"wb/internal/trace"
)

// inner are the agents that a run's agent asked and that have not answered, in the
// order in which they began. Each is a span, below the call that asked it, and what it
// did stands below that span.
type inner struct{ asked []*invocation }

// invocation is an agent that was asked.
type invocation struct {
	key        string // of the call: RUN/tool/0/0/NAME
	agent      string
	start, end time.Time
	usage      trace.Usage
}

// above is the span that an event stands below.
func above(e *trace.Event) string {
	if e.InnerRun == "" {
		return spanID(e.Run, -1)
	}
	return innerID(e.InnerRun)
}

func innerID(key string) string { return digest("inner", key)[:16] }

// note takes an event of an agent that was asked.
func (in *inner) note(e *trace.Event) {
	if e.InnerRun == "" {
		return
	}
	i := slices.IndexFunc(in.asked, func(a *invocation) bool { return a.key == e.InnerRun })
	if i < 0 {
		i = len(in.asked)
		in.asked = append(in.asked, &invocation{key: e.InnerRun, agent: e.Agent, start: e.Time.Add(-e.Duration)})
	}
	a := in.asked[i]
	if begun := e.Time.Add(-e.Duration); begun.Before(a.start) {
		a.start = begun
	}
	a.end, a.usage = e.Time, a.usage.Add(e.Usage)
}

// answered gives the span of the agent that a call asked, none for other tools.
func (in *inner) answered(e *trace.Event, call Span) []Span {
	caller := e.InnerRun
	if caller == "" {
		caller = e.Run
	}
	i := slices.IndexFunc(in.asked, func(a *invocation) bool {
		by, tool := a.call()
		return by == caller && tool == e.Tool
	})
	if e.Kind != trace.KindToolCall || i < 0 {
		return nil
	}
	s := in.asked[i].span(call.TraceID, call.SpanID)
	s.Status = call.Status
	in.asked = slices.Delete(in.asked, i, i+1)
	return []Span{s}
}

// rest gives the spans of those that never answered.
func (in *inner) rest(run, traceID string) []Span {
	var all []Span
	for _, a := range in.asked {
		parent := spanID(run, -1)
		if by, _ := a.call(); by != run && strings.Contains(by, "/") {
			parent = innerID(by)
		}
		all = append(all, a.span(traceID, parent))
	}
	in.asked = nil
	return all
}

// call is who asked, and by which tool.
func (a *invocation) call() (by, tool string) {
	i := strings.LastIndex(a.key, "/tool/")
	if i < 0 {
		return "", ""
	}
	return a.key[:i], a.key[strings.LastIndexByte(a.key, '/')+1:]
}

func (a *invocation) span(traceID, parent string) Span {
	s := Span{TraceID: traceID, SpanID: innerID(a.key), ParentSpanID: parent, Kind: internal, Name: "invoke_agent " + a.agent, Start: nanos(a.start), End: nanos(a.end)}
	s.Attributes = attributes(text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.id", a.agent), text("gen_ai.agent.name", a.agent))
	s.Attributes = append(s.Attributes, tokens(a.usage)...)
	return s
}
