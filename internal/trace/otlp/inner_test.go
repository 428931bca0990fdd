package otlp

import (
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/telemetry"
)

// What an agent did that another asked stands below its own span, and that below the
// call, also where two are asked alike and where one never answers.
func TestInner(t *testing.T) {
	const first, second, deep, lost = "r/tool/0/0/scout", "r/tool/0/1/scout", "r/tool/0/1/scout/tool/2/0/clerk", "r/tool/3/0/scout"
	at := time.Unix(1e9, 0)
	events := []trace.Event{
		{Kind: trace.KindModelTurn, Model: "boss"},
		{Kind: trace.KindModelTurn, Model: "one", Agent: "scout", InnerRun: first, Usage: trace.Usage{TokensIn: 5}},
		{Kind: trace.KindToolCall, Tool: "scout"},
		{Kind: trace.KindModelTurn, Model: "two", Agent: "scout", InnerRun: second},
		{Kind: trace.KindModelTurn, Model: "three", Agent: "clerk", InnerRun: deep},
		{Kind: trace.KindToolCall, Tool: "clerk", Agent: "scout", InnerRun: second},
		{Kind: trace.KindToolCall, Tool: "scout"},
		{Kind: trace.KindModelTurn, Model: "four", Agent: "scout", InnerRun: lost},
		{Kind: trace.KindResult, Status: "cancelled"},
	}
	for i := range events {
		events[i].Run, events[i].Call, events[i].Time, events[i].Duration = "r", i, at.Add(time.Duration(i)*time.Second), time.Second
	}
	record := &telemetry.Record{RunRecord: trace.RunRecord{Run: "r", Agent: "boss", Started: at}, Events: events}
	spans := map[string]Span{}
	for _, s := range Export([]*telemetry.Record{record}, Options{}).ResourceSpans[0].ScopeSpans[0].Spans {
		if _, twice := spans[s.SpanID]; twice {
			t.Errorf("%s comes twice", s.Name)
		}
		spans[s.SpanID] = s
	}
	path := func(model string) (path string) {
		for _, s := range spans {
			if s.Name == "chat "+model {
				for ; s.ParentSpanID != ""; s = spans[s.ParentSpanID] {
					path = " < " + spans[s.ParentSpanID].Name + path
				}
			}
		}
		return path
	}
	asked := " < invoke_agent boss < execute_tool scout < invoke_agent scout"
	for model, want := range map[string]string{"boss": " < invoke_agent boss", "one": asked, "two": asked,
		"three": asked + " < execute_tool clerk < invoke_agent clerk", "four": " < invoke_agent boss < invoke_agent scout"} {
		if got := path(model); got != want {
			t.Errorf("%s stands in%s, want%s", model, got, want)
		}
	}
	if len(spans) != len(events)+4 { // the run's own in place of its result
		t.Errorf("%d spans", len(spans))
	}
}
