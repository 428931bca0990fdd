package api_test

import (
	"net/http"
	"strings"
	"testing"

	"wb/internal/test/llmtest"
	"wb/serve/api"
	"wb/serve/sites"
)

// TestNoSite asks for sites that nobody published: the answer is the page that other
// unknown addresses have, with its style allowed.
func TestNoSite(t *testing.T) {
	published, err := sites.New(sites.Config{Dir: t.TempDir(), Tenants: []sites.Tenant{{Name: "ada"}}})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{} }, func(c *api.Config) { c.Sites = published })
	for _, path := range []string{"/w/notes/", "/t/ada/w/notes/", "/t/nobody/w/notes/a.html", "/w/NOTES/"} {
		status, text, response := b.person().get(path)
		if status != http.StatusNotFound || !strings.Contains(text, "There is no page here") || !strings.Contains(text, path) {
			t.Errorf("%s: %d %s", path, status, text)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "sandbox") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
}
