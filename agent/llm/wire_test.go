package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/llm"
	"wb/internal/test/llmtest"
)

// conversation has everything that a transcript may hold.
var conversation = []agent.Message{
	{Role: agent.RoleSystem},
	{Role: agent.RoleUser, Content: ""},
	{Role: agent.RoleAssistant, ToolCalls: []agent.ToolCall{{ID: "a", Name: "publish"}, {ID: "b", Name: "no such <tool>", Args: `{"cut": "of`}, {ID: "c", Name: "", Args: `"text"`}}},
	{Role: agent.RoleTool, ToolCallID: "a", Content: ""},
	{Role: agent.RoleTool, ToolCallID: "b", Content: "a picture", Pictures: []agent.Picture{{Type: "image/png", Data: []byte("png")}}},
	{Role: agent.RoleTool, ToolCallID: "c", Content: "no such tool"},
	{Role: agent.RoleAssistant},
	{Role: agent.RoleUser, Content: "look", Pictures: []agent.Picture{{Type: "image/jpeg", Data: []byte("jpg")}}},
}

var request = agent.Request{Model: "m", Messages: conversation, Temperature: 0.4, MaxTokens: 100, NoCalls: true, Reasoning: "low",
	Tools:  []agent.ToolSpec{{Name: "publish", Description: "d", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}},
	Schema: json.RawMessage(`{"type":"object"}`)}

func asked(t *testing.T, r agent.Request, script ...llmtest.Step) ([]llmtest.Request, error) {
	t.Helper()
	server := llmtest.New(t, script...)
	client, err := llm.New(llm.Config{BaseURL: server.URL, Retries: 0})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Complete(context.Background(), r, nil)
	return server.Requests(), err
}

// What must be there is, also where it is empty; llmtest refuses what OpenAI would.
func TestWire(t *testing.T) {
	requests, err := asked(t, request, llmtest.Step{Text: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	body := requests[0].Body
	messages := body["messages"].([]any)
	var roles []string
	for _, m := range messages {
		message := m.(map[string]any)
		roles = append(roles, fmt.Sprint(message["role"]))
		if _, ok := message["content"]; !ok {
			t.Errorf("%v has no content", message)
		}
	}
	if got, want := strings.Join(roles, " "), "user assistant tool tool tool user assistant user"; got != want {
		t.Errorf("roles %s, want %s", got, want)
	}
	var calls []string
	for _, c := range messages[1].(map[string]any)["tool_calls"].([]any) {
		f := c.(map[string]any)["function"].(map[string]any)
		calls = append(calls, fmt.Sprint(f["name"], f["arguments"]))
	}
	if want := []string{"publish{}", `no_such__tool_{"not_a_json_object":"{\"cut\": \"of"}`, `unnamed{"not_a_json_object":"\"text\""}`}; !slices.Equal(calls, want) {
		t.Errorf("calls %q", calls)
	}
	shown, _ := json.Marshal(messages[5])
	if !strings.Contains(string(shown), `"url":"data:image/png;base64,cG5n"`) {
		t.Errorf("the picture is %s", shown)
	}
	if body["tool_choice"] != "none" || body["tools"] == nil || body["reasoning_effort"] != "low" || body["max_tokens"] != 100.0 {
		t.Errorf("%v", body)
	}
}

// How a model is asked is known from its name, and learnt from what is refused.
func TestHabits(t *testing.T) {
	for model, thinks := range map[string]bool{"gpt-5": true, "gpt-5-mini": true, "openai/gpt-5.1": true, "o3-mini": true, "o1": true, "gpt-4o": false, "gpt-5-chat-latest": false, "qwen3:14b": false, "omni": false} {
		r := request
		r.Model = model
		requests, err := asked(t, r, llmtest.Step{Text: "ok"})
		if err != nil {
			t.Fatal(err)
		}
		body := requests[0].Body
		if _, given := body["temperature"]; given == thinks || (body["max_completion_tokens"] != nil) != thinks || (body["max_tokens"] == nil) != thinks {
			t.Errorf("%s: %v", model, body)
		}
	}
	refusals := []string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		"Unsupported value: 'temperature' does not support 0.4 with this model. Only the default (1) value is supported.",
		"Unrecognized request argument supplied: reasoning_effort",
		"response_format: json_schema is unknown",
		"stream_options: extra fields not permitted",
		"tool_choice none is not supported",
	}
	var script []llmtest.Step
	for _, text := range refusals {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text}})
		script = append(script, llmtest.Step{Status: 400, Body: string(body)})
	}
	requests, err := asked(t, request, append(script, llmtest.Step{Text: "ok"})...)
	if err != nil {
		t.Fatal(err)
	}
	last := requests[len(requests)-1].Body
	for _, key := range []string{"max_tokens", "temperature", "reasoning_effort", "response_format", "stream_options", "tool_choice"} {
		if last[key] != nil {
			t.Errorf("%s is still sent", key)
		}
	}
	if last["max_completion_tokens"] != 100.0 || last["tools"] == nil {
		t.Errorf("%v", last)
	}
	if requests, err := asked(t, request, append(script[:1:1], script[0], script[0])...); err == nil || len(requests) != 2 {
		t.Errorf("what is refused again: %d requests, %v", len(requests), err)
	}
}
