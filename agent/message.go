package agent

import (
	"context"
	"encoding/json"

	"wb/internal/trace"
)

// The roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one entry of a transcript. Of what a provider returns, nothing
// but these fields is kept.
type Message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool's output
	Pictures   []Picture  `json:"pictures,omitempty"`     // of a user or a tool
}

// Picture is an image that a model is shown.
type Picture struct {
	Type string `json:"type"` // such as image/png
	Data []byte `json:"data"`
}

// ToolCall is the model's wish to use a tool; Args is JSON as the model wrote
// it, which may be broken.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Request is one turn put to a model.
type Request struct {
	Model       string          `json:"model"`
	Messages    []Message       `json:"messages"`
	Tools       []ToolSpec      `json:"tools,omitempty"`
	Temperature float64         `json:"temperature"`
	MaxTokens   int             `json:"max_tokens,omitempty"` // of the answer; 0 leaves it to the provider
	Schema      json.RawMessage `json:"schema,omitempty"`     // JSON Schema the answer must follow
	// Reasoning is how long a model that reasons should: none, minimal, low, medium,
	// high, xhigh or max; "" leaves it to the provider.
	Reasoning string `json:"reasoning,omitempty"`
	// NoCalls keeps the model from calling the tools, which the history may have
	// calls of.
	NoCalls bool `json:"no_calls,omitempty"`
}

// Reply is a model's answer.
type Reply struct {
	Message Message     `json:"message"`
	Model   string      `json:"model,omitempty"`
	Finish  string      `json:"finish_reason,omitempty"`
	Usage   trace.Usage `json:"usage"`
}

// Model answers turns. Delta, when not nil, hears the text as it comes. An
// error ends the run; what can be tried again has been.
type Model interface {
	Complete(ctx context.Context, request Request, delta func(text string)) (Reply, error)
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parameters"` // JSON Schema of the arguments, an object
}
