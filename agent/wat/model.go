package wat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wb/agent"
)

// Model is a model of this style for the loop of package agent: answers in words
// become tool calls, and the tools' outputs go back as observations.
type Model struct{ agent.Model }

// Complete asks the model with the transcript as it reads it.
func (m Model) Complete(ctx context.Context, request agent.Request, delta func(string)) (agent.Reply, error) {
	final := request.NoCalls || len(request.Tools) == 0
	request.Messages = transcript(request.Messages)
	request.Tools, request.NoCalls = nil, false
	if n := len(request.Messages); final && n > 0 {
		last := &request.Messages[n-1]
		last.Content += "\n[System] You MUST respond with ToolCall::Response(\"\"\"...\"\"\") now, summarizing what you accomplished."
	}
	reply, err := m.Model.Complete(ctx, request, delta)
	if err != nil {
		return reply, err
	}
	reply.Message = asCall(reply.Message, final)
	return reply, nil
}

// transcript is a conversation without tools: calls are the words they were made
// of, outputs are observations of the user.
func transcript(messages []agent.Message) []agent.Message {
	var all []agent.Message
	step := 0
	for _, msg := range messages {
		switch msg.Role {
		case agent.RoleAssistant:
			msg = agent.Message{Role: agent.RoleAssistant, Content: msg.Content}
		case agent.RoleTool:
			if strings.HasPrefix(msg.Content, notCompiled) {
				msg = agent.Message{Role: agent.RoleUser, Content: msg.Content}
				break
			}
			step++
			msg = agent.Message{Role: agent.RoleUser, Content: fmt.Sprintf("[Observation (step %d)] %s", step, msg.Content)}
		}
		all = append(all, msg)
	}
	return all
}

// The tools that answers become.
const (
	toolWat     = "wat"
	toolCatalog = "catalog"
	toolCode    = "code"
	toolUnread  = "unread"
)

// asCall is an answer as a message with a tool call, or as the result.
func asCall(msg agent.Message, final bool) agent.Message {
	if len(msg.ToolCalls) > 0 { // a model that insists on calling tools
		return msg
	}
	a := Parse(msg.Content)
	if a.Kind == KindResponse || final {
		if a.Kind == KindResponse {
			msg.Content = a.Body
		} else {
			msg.Content = a.Thought
		}
		return msg
	}
	args := map[string]any{"args": append([]string{}, a.Args...)}
	name := toolWat
	switch a.Kind {
	case KindWat:
		args["body"] = a.Body
	case KindCatalog:
		name, args["name"] = toolCatalog, a.Name
	case KindUnread:
		name = toolUnread
	case KindCode:
		name, args["lang"], args["body"] = toolCode, a.Name, a.Body
	}
	text, _ := json.Marshal(args)
	msg.ToolCalls = []agent.ToolCall{{ID: "call_0", Name: name, Args: string(text)}}
	return msg
}
