package tools

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"wb/agent"
	"wb/sandbox"
	"wb/sandbox/netbroker"
)

// Getter is a net broker.
type Getter interface {
	Do(ctx context.Context, r netbroker.Request) (*netbroker.Reply, error)
}

// Fetch bounds, in time and in characters given to the model.
const (
	fetchTimeout = 20 * time.Second
	fetchChars   = agent.MaxOutput
)

// PublicGrants are the hosts a fetch may reach when a definition names none: any
// public origin on the usual ports. With hosts, only those.
func PublicGrants(hosts []string) ([]netbroker.Grant, error) {
	if len(hosts) == 0 {
		hosts = []string{"*"}
	}
	var grants []netbroker.Grant
	for _, host := range hosts {
		origins := []string{host}
		if !strings.Contains(host, "://") {
			origins = []string{"https://" + host, "http://" + host}
		}
		for _, origin := range origins {
			g, err := netbroker.ParseGrant(origin)
			if err != nil {
				return nil, err
			}
			grants = append(grants, g)
		}
	}
	return grants, nil
}

// Fetch gets a page of the web as text. What it gives is marked as coming from
// outside.
func Fetch(web Getter) agent.Tool {
	return &tool{name: "fetch", readOnly: true, description: "Get a public web page or file by URL, as readable text of at most 4000 characters.",
		schema: object("url string an http or https URL"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
			defer cancel()
			reply, err := web.Do(ctx, netbroker.Request{URL: args.Text("url")})
			var denied *netbroker.DeniedError
			switch {
			case errors.Is(ctx.Err(), context.DeadlineExceeded):
				return agent.Output{}, fmt.Errorf("fetch error: no answer within %v", fetchTimeout)
			case errors.As(err, &denied):
				return agent.Output{}, fmt.Errorf("fetch blocked: %w", err)
			case err != nil:
				return agent.Output{}, fmt.Errorf("fetch error: %w", err)
			}
			sent := int64(len(args.Text("url")))
			if reply.Status < 200 || reply.Status > 299 {
				return agent.Output{BytesOut: sent}, fmt.Errorf("fetch failed: HTTP %d", reply.Status)
			}
			return agent.Output{Text: pageText(reply), Taint: "web:" + hostOf(reply.URL), BytesOut: sent}, nil
		}}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "unknown"
	}
	return u.Host
}

// pageText is a reply as the model reads it.
func pageText(reply *netbroker.Reply) string {
	kind := reply.Header.Get("Content-Type")
	body := reply.Body
	if !utf8.Valid(body) && !strings.Contains(kind, "html") {
		return fmt.Sprintf("(%d bytes of %s, not text)", len(body), kind)
	}
	text := strings.ToValidUTF8(string(body), "\ufffd")
	if strings.Contains(kind, "html") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "<!doctype html") {
		text = readable(text)
	}
	text = string(sandbox.Neutralize([]byte(text)))
	if runes := []rune(text); len(runes) > fetchChars {
		text = string(runes[:fetchChars-1]) + "…"
	}
	return text
}
