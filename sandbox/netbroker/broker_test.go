package netbroker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPublicAddress(t *testing.T) {
	refused := `127.0.0.1 127.255.0.3 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255
192.0.0.8 192.0.2.1 198.18.0.1 203.0.113.9 224.0.0.1 239.1.1.1 255.255.255.255 240.0.0.1
:: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:0:1::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001:db8::1`
	for _, text := range strings.Fields(refused) {
		if PublicAddress(netip.MustParseAddr(text)) {
			t.Errorf("%s is let through", text)
		}
	}
	for _, text := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"} {
		if !PublicAddress(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
	if PublicAddress(netip.Addr{}) {
		t.Error("no address at all is let through")
	}
}

func TestGrants(t *testing.T) {
	for text, want := range map[string]string{
		"api.example.com": "net:api.example.com", "API.Example.com.": "net:api.example.com", "https://a.b:443": "net:a.b", "a.b:8443": "net:a.b:8443",
		"http://a.b": "net:http://a.b", "http://a.b:81/": "net:http://a.b:81", "*.a.b": "net:*.a.b", "[2606::1]:99": "net:[2606::1]:99",
	} {
		g, err := ParseGrant(text)
		if err != nil || g.String() != want {
			t.Errorf("%s: %v, %v", text, g, err)
		}
	}
	for _, text := range []string{"", "https://", "ftp://a", "a.b/path", "a.b?x", "u@a.b", "a.b:0", "a.b:70000", "a b", "https://a.b#x"} {
		if g, err := ParseGrant(text); err == nil {
			t.Errorf("%q is read as %v", text, g)
		}
	}
	allows := func(grant, target string, want bool) {
		t.Helper()
		g, err := ParseGrant(grant)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(target)
		o, err := originOf(u)
		if err != nil {
			t.Fatal(err)
		}
		if g.Allows(o) != want {
			t.Errorf("%s allows %s: %v", grant, target, !want)
		}
	}
	allows("a.b", "https://a.b/x", true)
	allows("a.b", "http://a.b/x", false)
	allows("a.b", "https://a.b:444/x", false)
	allows("a.b", "https://A.B./x", true)
	allows("a.b", "https://x.a.b/x", false)
	allows("*.a.b", "https://x.y.a.b", true)
	allows("*.a.b", "https://a.b", false)
	allows("*.a.b", "https://xa.b", false)
	allows("*", "https://anything", true)
	allows("*", "http://anything", false)
}

// world is a network of the test's own: names with addresses, all of which
// lead to one server on loopback.
type world struct {
	*httptest.Server
	names  map[string][]string
	dialed []string
}

func newWorld(t *testing.T, handler http.HandlerFunc) *world {
	w := &world{Server: httptest.NewServer(handler), names: map[string][]string{"shop.test": {"93.184.216.34"}, "other.test": {"93.184.216.35"}}}
	t.Cleanup(w.Close)
	return w
}

func (w *world) config(t *testing.T, grants ...string) Config {
	t.Helper()
	c := Config{
		Resolve: func(_ context.Context, host string) (list []netip.Addr, err error) {
			for _, text := range w.names[host] {
				list = append(list, netip.MustParseAddr(text))
			}
			return list, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			w.dialed = append(w.dialed, address)
			return (&net.Dialer{}).DialContext(ctx, network, w.Listener.Addr().String())
		},
	}
	for _, text := range grants {
		g, err := ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Allow = append(c.Allow, g)
	}
	return c
}

func TestReply(t *testing.T) {
	w := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "shop.test" || r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("User-Agent") != "wb" {
			t.Errorf("request %s %v", r.Host, r.Header)
		}
		w.WriteHeader(418)
		fmt.Fprint(w, "hello")
	})
	b := New(w.config(t, "http://shop.test"))
	reply, err := b.Get(t.Context(), "http://shop.test/a?b=c", http.Header{"Authorization": {"Bearer k"}, "Host": {"evil"}})
	if err != nil || reply.Status != 418 || string(reply.Body) != "hello" {
		t.Fatal(reply, err)
	}
	if len(w.dialed) != 1 || w.dialed[0] != "93.184.216.34:80" {
		t.Error("dialed", w.dialed)
	}
}

func TestDenied(t *testing.T) {
	w := newWorld(t, func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
	w.names["rebind.test"] = []string{"93.184.216.34", "127.0.0.1"}
	w.names["meta.test"] = []string{"169.254.169.254"}
	w.names["mapped.test"] = []string{"::ffff:10.0.0.1"}
	var told int
	c := w.config(t, "http://*", "http://u.test")
	c.Denied = func(*DeniedError) { told++ }
	b := New(c)
	for _, target := range []string{"https://shop.test", "http://shop.test:81", "http://rebind.test", "http://meta.test", "http://mapped.test", "http://user:pw@shop.test/",
		"http://127.0.0.1/", "http://[::1]/", "http://[::ffff:7f00:1]/", "http://0x7f000001/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/", "http://localhost.0x1/",
		"file:///etc/passwd", "gopher://shop.test/", "http:///x"} {
		_, err := b.Get(t.Context(), target, nil)
		var denied *DeniedError
		if !errors.As(err, &denied) {
			t.Errorf("%s: %v", target, err)
		} else if strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: the error shows the password: %v", target, err)
		}
	}
	if told != 17 {
		t.Errorf("told of %d denials", told)
	}
	_, err := New(Config{}).Get(t.Context(), "https://shop.test/", nil)
	var denied *DeniedError
	if !errors.As(err, &denied) || denied.Hint() != "allow it with --grant net:shop.test" {
		t.Error("without grants:", err)
	}
	c.Revoked = func() bool { return true }
	if _, err := New(c).Get(t.Context(), "http://shop.test/", nil); !errors.As(err, &denied) {
		t.Error("revoked:", err)
	}
}

