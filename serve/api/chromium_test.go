package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"wb/internal/test/chromium"
	"wb/internal/test/llmtest"
	"wb/serve/api"
)

// A browser with scripts shows the end of a run that was going when its page was
// loaded: the stream arrived and no policy stood in its way.
func TestChromium(t *testing.T) {
	browser := chromium.Start(t)
	loaded, once := make(chan struct{}), sync.Once{}
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if turn, _ := r.Turn(); turn == 2 {
			<-loaded
		}
		return scribe(r)
	}, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Token = "" // nobody is there to type one
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
	page := browser.Open(t, b.http.URL+"/run/"+id)
	for _, want := range []string{"wrote poem.txt", `class="status done"`, "vfs_read", "Tokens in</dt><dd>30"} {
		page.Wait(fmt.Sprintf("document.documentElement.outerHTML.includes(%q)", want))
	}
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the page complains: %v", troubles)
	}
}
