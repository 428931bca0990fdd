package mcp_test

//lint:file-ignore SA1019 the suite asks for logging and sampling, which the protocol will drop in time

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The smallest files of their kinds: one red pixel, and no sound.
var (
	pixel = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	hush  = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// suite describes what is there for the suite only.
const suite = "Asked for by the conformance suite."

// equip adds to a server what the protocol's conformance suite asks a server for by
// name: tools, prompts and resources that answer with each kind of content, and tools
// that ask the client for something in their middle. Transport, sessions,
// notifications, completions and subscriptions are those of the server it is given.
func equip(server *sdk.Server) {
	tools(server)
	resources(server)
	prompts(server)
}

// call is what a tool of the suite does.
type call func(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) ([]sdk.Content, error)

func says(content ...sdk.Content) call {
	return func(context.Context, *sdk.CallToolRequest, map[string]any) ([]sdk.Content, error) {
		return content, nil
	}
}

func text(format string, args ...any) sdk.Content {
	return &sdk.TextContent{Text: fmt.Sprintf(format, args...)}
}

func embedded(uri string) sdk.Content {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource"}}
}

func tools(server *sdk.Server) {
	image := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	for name, t := range map[string]struct {
		schema string
		call   call
	}{
		"test_simple_text":                  {"", says(text("This is a simple text response for testing."))},
		"test_image_content":                {"", says(image)},
		"test_audio_content":                {"", says(&sdk.AudioContent{Data: hush, MIMEType: "audio/wav"})},
		"test_embedded_resource":            {"", says(embedded("test://embedded-resource"))},
		"test_multiple_content_types":       {"", says(text("Multiple content types test:"), image, embedded("test://mixed-content-resource"))},
		"test_tool_with_logging":            {"", logs},
		"test_tool_with_progress":           {"", progresses},
		"test_error_handling":               {"", fails},
		"test_reconnection":                 {"", reconnects},
		"test_sampling":                     {`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, samples},
		"test_elicitation":                  {`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, elicits(userSchema)},
		"test_elicitation_sep1034_defaults": {"", elicits(defaultsSchema)},
		"test_elicitation_sep1330_enums":    {"", elicits(enumsSchema)},
		"json_schema_2020_12_tool":          {modernSchema, says(text("called"))},
	} {
		if t.schema == "" {
			t.schema = `{"type":"object"}`
		}
		sdk.AddTool(server, &sdk.Tool{Name: name, Description: suite, InputSchema: json.RawMessage(t.schema)},
			func(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) (*sdk.CallToolResult, any, error) {
				content, err := t.call(ctx, r, args)
				if err != nil {
					return nil, nil, err
				}
				return &sdk.CallToolResult{Content: content}, nil, nil
			})
	}
}

// modernSchema has words that older drafts of JSON Schema do not know.
const modernSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
 "$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
 "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`

const userSchema = `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`

const defaultsSchema = `{"type":"object","properties":{
 "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
 "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`

const enumsSchema = `{"type":"object","properties":{
 "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
 "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
 "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
 "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
 "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`

func fails(context.Context, *sdk.CallToolRequest, map[string]any) ([]sdk.Content, error) {
	return nil, errors.New("This tool intentionally returns an error for testing")
}

func logs(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) ([]sdk.Content, error) {
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
			return nil, err
		}
		pause(ctx)
	}
	return []sdk.Content{text("logged")}, nil
}

func progresses(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) ([]sdk.Content, error) {
	for _, done := range []float64{0, 50, 100} {
		if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: done, Total: 100}); err != nil {
			return nil, err
		}
		pause(ctx)
	}
	return []sdk.Content{text("%v", r.Params.GetProgressToken())}, nil
}

// pause is the rhythm of what comes bit by bit.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

// reconnects closes the stream of its own answer, which the client comes back for.
func reconnects(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) ([]sdk.Content, error) {
	if r.Extra == nil || r.Extra.CloseSSEStream == nil {
		return nil, errors.New("the transport cannot close a stream")
	}
	r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	pause(ctx)
	pause(ctx)
	return []sdk.Content{text("Reconnection test completed successfully.")}, nil
}

func samples(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) ([]sdk.Content, error) {
	prompt, _ := args["prompt"].(string)
	answer, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: text("%s", prompt)}}})
	if err != nil {
		return nil, err
	}
	said, ok := answer.Content.(*sdk.TextContent)
	if !ok {
		return nil, fmt.Errorf("the client answered with %T", answer.Content)
	}
	return []sdk.Content{text("LLM response: %s", said.Text)}, nil
}

func elicits(schema string) call {
	return func(ctx context.Context, r *sdk.CallToolRequest, args map[string]any) ([]sdk.Content, error) {
		message, _ := args["message"].(string)
		if message == "" {
			message = "Please tell"
		}
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		given, err := json.Marshal(answer.Content)
		return []sdk.Content{text("User response: action=%s, content=%s", answer.Action, given)}, err
	}
}

func resources(server *sdk.Server) {
	give := func(contents sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := contents
			c.URI = r.Params.URI
			id := strings.TrimSuffix(strings.TrimPrefix(c.URI, "test://template/"), "/data")
			c.Text = strings.ReplaceAll(c.Text, "ID", id)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
	}
	server.AddResource(&sdk.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"},
		give(sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	server.AddResource(&sdk.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"},
		give(sdk.ResourceContents{MIMEType: "image/png", Blob: pixel}))
	server.AddResource(&sdk.Resource{Name: "watched", URI: "test://watched-resource", MIMEType: "text/plain"},
		give(sdk.ResourceContents{MIMEType: "text/plain", Text: "Watched resource content"}))
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		give(sdk.ResourceContents{MIMEType: "application/json", Text: `{"id":"ID","templateTest":true,"data":"Data for ID: ID"}`}))
}

func prompts(server *sdk.Server) {
	asks := func(content func(args map[string]string) []sdk.Content) sdk.PromptHandler {
		return func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			result := &sdk.GetPromptResult{Description: suite}
			for _, c := range content(r.Params.Arguments) {
				result.Messages = append(result.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return result, nil
		}
	}
	server.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: suite}, asks(func(map[string]string) []sdk.Content {
		return []sdk.Content{text("This is a simple prompt for testing.")}
	}))
	server.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: suite, Arguments: []*sdk.PromptArgument{
		{Name: "arg1", Description: "First test argument", Required: true}, {Name: "arg2", Description: "Second test argument", Required: true}}},
		asks(func(args map[string]string) []sdk.Content {
			return []sdk.Content{text("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])}
		}))
	server.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: suite, Arguments: []*sdk.PromptArgument{
		{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}}},
		asks(func(args map[string]string) []sdk.Content {
			return []sdk.Content{embedded(args["resourceUri"]), text("Please process the embedded resource above.")}
		}))
	server.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: suite}, asks(func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: pixel, MIMEType: "image/png"}, text("Please analyze the image above.")}
	}))
}
