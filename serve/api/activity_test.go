package api_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/internal/trace/activity"
	"wb/serve/api"
)

// activityOf reads a tenant's activity; the channel ends with the stream.
func (b *bench) activityOf(token, query string) <-chan activity.Line {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), "GET", b.http.URL+"/api/activity"+query, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && lines.Text() != "event: subscribed" { // what comes now is told
	}
	told := make(chan activity.Line, 1024)
	go func() {
		defer close(told)
		for lines.Scan() {
			var l activity.Line
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &l) == nil && l.Kind != "" {
				told <- l
			}
		}
	}()
	return told
}

// A tenant's activity is what all of its runs do and what nobody else's do.
func TestActivity(t *testing.T) {
	b := newBench(t, scribe, func(c *api.Config) { c.LookEvery = time.Millisecond })
	ada, bob := b.activityOf(adaToken, ""), b.activityOf(bobToken, "")
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem"})
	var kinds []string
	var at time.Time
	for l := range ada {
		if l.Run != id || l.Kind != trace.KindResult && l.Agent != "waldo" {
			t.Errorf("told of %+v", l)
		}
		kinds, at = append(kinds, string(l.Kind)), l.Time
		if l.Kind == trace.KindResult {
			break
		}
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "run ") || strings.Count(got, "tool_call") < 2 || strings.Count(got, "model_turn") < 2 {
		t.Errorf("told of %s", got)
	}
	again := b.activityOf(adaToken, "?since="+at.Add(-time.Hour).UTC().Format(time.RFC3339))
	if l := <-again; l.Run != id || l.Kind != trace.KindRun {
		t.Errorf("since an hour ago: %+v", l)
	}
	b.stop() // which ends streams
	for l := range bob {
		t.Errorf("bob was told of %+v", l)
	}
}
