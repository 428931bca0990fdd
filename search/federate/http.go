package federate

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"wb/sandbox/netbroker"
)

// Fetcher makes requests; [netbroker.Broker] does.
type Fetcher interface {
	Get(ctx context.Context, url string, header http.Header) (*netbroker.Reply, error)
}

// httpSource reads rows from a JSON text behind a URL.
type httpSource struct {
	fetch  Fetcher
	url    string
	rows   string
	header http.Header
}

// StatusError is a reply that is not a success.
type StatusError struct {
	URL    string
	Status int
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s: HTTP %d", e.URL, e.Status) }

func (s httpSource) Rows(ctx context.Context, _ Filter, yield func(Row) error) error {
	reply, err := s.fetch.Get(ctx, s.url, s.header)
	if err != nil {
		return err
	}
	where := reply.URL
	if u, err := url.Parse(where); err == nil {
		u.RawQuery, u.User = "", nil
		where = u.String()
	}
	if reply.Status < 200 || reply.Status > 299 {
		return &StatusError{where, reply.Status}
	}
	media := strings.ToLower(reply.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(media, "text/csv"):
		return readSeparated(ctx, where, strings.NewReader(string(reply.Body)), 0, nil, yield)
	case strings.HasPrefix(media, "text/html"):
		return fmt.Errorf("%s: the reply is a web page, not JSON", where)
	}
	return readJSON(ctx, where, reply.Body, s.rows, nil, yield)
}

// header is the header a manifest wants sent: the first of its keys that is set, as
// a bearer token unless it says otherwise. A key that is not set sends nothing.
func (m Manifest) header(getenv func(string) string) http.Header {
	h := http.Header{"Accept": {"application/json"}}
	for _, key := range m.EnvKeys {
		secret := getenv(key)
		if secret == "" {
			continue
		}
		name, custom := strings.CutPrefix(m.Auth, "header ")
		switch {
		case m.Auth == "none":
		case custom:
			h.Set(name, secret)
		default:
			h.Set("Authorization", "Bearer "+secret)
		}
		break
	}
	return h
}
