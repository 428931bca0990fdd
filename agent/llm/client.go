// Package llm asks models behind an OpenAI-compatible endpoint.
//
// Every turn is streamed, bounded twice (each request, and all attempts
// together), and tried again on what passes: rate limits, server errors, broken
// connections and streams that end before their time. Endpoints that know no
// JSON Schema get it as an instruction. The key is sent in the Authorization
// header and occurs nowhere else: errors are searched for it.
package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sashabaranov/go-openai"

	"wb/agent"
	"wb/internal/trace"
)

// Bounds of a turn.
const (
	RequestTimeout = 120 * time.Second
	DefaultRetries = 2
	slack          = 15 * time.Second // of all attempts together
)

// Config says where the model is. It is not changed afterwards.
type Config struct {
	BaseURL string
	Key     string // "" sends no Authorization
	Retries int    // attempts after the first; DefaultRetries when negative
	// Request bounds one attempt, 0 is RequestTimeout.
	Request time.Duration
	// OnRetry hears about each attempt that failed and will be repeated.
	OnRetry func(attempt int, err error, wait time.Duration)
	// Transport is the HTTP transport, nil for the default one.
	Transport http.RoundTripper
	// Backoff is the first wait between attempts, 0 is half a second; it
	// doubles. A Retry-After of the server's is obeyed instead.
	Backoff time.Duration
}

// ErrHardTimeout ends a turn whose attempts together took too long.
var ErrHardTimeout = errors.New("llm_hard_timeout")

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	config Config
	api    *openai.Client

	mu     sync.Mutex
	habits map[string]habits // by model, as far as they were corrected

	learnings atomic.Int64
}

// New makes a client.
func New(config Config) (*Client, error) {
	u, err := url.Parse(config.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, fmt.Errorf("model endpoint %q is not an http URL", config.BaseURL)
	}
	if config.Retries < 0 {
		config.Retries = DefaultRetries
	}
	if config.Request == 0 {
		config.Request = RequestTimeout
	}
	if config.Backoff == 0 {
		config.Backoff = 500 * time.Millisecond
	}
	c := openai.DefaultConfig(config.Key)
	c.BaseURL = strings.TrimSuffix(config.BaseURL, "/")
	c.EmptyMessagesLimit = 1 << 20 // a model that thinks long keeps the line alive with comments
	transport := config.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	c.HTTPClient = &http.Client{Transport: sending{listening{transport}}}
	return &Client{config: config, api: openai.NewClientWithConfig(c), habits: map[string]habits{}}, nil
}

// Complete answers one turn.
func (c *Client) Complete(ctx context.Context, request agent.Request, delta func(string)) (agent.Reply, error) {
	outer := time.Duration(c.config.Retries+1)*c.config.Request + slack
	all, cancel := context.WithTimeoutCause(ctx, outer, ErrHardTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		heard := &heard{}
		reply, err := c.attempt(context.WithValue(all, heardKey{}, heard), request, delta)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return reply, ctx.Err()
		}
		if all.Err() != nil {
			return reply, ErrHardTimeout
		}
		if c.learnt(request.Model, err) {
			attempt--
			continue
		}
		if attempt > c.config.Retries || !passing(err) {
			return reply, c.redacted(err)
		}
		wait := c.wait(attempt, heard)
		if c.config.OnRetry != nil {
			c.config.OnRetry(attempt, c.redacted(err), wait)
		}
		select {
		case <-time.After(wait):
		case <-all.Done():
		}
	}
}

// habitsFor are those of a model as far as they are known.
func (c *Client) habitsFor(model string) habits {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, ok := c.habits[model]; ok {
		return h
	}
	return habitsOf(model)
}

// learnt reports whether a refusal says how the model wants to be asked.
func (c *Client) learnt(model string, err error) bool {
	said, ok := refusesParameter(err)
	if !ok {
		return false
	}
	h, changed := c.habitsFor(model).corrected(said)
	if !changed || c.learnings.Add(1) > maxLearnt {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.habits[model] = h
	return true
}

// maxLearnt bounds how often a client corrects itself: two servers behind one
// address may want opposite things.
const maxLearnt = 12

// attempt sends the request once and reads the stream to its end.
func (c *Client) attempt(ctx context.Context, request agent.Request, delta func(string)) (agent.Reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.config.Request, errSlow)
	defer cancel()
	body, err := encode(request, c.habitsFor(request.Model))
	if err != nil {
		return agent.Reply{}, err
	}
	stream, err := c.api.CreateChatCompletionStream(withBody(ctx, body), openai.ChatCompletionRequest{Model: request.Model})
	if err != nil {
		return agent.Reply{}, named(ctx, err)
	}
	defer stream.Close()
	var reply agent.Reply
	reply.Message.Role = agent.RoleAssistant
	var text strings.Builder
	calls := map[int]*agent.ToolCall{}
	chunks := 0
	for ; ; chunks++ {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return agent.Reply{}, named(ctx, err)
		}
		if chunk.Model != "" {
			reply.Model = chunk.Model
		}
		if chunk.Usage != nil {
			reply.Usage = usageOf(chunk.Usage)
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		choice := chunk.Choices[0]
		if choice.FinishReason != "" {
			reply.Finish = string(choice.FinishReason)
		}
		if choice.Delta.Content != "" {
			text.WriteString(choice.Delta.Content)
			if delta != nil {
				delta(choice.Delta.Content)
			}
		}
		for i, part := range choice.Delta.ToolCalls {
			at := i
			if part.Index != nil {
				at = *part.Index
			}
			call := calls[at]
			if call == nil {
				call = &agent.ToolCall{}
				calls[at] = call
			}
			if part.ID != "" {
				call.ID = part.ID
			}
			call.Name += part.Function.Name
			call.Args += part.Function.Arguments
		}
	}
	switch {
	case chunks == 0 && notStream(stream.Header().Get("Content-Type")):
		return agent.Reply{}, errNoStream
	case reply.Finish == "":
		return agent.Reply{}, errCut
	}
	reply.Message.Content = text.String()
	for _, i := range slices.Sorted(maps.Keys(calls)) {
		call := calls[i]
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", i)
		}
		reply.Message.ToolCalls = append(reply.Message.ToolCalls, *call)
	}
	return reply, nil
}

func usageOf(u *openai.Usage) trace.Usage {
	usage := trace.Usage{TokensIn: int64(u.PromptTokens), TokensOut: int64(u.CompletionTokens)}
	if u.PromptTokensDetails != nil {
		usage.TokensCached = int64(u.PromptTokensDetails.CachedTokens)
	}
	return usage
}

// wait is how long to wait before the next attempt.
func (c *Client) wait(attempt int, h *heard) time.Duration {
	if after := h.retryAfter.Load(); after > 0 {
		return min(time.Duration(after), c.config.Request)
	}
	wait := c.config.Backoff << (attempt - 1)
	return wait/2 + rand.N(wait)
}

// heard holds the headers of an attempt's response.
type heard struct{ retryAfter atomic.Int64 } // nanoseconds

type heardKey struct{}

// listening is a transport that notes Retry-After, which go-openai drops.
type listening struct{ http.RoundTripper }

func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	h, ok := r.Context().Value(heardKey{}).(*heard)
	if err != nil || !ok {
		return response, err
	}
	after := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(after, 64); err == nil && seconds >= 0 {
		h.retryAfter.Store(int64(min(seconds, 3600)*1e9) + 1)
	} else if at, err := http.ParseTime(after); err == nil {
		h.retryAfter.Store(max(1, int64(time.Until(at))))
	}
	return response, nil
}
