package wasm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"wb/sandbox"
	"wb/sandbox/dock"
)

// requests makes the requests of a component through the job's dock, as every other
// lane does: the same grants, limits and records.
type requests struct {
	dock *dock.Dock

	mu     sync.Mutex
	denied []*dock.Error // in the order they were refused
}

// do makes a request.
func (r *requests) do(ctx context.Context, q sandbox.HTTPRequest) (sandbox.HTTPReply, error) {
	options := struct {
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
		Base64  string            `json:"base64,omitempty"`
		Follow  bool              `json:"follow"`
	}{Method: q.Method, Headers: map[string]string{}, Base64: base64.StdEncoding.EncodeToString(q.Body)}
	for name, values := range q.Header {
		options.Headers[name] = strings.Join(values, ", ")
	}
	text, err := json.Marshal(options)
	if err != nil {
		return sandbox.HTTPReply{}, err
	}
	reply, err := r.call(ctx, []byte(q.URL), text)
	if err != nil {
		return sandbox.HTTPReply{}, r.refused(err)
	}
	return replyOf(reply)
}

func (r *requests) call(ctx context.Context, args ...[]byte) (dock.Reply, error) {
	const operation = "net.fetch"
	if r.dock == nil {
		op, _ := dock.Find(operation)
		return dock.Reply{}, dock.NotGranted(op, args)
	}
	return r.dock.Call(ctx, operation, args...)
}

// refused keeps a denial, and says so in the words of package sandbox.
func (r *requests) refused(err error) error {
	if e := (*dock.Error)(nil); errors.As(err, &e) && e.Code == dock.CodeDenied {
		r.mu.Lock()
		r.denied = append(r.denied, e)
		r.mu.Unlock()
		return fmt.Errorf("%w: %w", fs.ErrPermission, err)
	}
	return err
}

// told are the denials, each once.
func (r *requests) told() (list []*dock.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, e := range r.denied {
		if !seen[e.Message] {
			list = append(list, e)
		}
		seen[e.Message] = true
	}
	return list
}

// replyOf reads the reply of net.fetch.
func replyOf(reply dock.Reply) (sandbox.HTTPReply, error) {
	var w struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Text    string            `json:"text"`
		Base64  []byte            `json:"base64"`
	}
	if err := json.Unmarshal(reply.Body, &w); err != nil {
		return sandbox.HTTPReply{}, err
	}
	out := sandbox.HTTPReply{Status: w.Status, Header: http.Header{}, Body: w.Base64}
	if w.Base64 == nil {
		out.Body = []byte(w.Text)
	}
	for name, v := range w.Headers {
		out.Header.Set(name, v)
	}
	return out, nil
}
