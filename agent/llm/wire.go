package llm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/sashabaranov/go-openai"

	"wb/agent"
)

// wireRequest is a chat completion as OpenAI's schema has it. go-openai's own types
// leave out fields that are empty, also those that must be there: the content of a
// tool's message, the arguments of a call.
type wireRequest struct {
	Model               string                               `json:"model"`
	Messages            []wireMessage                        `json:"messages"`
	Tools               []openai.Tool                        `json:"tools,omitempty"`
	ToolChoice          string                               `json:"tool_choice,omitempty"`
	Temperature         *float64                             `json:"temperature,omitempty"`
	MaxTokens           int                                  `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                                  `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string                               `json:"reasoning_effort,omitempty"`
	ResponseFormat      *openai.ChatCompletionResponseFormat `json:"response_format,omitempty"`
	Stream              bool                                 `json:"stream"`
	StreamOptions       *openai.StreamOptions                `json:"stream_options,omitempty"`
}

// wireMessage is one message. Content is a text, parts, or null in an assistant's
// message that only calls tools.
type wireMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// habits record which request parameters an endpoint accepts for a model. They begin with
// what the model's name tells and are corrected by what the endpoint refuses.
type habits struct {
	completionTokens bool // max_completion_tokens in place of max_tokens
	otherTokens      bool // than the model's name tells
	noTemperature    bool
	noEffort         bool
	noSchema         bool // response_format; the schema goes as an instruction
	noUsage          bool // stream_options
	noChoice         bool // tool_choice
	noPictures       bool // parts of messages that are pictures
}

// reasoners are the names of OpenAI's models that reason before they answer, with or
// without the name of a vendor before them. They take no temperature, and
// max_completion_tokens only.
var reasoners = regexp.MustCompile(`^(o[1-9]|gpt-[5-9])([-.:].*)?$`)

func habitsOf(model string) habits {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	thinks := reasoners.MatchString(name) && !strings.Contains(name, "-chat")
	return habits{completionTokens: thinks, noTemperature: thinks}
}

// unsupported are words of an endpoint that does not know a parameter or its value.
var unsupported = regexp.MustCompile(`(?i)support|unknown|unrecognized|unexpected|extra|not permitted|not allowed|invalid|deprecated|only the default`)

// corrected are the habits after a refusal, which names what was refused. The same
// correction is not made twice.
func (h habits) corrected(said string) (habits, bool) {
	before := h
	names := func(parameter string) bool { return strings.Contains(said, parameter) && unsupported.MatchString(said) }
	switch {
	case strings.Contains(said, "response_format") || strings.Contains(said, "json_schema"):
		h.noSchema = true
	case (names("max_tokens") || names("max_completion_tokens")) && !h.otherTokens: // each may be named as what to use instead
		h.completionTokens, h.otherTokens = !h.completionTokens, true
	case names("temperature"):
		h.noTemperature = true
	case names("reasoning"):
		h.noEffort = true
	case names("stream_options"):
		h.noUsage = true
	case names("tool_choice"):
		h.noChoice = true
	case names("image"):
		h.noPictures = true
	}
	return h, h != before
}

// encode is a request in the form of the wire.
func encode(r agent.Request, h habits) ([]byte, error) {
	w := wireRequest{Model: r.Model, Messages: messages(r.Messages, !h.noPictures), Stream: true}
	if !h.noUsage {
		w.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	if !h.noTemperature {
		w.Temperature = &r.Temperature
	}
	if !h.noEffort {
		w.ReasoningEffort = r.Reasoning
	}
	if h.completionTokens {
		w.MaxCompletionTokens = r.MaxTokens
	} else {
		w.MaxTokens = r.MaxTokens
	}
	for _, t := range r.Tools {
		w.Tools = append(w.Tools, openai.Tool{Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	if r.NoCalls && len(w.Tools) > 0 && !h.noChoice {
		w.ToolChoice = "none"
	}
	switch {
	case len(r.Schema) == 0:
	case h.noSchema:
		w.Messages = append(w.Messages, wireMessage{Role: agent.RoleSystem,
			Content: "Give the final result as JSON that fits this JSON Schema, and nothing else:\n" + string(r.Schema)})
	default:
		w.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "result", Schema: r.Schema}}
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(w)
	return body.Bytes(), err
}

// messages are a transcript's. Only users' messages may have pictures, so those of
// tools follow in one after the tools' outputs.
func messages(transcript []agent.Message, see bool) []wireMessage {
	var all []wireMessage
	var pictures []agent.Picture
	show := func() {
		if len(pictures) > 0 {
			all = append(all, wireMessage{Role: agent.RoleUser, Content: parts("The pictures that the tools gave:", pictures)})
			pictures = nil
		}
	}
	for _, m := range transcript {
		if !see && len(m.Pictures) > 0 {
			m.Pictures, m.Content = nil, strings.TrimSpace(m.Content+"\n(a picture that this model cannot see)")
		}
		w := wireMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		switch {
		case m.Role == agent.RoleTool:
			pictures = append(pictures, m.Pictures...)
			all = append(all, w)
			continue
		case m.Role == agent.RoleSystem && m.Content == "":
			continue
		case len(m.Pictures) > 0:
			w.Content = parts(m.Content, m.Pictures)
		case m.Content == "" && len(m.ToolCalls) > 0:
			w.Content = nil
		}
		show()
		for _, call := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, wireCall{call.ID, "function", wireFunction{functionName(call.Name), arguments(call.Args)}})
		}
		all = append(all, w)
	}
	show()
	return all
}

func parts(text string, pictures []agent.Picture) []openai.ChatMessagePart {
	all := []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: text}}
	for _, p := range pictures {
		all = append(all, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL,
			ImageURL: &openai.ChatMessageImageURL{URL: "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)}})
	}
	return all
}

// functionName makes a valid function name: models call tools that do not exist, by
// names that endpoints refuse.
func functionName(name string) string {
	clean := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, name)
	if clean == "" {
		return "unnamed"
	}
	return clean[:min(len(clean), 64)]
}

// arguments are those of a call as a JSON object: endpoints parse them, also where
// the model did not write one.
func arguments(text string) string {
	text = strings.TrimSpace(text)
	var object map[string]json.RawMessage
	switch {
	case text == "":
		return "{}"
	case json.Unmarshal([]byte(text), &object) == nil && object != nil:
		return text
	}
	whole, _ := json.Marshal(map[string]string{"not_a_json_object": text}) // of strings: cannot fail
	return string(whole)
}

type bodyKey struct{}

// sending is a transport that sends the body of the request's context in place of
// what go-openai made of it.
type sending struct{ http.RoundTripper }

func (s sending) RoundTrip(r *http.Request) (*http.Response, error) {
	if body, ok := r.Context().Value(bodyKey{}).([]byte); ok {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		r = r.Clone(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return s.RoundTripper.RoundTrip(r)
}

// withBody is a context whose request has a body of ours.
func withBody(ctx context.Context, body []byte) context.Context {
	return context.WithValue(ctx, bodyKey{}, body)
}
