package api_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/agent/llm/llmtest"
	"wb/serve/api"
)

// A browser with scripts shows the end of a run that was going when its page was
// loaded: the stream arrived and no policy stood in its way.
func TestChromium(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no chromium: apt-get install chromium")
		}
		t.Skip("no chromium: apt-get install chromium")
	}
	loaded, once := make(chan struct{}), sync.Once{}
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if turn, _ := r.Turn(); turn == 2 {
			<-loaded
		}
		return scribe(r)
	}, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Token = "" // a dumping browser cannot type one
	})
	t.Cleanup(func() { once.Do(func() { close(loaded) }) })
	// the run goes on when the page's script follows it
	inner := b.server.Handler()
	b.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			once.Do(func() { close(loaded) })
		}
		inner.ServeHTTP(w, r)
	})
	_, started := b.call("", "POST", "/api/run", map[string]any{"agent": "team.org#waldo", "task": "poem"})
	id := started["id"].(string)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var errors strings.Builder
	command := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--virtual-time-budget=20000", "--timeout=60000", "--dump-dom", b.http.URL+"/run/"+id)
	command.Stderr = &errors
	dom, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, errors.String())
	}
	for _, want := range []string{"wrote poem.txt", `class="status done"`, "vfs_read", "30 tokens in"} {
		if !strings.Contains(string(dom), want) {
			t.Errorf("the page does not show %q:\n%s", want, dom)
		}
	}
	if strings.Contains(errors.String(), "Content Security Policy") || strings.Contains(errors.String(), "Uncaught") {
		t.Errorf("the browser complains:\n%s", errors.String())
	}
}