func TestRedirects(t *testing.T) {
	var seen http.Header
	w := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://other.test/end", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/denied":
			http.Redirect(w, r, "http://third.test/", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
		case "/user":
			http.Redirect(w, r, "http://a:b@shop.test/end", http.StatusFound)
		case "/end":
			seen = r.Header
			fmt.Fprint(w, r.Method)
		}
	})
	b := New(w.config(t, "http://shop.test", "http://other.test", "http://169.254.169.254"))
	reply, err := b.Do(t.Context(), Request{Method: "POST", URL: "http://shop.test/away", Body: []byte("x"), Header: http.Header{"Authorization": {"s"}, "X-Key": {"s"}, "Accept": {"text/plain"}}})
	if err != nil || string(reply.Body) != "GET" || reply.URL != "http://other.test/end" {
		t.Fatal(reply, err)
	}
	if seen.Get("Authorization") != "" || seen.Get("X-Key") != "" || seen.Get("Accept") != "text/plain" {
		t.Error("headers at another origin:", seen)
	}
	var denied *DeniedError
	for _, path := range []string{"/inside", "/denied", "/user"} {
		if _, err := b.Get(t.Context(), "http://shop.test"+path, nil); !errors.As(err, &denied) {
			t.Errorf("%s: %v", path, err)
		}
	}
	var limit *LimitError
	if _, err := b.Get(t.Context(), "http://shop.test/loop", nil); !errors.As(err, &limit) || limit.What != "redirects" {
		t.Error("loop:", err)
	}
}

// TestRebinding answers every look-up with another address: the one that was
// checked is the one that is dialed, and a redirect is checked again.
func TestRebinding(t *testing.T) {
	w := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/again", http.StatusFound)
		}
	})
	c := w.config(t, "http://shop.test")
	var lookups atomic.Int32
	c.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	_, err := New(c).Get(t.Context(), "http://shop.test/", nil)
	var denied *DeniedError
	if !errors.As(err, &denied) || len(w.dialed) != 1 || w.dialed[0] != "93.184.216.34:80" {
		t.Error(err, w.dialed)
	}
}

func TestLimits(t *testing.T) {
	stop := make(chan struct{})
	w := newWorld(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/big":
			w.Write(make([]byte, 2000))
		case "/bomb":
			w.Header().Set("Content-Length", "0")
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 100_000))
		case "/slow":
			<-stop
		}
	})
	defer close(stop)
	c := w.config(t, "http://shop.test")
	c.Limits = Limits{Body: 1000, Request: 10, Header: 5000, Timeout: 50 * time.Millisecond, Calls: 100}
	b := New(c)
	var limit *LimitError
	if _, err := b.Get(t.Context(), "http://shop.test/big", nil); !errors.As(err, &limit) || limit.What != "body" {
		t.Error("body:", err)
	}
	if _, err := b.Do(t.Context(), Request{URL: "http://shop.test/", Body: make([]byte, 11)}); !errors.As(err, &limit) || limit.What != "request" {
		t.Error("request:", err)
	}
	var failed *FetchError
	if _, err := b.Get(t.Context(), "http://shop.test/header", nil); !errors.As(err, &failed) {
		t.Error("header:", err)
	}
	if _, err := b.Get(t.Context(), "http://shop.test/slow", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("time:", err)
	}
	c.Limits.Calls = 2
	b = New(c)
	for i := range 3 {
		_, err := b.Get(t.Context(), "http://shop.test/", nil)
		if over := errors.As(err, &limit) && limit.What == "calls"; over != (i == 2) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// FuzzGrant checks that no URL gets past the checks to a host that its grant
// does not name.
func FuzzGrant(f *testing.F) {
	for _, s := range []string{"http://shop.test/", "http://shop.test@127.0.0.1/", "http://shop.test#@10.0.0.1/", `http://shop.test\@evil/`, "http://shop.test:80@evil", "//shop.test", "http://SHOP.test.:80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		b := New(Config{
			Allow: []Grant{{"http", "shop.test", 80}},
			Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
				if host != "shop.test" {
					t.Errorf("%q looks up %q", target, host)
				}
				return nil, errors.New("nothing")
			},
			Dial: func(context.Context, string, string) (net.Conn, error) {
				t.Errorf("%q connects", target)
				return nil, errors.New("nothing")
			},
		})
		b.Get(t.Context(), target, nil)
	})
}
