// Package guard is the content guard of agents: it sees the task before the first
// turn and may refuse it. A run whose task is refused ends as blocked and has asked
// no model. A guard that cannot be asked, or whose answer cannot be understood, ends
// the run with an error: a missing guard never lets a task pass.
//
// [Endpoint] asks a moderation endpoint over HTTP, [Verdict] reads what a component
// said. [Middleware] puts either around a run.
package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"wb/agent"
	"wb/internal/clip"
	"wb/sandbox/netbroker"
)

// Check says whether a task may be done: nil, an [*agent.BlockedError], or why that
// is not known.
type Check func(ctx context.Context, task string) error

// Middleware puts a check before the first turn of every run.
func Middleware(check Check) agent.Middleware {
	return func(agent.RunInfo) agent.Layer { return agent.Layer{Admit: check} }
}

// Endpoint is a moderation endpoint as OpenAI's API has it: it takes {input, model}
// and answers {results: [{flagged, categories}]}.
type Endpoint struct {
	URL   string
	Model string // left out of the request when empty
	Key   string // sent as a bearer token when not empty
	Web   interface {
		Do(ctx context.Context, r netbroker.Request) (*netbroker.Reply, error)
	}
}

// Check asks the endpoint.
func (e *Endpoint) Check(ctx context.Context, task string) error {
	question := map[string]string{"input": task}
	if e.Model != "" {
		question["model"] = e.Model
	}
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if e.Key != "" {
		header.Set("Authorization", "Bearer "+e.Key)
	}
	reply, err := e.Web.Do(ctx, netbroker.Request{Method: http.MethodPost, URL: e.URL, Header: header, Body: body})
	if err != nil {
		return err
	}
	if reply.Status/100 != 2 {
		return fmt.Errorf("the endpoint answered HTTP %d", reply.Status)
	}
	return moderation(reply.Body)
}

// moderation reads an endpoint's answer.
func moderation(body []byte) error {
	var answer struct {
		Results []struct {
			Flagged    *bool                      `json:"flagged"`
			Categories map[string]json.RawMessage `json:"categories"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("the endpoint's answer is not JSON: %w", err)
	}
	if len(answer.Results) == 0 {
		return errors.New("the endpoint's answer has no results")
	}
	var reasons []string
	flagged := false
	for _, r := range answer.Results {
		if r.Flagged == nil {
			return errors.New("the endpoint's answer has no member flagged")
		}
		flagged = flagged || *r.Flagged
		for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
			if *r.Flagged && string(r.Categories[name]) == "true" {
				reasons = append(reasons, name)
			}
		}
	}
	if !flagged {
		return nil
	}
	if len(reasons) == 0 {
		reasons = []string{"the task was flagged"}
	}
	return &agent.BlockedError{Reason: strings.Join(slices.Compact(reasons), ", ")}
}

// Verdict reads what a component said of a task, as JSON: "" lets it pass, another
// string says why not, and {flagged, reason} says both.
func Verdict(said []byte) error {
	said = bytes.TrimSpace(said)
	var reason string
	if json.Unmarshal(said, &reason) == nil && bytes.HasPrefix(said, []byte(`"`)) {
		if reason = strings.TrimSpace(reason); reason != "" {
			return &agent.BlockedError{Reason: reason}
		}
		return nil
	}
	var verdict struct {
		Flagged *bool  `json:"flagged"`
		Reason  string `json:"reason"`
	}
	if json.Unmarshal(said, &verdict) != nil || verdict.Flagged == nil {
		return fmt.Errorf("%s is not a verdict: a guard returns \"\" to pass, a reason to refuse, or {flagged, reason}", clip.Bytes(string(said), 80))
	}
	if !*verdict.Flagged {
		return nil
	}
	if verdict.Reason == "" {
		verdict.Reason = "the task was flagged"
	}
	return &agent.BlockedError{Reason: verdict.Reason}
}
