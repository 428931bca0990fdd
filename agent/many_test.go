package agent_test

import (
	"strings"
	"testing"

	"wb/agent"
	"wb/internal/test/llmtest"
)

// Of three hundred calls in one turn none vanishes: those over the bound are answered,
// shown and said to the model.
func TestManyCalls(t *testing.T) {
	var calls []llmtest.Call
	for range 300 {
		calls = append(calls, llmtest.Call{Name: "echo", Args: `{"text":"x"}`})
	}
	r, server := run(t, func(*agent.Options) {}, llmtest.Step{Calls: calls, In: 1, Out: 1}, say("done"))
	requests := server.Requests()
	outputs := requests[len(requests)-1].Outputs()
	made, refused := 0, 0
	for _, out := range outputs {
		if strings.Contains(out, "was not run") {
			refused++
		} else {
			made++
		}
	}
	if len(outputs) != 300 || made != agent.MaxCalls || refused != 300-agent.MaxCalls || len(r.Events) != 300 {
		t.Errorf("%d outputs, %d made, %d refused, %d events", len(outputs), made, refused, len(r.Events))
	}
}
