// Package llmtest is a scripted OpenAI-compatible endpoint for tests: each
// request takes the next step of a script, over real HTTP.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Step is one answer of the endpoint.
type Step struct {
	Text  string
	Calls []Call
	// Usage in tokens; when both are zero the prompt's bytes and the text's
	// count.
	In, Out int
	// Status other than 0 or 200 answers with an error and Body.
	Status     int
	Body       string
	RetryAfter string
	Cut        bool          // the stream ends in the middle
	Stall      time.Duration // before the first byte
	Pause      time.Duration // between chunks
	Raw        string        // instead of everything else, the body of a 200
}

// Call is a tool call of the model.
type Call struct{ Name, Args string }

// Server is the endpoint. Its script may grow while it runs.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	script   []Step
	next     int
	requests []Request
	answer   func(Request) Step // in place of the script
	t        testing.TB         // that fails where a request is refused; nil for a handler
}

// Request is what a client sent.
type Request struct {
	Authorization string
	Body          map[string]any
}

// New starts an endpoint that ends with the test.
func New(t testing.TB, script ...Step) *Server {
	s := Unstarted(script...)
	s.t = t
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Func starts an endpoint that answers each request by what it says, so that
// several runs can talk to it at the same time. It keeps no requests.
func Func(t testing.TB, answer func(Request) Step) *Server {
	s := Answering(answer)
	s.t = t
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Answering is such an endpoint as a handler, for a server of the caller's.
func Answering(answer func(Request) Step) *Server { return &Server{answer: answer} }

// Turn is which of the model's turns a request asks for, from 0, and the task:
// what the user said last.
func (r Request) Turn() (turn int, task string) {
	messages, _ := r.Body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		switch message["role"] {
		case "assistant":
			turn++
		case "user":
			turn, task = 0, fmt.Sprint(message["content"])
		}
	}
	return turn, task
}

// Outputs are the outputs of tools that a request holds, in order.
func (r Request) Outputs() []string {
	var all []string
	messages, _ := r.Body["messages"].([]any)
	for _, m := range messages {
		if message, _ := m.(map[string]any); message["role"] == "tool" {
			all = append(all, fmt.Sprint(message["content"]))
		}
	}
	return all
}

// Unstarted is an endpoint as a handler, for a server of the caller's.
func Unstarted(script ...Step) *Server { return &Server{script: script} }

// Add appends steps to the script.
func (s *Server) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, steps...)
}

// Requests are what has been asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) take(r *http.Request) (Step, int) {
	body, _ := io.ReadAll(r.Body)
	var parsed map[string]any
	_ = json.Unmarshal(body, &parsed)
	request := Request{r.Header.Get("Authorization"), parsed}
	complaint, known := Judge(body)
	if known {
		note(complaint)
	}
	if complaint != "" { // with a status that clients neither learn from nor ask again after
		if s.t != nil {
			s.t.Errorf("a request is %s", complaint)
		}
		text, _ := json.Marshal(map[string]any{"error": map[string]any{"message": complaint}})
		return Step{Status: http.StatusForbidden, Body: string(text)}, len(body)
	}
	if s.answer != nil {
		return s.answer(request), len(body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	if s.next >= len(s.script) {
		return Step{Status: 404, Body: `{"error":{"message":"the script has ended"}}`}, len(body)
	}
	s.next++
	return s.script[s.next-1], len(body)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	step, size := s.take(r)
	if step.Stall > 0 {
		select {
		case <-time.After(step.Stall):
		case <-r.Context().Done():
			return
		}
	}
	if step.RetryAfter != "" {
		w.Header().Set("Retry-After", step.RetryAfter)
	}
	if step.Status != 0 && step.Status != 200 {
		w.WriteHeader(step.Status)
		io.WriteString(w, step.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if step.Raw != "" {
		io.WriteString(w, step.Raw)
		return
	}
	s.stream(w, step, size)
}

// stream sends the answer in small pieces.
func (s *Server) stream(w http.ResponseWriter, step Step, size int) {
	send := func(delta map[string]any, finish any, extra map[string]any) {
		chunk := map[string]any{"id": "c1", "object": "chat.completion.chunk", "model": "scripted",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}
		maps.Copy(chunk, extra)
		text, _ := json.Marshal(chunk)
		fmt.Fprintf(w, ": comment\ndata: %s\n\n", text)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		time.Sleep(step.Pause)
	}
	for i, piece := range pieces(step.Text) {
		if step.Cut && i > 0 {
			return
		}
		send(map[string]any{"content": piece}, nil, nil)
	}
	for i, call := range step.Calls {
		head := map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{"name": call.Name, "arguments": ""}}
		send(map[string]any{"tool_calls": []any{head}}, nil, nil)
		for _, piece := range pieces(call.Args) {
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil, nil)
		}
	}
	if step.Cut {
		return
	}
	finish := "stop"
	if len(step.Calls) > 0 {
		finish = "tool_calls"
	}
	send(map[string]any{}, finish, nil)
	in, out := step.In, step.Out
	if in == 0 && out == 0 {
		in, out = size/4, len(step.Text)/4+1
	}
	text, _ := json.Marshal(map[string]any{"id": "c1", "model": "scripted", "choices": []any{}, "usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}})
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", text)
}

// pieces are seven characters each.
func pieces(text string) []string {
	var all []string
	for piece := range slices.Chunk([]rune(text), 7) {
		all = append(all, string(piece))
	}
	return all
}
