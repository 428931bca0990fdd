package llmtest_test

import (
	"strings"
	"testing"

	"wb/internal/test/llmtest"
)

// The judge refuses what OpenAI does.
func TestJudge(t *testing.T) {
	if _, known := llmtest.Judge([]byte(`{}`)); !known {
		t.Skipf("no %s: .ci/openai fetches OpenAI's schema", llmtest.SchemaPath())
	}
	for body, want := range map[string]string{
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`:     "",
		`{"model":"m","messages":[{"role":"tool","tool_call_id":"c"}]}`: "content",
		`{"model":"m","messages":[{"role":"system"}]}`:                  "content",
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"c","content":""}]}`:                  "arguments",
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":""}]}`: "",
	} {
		got, _ := llmtest.Judge([]byte(body))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
