package api_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"wb/serve/api"
)

// lockedBuffer is a log that requests write at the same time.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// combined is the format as web servers write it.
var combined = regexp.MustCompile(`^(\S+) (\S+) (\S+) \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [-+]\d{4}\] "(\S+) (\S+) HTTP/1\.1" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"$`)

// Every request is a line of the combined format, whatever its client sends; streams
// still stream, and no query or token is in it.
func TestAccessLog(t *testing.T) {
	var log lockedBuffer
	b := newBench(t, scribe, func(c *api.Config) { c.AccessLog = &log })
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem"})
	b.frames(id, 0)
	b.raw("wrong-token-987654", "GET", "/api/run?q=private", nil)
	request, err := http.NewRequestWithContext(t.Context(), "GET", b.http.URL+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "evil\" 200 1\" \\ é")
	request.Header.Set("Referer", "http://elsewhere.example/page?secret=1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	b.http.Close() // waits for what is being answered
	var got []string
	for line := range strings.Lines(log.String()) {
		m := combined.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("not in the combined format: %q", line)
			continue
		}
		got = append(got, strings.Join([]string{m[3], m[4], strings.ReplaceAll(m[5], id, "ID"), m[6]}, " "))
	}
	want := []string{"ada POST /api/run 202", "ada GET /api/run/ID/stream 200", "- GET /api/run 401", "- GET /healthz 200"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, secret := range []string{"private", "wrong-token", adaToken, "secret"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	if !strings.Contains(log.String(), `"http://elsewhere.example/page" "evil\x22 200 1\x22 \x5c \xc3\xa9"`) {
		t.Errorf("the client is %s", log.String())
	}
}
