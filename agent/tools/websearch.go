package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"wb/agent"
	"wb/sandbox"
	"wb/sandbox/netbroker"
)

// SearchProvider is an HTTP endpoint that searches the web: URL has {query} in
// it, the answer is JSON with rows of title, url and snippet (or description,
// content), in a list, in results, in web.results or in organic.
type SearchProvider struct {
	URL string
	Key string // sent as a bearer token when not empty
	Web Getter
}

// webRows is how many rows an agent gets.
const webRows = 8

// WebSearch searches the web through a provider. Without one it says so to the
// model.
func WebSearch(provider *SearchProvider) agent.Tool {
	return &tool{name: "web_search", readOnly: true, description: "Search the web: at most eight rows of title, address and snippet.",
		schema: object("query string what to look for"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			if provider == nil {
				return agent.Output{}, errors.New("web_search has no provider (WB_SEARCH_URL); use what you have")
			}
			ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
			defer cancel()
			query := args.Text("query")
			header := http.Header{"Accept": {"application/json"}}
			if provider.Key != "" {
				header.Set("Authorization", "Bearer "+provider.Key)
			}
			reply, err := provider.Web.Do(ctx, netbroker.Request{URL: strings.ReplaceAll(provider.URL, "{query}", url.QueryEscape(query)), Header: header})
			if err != nil {
				return agent.Output{}, fmt.Errorf("web_search error: %w", err)
			}
			if reply.Status != http.StatusOK {
				return agent.Output{}, fmt.Errorf("web_search failed: HTTP %d", reply.Status)
			}
			rows, err := webResults(reply.Body)
			if err != nil {
				return agent.Output{}, fmt.Errorf("web_search error: %w", err)
			}
			if len(rows) == 0 {
				return agent.Output{Text: "(no results)"}, nil
			}
			return agent.Output{Text: string(sandbox.Neutralize([]byte(strings.Join(rows, "\n")))), Taint: "web:search", BytesOut: int64(len(query))}, nil
		}}
}

// webResults finds the rows in a provider's answer.
func webResults(body []byte) ([]string, error) {
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("the provider's answer is not JSON: %w", err)
	}
	var rows []string
	for _, item := range listIn(whole) {
		fields, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text := func(names ...string) string {
			for _, name := range names {
				if s, ok := fields[name].(string); ok && s != "" {
					return strings.Join(strings.Fields(s), " ")
				}
			}
			return ""
		}
		rows = append(rows, fmt.Sprintf("%s · %s · %s", text("title", "name"), text("url", "link", "href"), text("snippet", "description", "content")))
		if len(rows) == webRows {
			break
		}
	}
	return rows, nil
}

// listIn is the list of rows, wherever the provider keeps it.
func listIn(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		for _, name := range []string{"results", "web", "organic", "organic_results", "items", "data"} {
			if inner, ok := v[name]; ok {
				if list := listIn(inner); list != nil {
					return list
				}
			}
		}
	}
	return nil
}
