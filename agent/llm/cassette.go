package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Cassette is a transport that keeps what a model answered, so that runs can be
// repeated without one. A cassette is a file with one exchange a line; it holds
// bodies and statuses, no headers and no key. Requests are matched by their
// conversations: the same question asked again gets the next answer recorded for it.
type Cassette struct {
	path   string
	record http.RoundTripper // nil replays only
	secret string

	mu       sync.Mutex
	recorded map[string][]exchange
	next     map[string]int
}

// exchange is one line of a cassette.
type exchange struct {
	Request string `json:"request"` // digest of model and conversation
	Asks    string `json:"asks"`    // the end of the last message, for readers
	Status  int    `json:"status"`
	Type    string `json:"type"`
	Body    string `json:"body"`
}

// OpenCassette opens a cassette. With a transport, what it does not have is
// asked there and recorded; without one, that is an error. The secret never
// reaches the file.
func OpenCassette(path string, record http.RoundTripper, secret string) (*Cassette, error) {
	c := &Cassette{path: path, record: record, secret: secret, recorded: map[string][]exchange{}, next: map[string]int{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && record != nil {
		return c, os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var e exchange
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		c.recorded[e.Request] = append(c.recorded[e.Request], e)
	}
	return c, nil
}

// NotRecordedError is a question that a cassette has no answer to.
type NotRecordedError struct{ Path, Asks string }

func (e *NotRecordedError) Error() string {
	return fmt.Sprintf("cassette %s holds no answer to %q", e.Path, e.Asks)
}

// RoundTrip answers from the cassette, or asks and records.
func (c *Cassette) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	key := c.key(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.next[key]; n < len(c.recorded[key]) {
		c.next[key]++
		return c.recorded[key][n].response(r), nil
	}
	if c.record == nil {
		return nil, &NotRecordedError{c.path, asks(body)}
	}
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	response, err := c.record.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	e := exchange{key, c.clean(asks(body)), response.StatusCode, response.Header.Get("Content-Type"), c.clean(string(answer))}
	if passingStatus(e.Status) { // a busy server is not an answer to keep
		return e.response(r), nil
	}
	c.recorded[key] = append(c.recorded[key], e)
	c.next[key]++
	return e.response(r), c.append(e)
}

// key names a question by the model and the conversation after the system
// prompt: what tools are described as may change without a new recording.
func (c *Cassette) key(body []byte) string {
	var request struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string          `json:"role"`
			Content string          `json:"content"`
			Calls   json.RawMessage `json:"tool_calls"`
		} `json:"messages"`
	}
	whole := sha256.New()
	if err := json.Unmarshal(body, &request); err != nil {
		whole.Write(body)
	}
	fmt.Fprintf(whole, "%q\n", request.Model)
	for _, m := range request.Messages {
		if m.Role != "system" {
			fmt.Fprintf(whole, "%q %q %q\n", m.Role, m.Content, m.Calls)
		}
	}
	return hex.EncodeToString(whole.Sum(nil)[:16])
}

func (c *Cassette) clean(text string) string {
	if len(c.secret) < 8 {
		return text
	}
	return strings.ReplaceAll(text, c.secret, "[key]")
}

func (c *Cassette) append(e exchange) error {
	f, err := os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
}

func (e exchange) response(r *http.Request) *http.Response {
	return &http.Response{StatusCode: e.Status, Status: http.StatusText(e.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {e.Type}}, Body: io.NopCloser(strings.NewReader(e.Body)), ContentLength: int64(len(e.Body)), Request: r}
}

// asks is the end of a request's last message.
func asks(body []byte) string {
	var request struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &request) != nil || len(request.Messages) == 0 {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(request.Messages[len(request.Messages)-1].Content), " "))
	return string(text[max(0, len(text)-120):])
}
