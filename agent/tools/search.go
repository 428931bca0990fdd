package tools

import (
	"context"
	"fmt"
	"strings"

	"wb/agent"
)

// Hit is a passage that search found.
type Hit struct{ Place, Title, Text string }

// Searcher ranks passages of the working directory, or, when in is "index", of
// all workbooks and toolkits.
type Searcher func(ctx context.Context, query, in string, k int) ([]Hit, error)

// searchHits is how many passages an agent gets.
const searchHits = 5

// Search finds passages.
func Search(search Searcher) agent.Tool {
	return &tool{name: "search", readOnly: true, description: "Find the five most relevant passages for a query in the working directory's files, or with in \"index\" in all workbooks.",
		schema: object("query string what to look for", "in? string files (the default) or index"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			hits, err := search(ctx, args.Text("query"), args.Text("in"), searchHits)
			if err != nil {
				return agent.Output{}, fmt.Errorf("search error: %w", err)
			}
			return agent.Output{Text: passages(hits), Taint: filesTaint}, nil
		}}
}

// passages are hits as the model reads them.
func passages(hits []Hit) string {
	if len(hits) == 0 {
		return "(no relevant context found)"
	}
	var parts []string
	for _, h := range hits {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s\n%s", h.Place, h.Title, h.Text)))
	}
	return strings.Join(parts, "\n\n")
}
