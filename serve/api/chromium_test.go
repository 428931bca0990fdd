package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"wb/agent/host"
	"wb/agent/settings"
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
	for _, want := range []string{"wrote poem.txt", `class="status done"`, "vfs_read", "30 tokens in"} {
		page.Wait(fmt.Sprintf("document.documentElement.outerHTML.includes(%q)", want))
	}
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the page complains: %v", troubles)
	}
}

// A person starts a run from the list, allows what it asks for, follows it to its end,
// unfolds a call and finds the run again, on a phone and by keyboard; axe finds nothing
// wrong with any of the pages, in light and in dark.
func TestWalk(t *testing.T) {
	axe := chromium.NeedAxe(t)
	browser := chromium.Start(t)
	b := newBench(t, scribe, func(c *api.Config) {
		c.Tenants = c.Tenants[:1]
		c.Tenants[0].Token = ""
		plain := c.Runtime
		c.Runtime = func(t api.Tenant) *host.Runtime {
			rt := plain(t)
			rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{"vfs_write"}}}
			return rt
		}
	})
	page := browser.Open(t, b.http.URL+"/")
	fine := func(name string) {
		t.Helper()
		for _, dark := range []bool{false, true} {
			page.Look(chromium.View{Width: 390, Height: 844, Dark: dark})
			if over := page.Overflow(); over > 0 {
				t.Errorf("%s is %v px too wide for a phone", name, over)
			}
			if found := page.Violations(axe); len(found) > 0 {
				t.Errorf("%s (dark: %v): %s", name, dark, strings.Join(found, "\n"))
			}
			page.Keep(fmt.Sprintf("%s-%v", name, dark))
		}
	}
	fine("list")
	page.Eval(`document.querySelector("select[name=agent]").value = "team.org#waldo"`)
	page.Type("textarea", "poem")
	page.Click(".start button")
	page.Wait(`document.querySelector(".waiting") !== null && document.querySelector("button[value=allow]") !== null`)
	fine("waiting")
	page.Click("button[value=allow]")
	page.Wait(`document.querySelector("#status") && document.querySelector("#status").textContent === "done"`)
	page.Wait(`document.querySelectorAll(".trail li.call").length === 3`) // each call is one row
	page.Eval(`document.querySelector(".trail li.call summary").focus()`)
	page.Key("Enter")
	page.Wait(`document.querySelector(".trail li.call details[open] pre").offsetHeight > 0`)
	fine("run")
	page.Navigate(b.http.URL + "/?q=poem&status=done")
	page.Wait(`document.querySelectorAll(".runs li").length === 1`)
	page.Navigate(b.http.URL + "/?q=nothing+like+it")
	page.Wait(`document.body.textContent.includes("No run is like that")`)
	fine("none")
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the pages complain: %v", troubles)
	}
}
