package netbroker

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestPrivateGrants(t *testing.T) {
	for _, text := range []string{"10.1.0.0/16", "10.1.2.3", "10.0.0.0/8", "192.168.7.0/24", "fd12:3456::/32", "100.64.0.0/10"} {
		if _, err := ParsePrivateGrant(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "10.1.2.3/16", "10.0.0.0/7", "0.0.0.0/0", "127.0.0.1", "127.0.0.0/8", "169.254.169.254", "169.254.0.0/16", "::1", "fe80::1", "::/0",
		"8.8.8.8", "224.0.0.1", "::ffff:10.0.0.1", "intranet.example.com", "10.1", "fe80::1%eth0"} {
		if p, err := ParsePrivateGrant(text); err == nil {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}

// A private address is reached only where both its host is named by a grant and
// its range is granted; nothing else changes.
func TestPrivateRanges(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		}
	}))
	defer server.Close()
	hosts := map[string]string{"intranet.example.com": "10.1.2.3", "wiki.corp.internal": "10.1.9.9", "mixed.example.com": "10.1.2.3 93.184.216.34",
		"other.example.com": "10.2.0.1", "half.example.com": "10.1.2.3 10.2.0.1", "loop.example.com": "127.0.0.1", "meta.example.com": "169.254.169.254",
		"mapped.example.com": "::ffff:10.1.2.3", "aliyun.example.com": "100.100.100.200"}
	config := func(ranges ...string) Config {
		c := Config{Resolve: func(_ context.Context, host string) (list []netip.Addr, _ error) {
			for text := range strings.FieldsSeq(hosts[host]) {
				list = append(list, netip.MustParseAddr(text))
			}
			return list, nil
		}, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}}
		for _, text := range ranges {
			p, err := ParsePrivateGrant(text)
			if err != nil {
				t.Fatal(err)
			}
			c.Ranges = append(c.Ranges, p)
		}
		return c
	}
	for _, c := range []struct {
		grant, url string
		ranges     string
		want       string // part of the refusal, "" for none
	}{
		{"http://intranet.example.com", "http://intranet.example.com/", "10.1.0.0/16", ""},
		{"http://wiki.corp.internal", "http://wiki.corp.internal/", "10.1.0.0/16", ""},
		{"http://10.1.2.3", "http://10.1.2.3/", "10.1.0.0/16", ""},
		{"http://mixed.example.com", "http://mixed.example.com/", "10.1.0.0/16", ""},
		{"http://intranet.example.com", "http://intranet.example.com/", "", "10.1.2.3 is not public"},
		{"http://wiki.corp.internal", "http://wiki.corp.internal/", "", "local network"},
		{"http://*", "http://intranet.example.com/", "10.1.0.0/16", "10.1.2.3 is not public"},
		{"http://*.example.com", "http://intranet.example.com/", "10.1.0.0/16", "10.1.2.3 is not public"},
		{"http://other.example.com", "http://intranet.example.com/", "10.1.0.0/16", "not granted"},
		{"http://other.example.com", "http://other.example.com/", "10.1.0.0/16", "10.2.0.1 is not public"},
		{"http://half.example.com", "http://half.example.com/", "10.1.0.0/16", "10.2.0.1 is not public"},
		{"http://loop.example.com", "http://loop.example.com/", "10.0.0.0/8", "127.0.0.1 is not public"},
		{"http://meta.example.com", "http://meta.example.com/", "10.0.0.0/8", "169.254.169.254 is not public"},
		{"http://mapped.example.com", "http://mapped.example.com/", "10.0.0.0/8", "is not public"},
		{"http://aliyun.example.com", "http://aliyun.example.com/", "100.64.0.0/10", "is not public"},
		{"http://intranet.example.com", "http://intranet.example.com/away", "10.1.0.0/16", "169.254.169.254/latest denied: not granted"},
	} {
		settings := config(strings.Fields(c.ranges)...)
		grant, err := ParseGrant(c.grant)
		if err != nil {
			t.Fatal(err)
		}
		settings.Allow = []Grant{grant}
		_, err = New(settings).Get(t.Context(), c.url, nil)
		var denied *DeniedError
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &denied) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s for %s with %q: %v, want %q", c.grant, c.url, c.ranges, err, c.want)
		}
	}
	settings := config()
	settings.Allow = []Grant{{Scheme: "http", Host: "intranet.example.com", Port: 80}}
	var denied *DeniedError
	if _, err := New(settings).Get(t.Context(), "http://intranet.example.com/", nil); !errors.As(err, &denied) || denied.Hint() != "allow it with --grant net-private:10.1.2.3/32" {
		t.Errorf("%v, %s", err, denied.Hint())
	}
}

// A proxy of the environment is not used, and a request that fails says so.
func TestProxyIsNamed(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
	b := New(Config{Allow: []Grant{{Scheme: "https", Host: "api.example.com", Port: 443}},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route to host") }})
	_, err := b.Get(t.Context(), "https://api.example.com/", nil)
	var fetch *FetchError
	if !errors.As(err, &fetch) || !strings.HasPrefix(fetch.Hint(), "HTTPS_PROXY is not used") {
		t.Errorf("%v", err)
	}
}
