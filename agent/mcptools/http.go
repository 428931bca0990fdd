package mcptools

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/sandbox/netbroker"
)

// Getter is a net broker.
type Getter interface {
	Do(ctx context.Context, r netbroker.Request) (*netbroker.Reply, error)
}

// HTTP speaks to a server by the streamable HTTP transport, every request
// through a net broker. Key is sent as a bearer token when it is not empty.
func HTTP(endpoint, key string, web Getter) func() (mcp.Transport, error) {
	return func() (mcp.Transport, error) {
		return &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: &brokered{web, key}}, MaxRetries: -1, DisableStandaloneSSE: true}, nil
	}
}

// brokered is a round tripper whose requests go through a broker.
type brokered struct {
	web Getter
	key string
}

func (b *brokered) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	header := r.Header.Clone()
	if b.key != "" {
		header.Set("Authorization", "Bearer "+b.key)
	}
	reply, err := b.web.Do(r.Context(), netbroker.Request{Method: r.Method, URL: r.URL.String(), Header: header, Body: body})
	if err != nil {
		return nil, err
	}
	return &http.Response{Status: http.StatusText(reply.Status), StatusCode: reply.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: reply.Header,
		Body: io.NopCloser(bytes.NewReader(reply.Body)), ContentLength: int64(len(reply.Body)), Request: r}, nil
}
