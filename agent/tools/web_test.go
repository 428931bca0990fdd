package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/tools"
	"wb/sandbox/netbroker"
)

// site is a loopback server that the broker takes for public hosts.
func site(t *testing.T, grants []netbroker.Grant, handler http.HandlerFunc) *netbroker.Broker {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	return netbroker.New(netbroker.Config{Allow: grants,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if strings.HasPrefix(host, "internal") {
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		}})
}

func call(t *testing.T, tool agent.Tool, args map[string]any) string {
	t.Helper()
	whole := agent.Args{}
	for name, v := range args {
		whole[name], _ = json.Marshal(v)
	}
	out, err := tool.Call(context.Background(), whole)
	if err != nil {
		return "! " + err.Error()
	}
	return out.Text
}

const page = `<!doctype html><html><head><title>A  page</title><script>evil()</script></head><body><nav>menu</nav>
<h2>News</h2><p>Hello <b>dear</b> reader,<br>welcome.</p><ul><li>one</li><li><a href="https://example.org/two">two</a></li></ul>
<pre>  keep
   this</pre><table><tr><td>a</td><td>b</td></tr></table></body></html>`

func TestFetch(t *testing.T) {
	grants, err := tools.PublicGrants(nil)
	if err != nil {
		t.Fatal(err)
	}
	fetch := tools.Fetch(site(t, grants, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			fmt.Fprint(w, page)
		case "/long":
			fmt.Fprint(w, strings.Repeat("word ", 5000))
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			w.Write([]byte{0x89, 'P', 'N', 'G', 0xff})
		case "/inside":
			http.Redirect(w, r, "http://internal.example/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	for address, want := range map[string]string{
		"http://example.org/page":   "# A page\n\n## News\nHello dear reader,\nwelcome.\n- one\n- two <https://example.org/two>\n  keep\n   this\na | b\n",
		"http://example.org/none":   "! fetch failed: HTTP 404",
		"http://example.org/image":  "(5 bytes of image/png, not text)",
		"http://example.org/inside": "! fetch blocked: ",
		"http://internal.example/":  "! fetch blocked: ",
		"http://u:p@example.org/":   "! fetch ",
		"file:///etc/passwd":        "! fetch ",
		"http://127.0.0.1/":         "! fetch blocked: ",
		"nonsense":                  "! fetch ",
	} {
		if got := call(t, fetch, map[string]any{"url": address}); !strings.HasPrefix(got, want) {
			t.Errorf("%s gave %q, want %q", address, got, want)
		}
	}
	if got := call(t, fetch, map[string]any{"url": "http://example.org/long"}); len([]rune(got)) != agent.MaxOutput {
		t.Errorf("a long page gave %d characters", len([]rune(got)))
	}
}

// :ALLOW_HOSTS: narrows what may be reached.
func TestAllowHosts(t *testing.T) {
	grants, err := tools.PublicGrants([]string{"docs.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	fetch := tools.Fetch(site(t, grants, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	if got := call(t, fetch, map[string]any{"url": "http://docs.example.org/"}); got != "hello" {
		t.Errorf("an allowed host gave %q", got)
	}
	if got := call(t, fetch, map[string]any{"url": "http://example.org/"}); !strings.HasPrefix(got, "! fetch blocked: ") {
		t.Errorf("another host gave %q", got)
	}
}

func TestWebSearch(t *testing.T) {
	if got := call(t, tools.WebSearch(nil), map[string]any{"query": "x"}); !strings.HasPrefix(got, "! web_search has no provider") {
		t.Errorf("without a provider: %q", got)
	}
	grants, err := tools.PublicGrants([]string{"search.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	web := site(t, grants, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" || r.URL.Query().Get("q") != "org & mode" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"web":{"results":[{"title":"Org","url":"https://o.example","description":"an  outline"},{"title":"B"}]}}`)
	})
	search := tools.WebSearch(&tools.SearchProvider{URL: "http://search.example.org/?q={query}", Key: "k", Web: web})
	if got := call(t, search, map[string]any{"query": "org & mode"}); got != "Org · https://o.example · an outline\nB ·  · " {
		t.Errorf("%q", got)
	}
}
