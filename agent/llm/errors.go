package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// RefusedError is an endpoint's answer that is no turn.
type RefusedError struct {
	Status int    // of HTTP; 0 when the stream itself said that it failed
	Said   string // by the endpoint, "" for nothing
	err    error
}

func (e *RefusedError) Error() string {
	text := "the model's endpoint failed"
	if e.Status != 0 {
		text = fmt.Sprintf("the model's endpoint answered %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Said != "" {
		text += ": " + e.Said
	}
	if help := advice[e.Status]; help != "" {
		text += " (" + help + ")"
	}
	return text
}

// ContextExceeded reports whether the conversation was too long for the model.
func (e *RefusedError) ContextExceeded() bool {
	return e.Status >= 400 && e.Status < 500 && tooLong.MatchString(e.Said)
}

// tooLong are the words of OpenAI, Anthropic, vLLM, llama.cpp, Ollama and Google.
var tooLong = regexp.MustCompile(`(?i)context.?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|input (is|token count).*(too long|exceed)|exceeds? the (available )?context`)

func (e *RefusedError) Unwrap() error { return e.err }

// advice says what answers usually mean.
var advice = map[int]string{
	http.StatusUnauthorized:    "is WB_LLM_API_KEY or OPENROUTER_API_KEY right?",
	http.StatusPaymentRequired: "the account has no credit",
	http.StatusNotFound:        "WB_LLM_BASE_URL is the part of the URL before /chat/completions, and the endpoint must offer the model",
}

var (
	errSlow    = errors.New("the model exceeded the time limit of a request")
	errCut     = errors.New("the model's stream ended in the middle of its answer")
	errGarbled = errors.New("the model's stream cannot be read")
	// errNoStream says that the address is not the API's; a retry would not help.
	errNoStream = errors.New("the model's endpoint sent a web page instead of a stream (WB_LLM_BASE_URL usually ends in /v1)")
)

// named is an error of go-openai's in words of ours.
func named(ctx context.Context, err error) error {
	var api *openai.APIError
	var request *openai.RequestError
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		return errSlow
	case errors.As(err, &api):
		return &RefusedError{api.HTTPStatusCode, api.Message, err}
	case errors.As(err, &request) && request.HTTPStatusCode != 0:
		return &RefusedError{request.HTTPStatusCode, saidIn(request.Body), err}
	case errors.As(err, new(*json.SyntaxError)), errors.As(err, new(*json.UnmarshalTypeError)):
		return fmt.Errorf("%w: %w", errGarbled, err)
	}
	return err
}

// notStream reports whether turns cannot be streamed in a type of content.
func notStream(content string) bool {
	return strings.HasPrefix(content, "text/html") || strings.HasPrefix(content, "application/json")
}

// maxSaid bounds what is told of a body that is not an error as OpenAI's are.
const maxSaid = 200

// saidIn is the text of a body that says why.
func saidIn(body []byte) string {
	text := strings.Join(strings.Fields(string(body)), " ")
	if text == "{}" || strings.HasPrefix(text, "<") { // a page for people
		return ""
	}
	if runes := []rune(text); len(runes) > maxSaid {
		text = string(runes[:maxSaid]) + "…"
	}
	return text
}

// passing reports whether an error may be gone at the next attempt.
func passing(err error) bool {
	var refused *RefusedError
	var network *url.Error
	switch {
	case errors.As(err, &refused):
		return passingStatus(refused.Status)
	case errors.Is(err, context.Canceled), errors.As(err, new(*NotRecordedError)):
		return false
	}
	return errors.Is(err, errSlow) || errors.Is(err, errCut) || errors.Is(err, errGarbled) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network) || strings.Contains(err.Error(), "connection")
}

func passingStatus(code int) bool {
	return code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code == http.StatusTooEarly || code >= 500 || code == 0
}

// refusesParameter returns the endpoint's message when it refused the form of a request.
func refusesParameter(err error) (said string, ok bool) {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return "", false
	}
	return refused.Said, refused.Status == http.StatusBadRequest || refused.Status == http.StatusUnprocessableEntity
}

// redacted removes the key from an error.
func (c *Client) redacted(err error) error {
	if c.config.Key == "" || !strings.Contains(err.Error(), c.config.Key) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), c.config.Key, "[key]"))
}
