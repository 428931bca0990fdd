package broker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"wb/internal/redact"
	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
)

// Expander replaces {{var:K}} and {{secret:K}} in a header or body. It is the
// host's, and the only way a secret takes out of the store.
type Expander func(ctx context.Context, call *dock.Call, text string) (string, error)

// Readable turns a page into text.
type Readable func(reply *netbroker.Reply) string

// Net makes requests to the granted hosts. expand may be nil: templates then
// stay as they are.
func Net(web *netbroker.Broker, expand Expander) dock.Broker {
	return operations{
		"get": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			reply, err := web.Get(ctx, call.Text(0), nil)
			if err != nil {
				return dock.Reply{}, webError(err)
			}
			if reply.Status >= 400 {
				return dock.Reply{}, dock.Errorf(dock.CodeFailed, "net.get: HTTP %d", reply.Status)
			}
			return dock.Found(reply.Body), nil
		},
		"fetch": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			request, err := requestOf(call)
			if err != nil {
				return dock.Reply{}, err
			}
			secrets, err := expandRequest(ctx, call, &request, web, expand)
			if err != nil {
				return dock.Reply{}, err
			}
			request.Stay = len(secrets) > 0
			reply, err := web.Do(ctx, request)
			if err != nil {
				return dock.Reply{}, webError(err)
			}
			return answer(call, described(reply, secrets), nil)
		},
	}
}

// Browse fetches public pages as text.
func Browse(web *netbroker.Broker, readable Readable) dock.Broker {
	return operations{
		"fetch": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			reply, err := web.Get(ctx, call.Text(0), nil)
			if err != nil {
				return dock.Reply{}, webError(err)
			}
			if reply.Status >= 400 {
				return dock.Reply{}, dock.Errorf(dock.CodeFailed, "browse.fetch: HTTP %d", reply.Status)
			}
			return dock.Found([]byte(readable(reply))), nil
		},
	}
}

// requestOf reads the arguments of net.fetch.
func requestOf(call *dock.Call) (netbroker.Request, error) {
	request := netbroker.Request{URL: call.Text(0)}
	if len(call.Args[1]) == 0 {
		return request, nil
	}
	var options struct {
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Base64  string            `json:"base64"`
		Follow  *bool             `json:"follow"`
	}
	if err := json.Unmarshal(call.Args[1], &options); err != nil {
		return request, dock.Errorf(dock.CodeInvalid, "net.fetch: options are {method, headers, body or base64, follow}; all but follow are text")
	}
	request.Show = options.Follow != nil && !*options.Follow
	request.Method, request.Body = options.Method, []byte(options.Body)
	if options.Base64 != "" {
		var err error
		if request.Body, err = base64.StdEncoding.DecodeString(options.Base64); err != nil || options.Body != "" {
			return request, dock.Errorf(dock.CodeInvalid, "net.fetch: base64 must hold the body in base64, in place of body")
		}
	}
	request.Header = http.Header{}
	for name, value := range options.Headers {
		request.Header.Set(name, value)
	}
	return request, nil
}

// webError translates an error of the net broker for a guest.
func webError(err error) error {
	var denied *netbroker.DeniedError
	var limit *netbroker.LimitError
	switch {
	case errors.As(err, &denied):
		return &dock.Error{Code: dock.CodeDenied, Message: denied.Error(), Help: denied.Hint()}
	case errors.As(err, &limit):
		return dock.Errorf(dock.CodeLimit, "%v", limit)
	}
	return dock.Errorf(dock.CodeFailed, "%v", err)
}

// described is a reply as JSON. A server that answers with what it was sent
// does not hand a secret to the guest that way.
func described(reply *netbroker.Reply, secrets []string) map[string]any {
	hidden, headers := redact.New("[secret]", 4, secrets...), map[string]string{}
	for name := range reply.Header {
		headers[name] = hidden.Text(reply.Header.Get(name))
	}
	out := map[string]any{"status": reply.Status, "url": hidden.Text(reply.URL), "headers": headers}
	if utf8.Valid(reply.Body) {
		out["text"] = hidden.Text(string(reply.Body))
	} else {
		out["base64"] = base64.StdEncoding.EncodeToString([]byte(hidden.Text(string(reply.Body))))
	}
	return out
}

// errSecretTarget says that a secret was to go where no grant names the host.
func errSecretTarget(name, host string) error {
	return &dock.Error{Code: dock.CodeDenied, Message: fmt.Sprintf("the secret %s is sent only to hosts that a grant names, and no grant names %s", name, host), Help: "wb run --grant net:" + host}
}
