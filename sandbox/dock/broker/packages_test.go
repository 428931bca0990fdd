package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
)

// TestPackages chooses the wheel of pure Python among what an index offers, in
// HTML and JSON, and believes it only with the digest the index says.
func TestPackages(t *testing.T) {
	content := "a wheel"
	sum := sha256.Sum256([]byte(content))
	digest := hex.EncodeToString(sum[:])
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/a-b/":
			fmt.Fprintf(w, `<html><body><a href="/f/a_b-1.0.tar.gz#sha256=%[1]s">a_b-1.0.tar.gz</a>
<a href="/f/a_b-1.0-cp311-cp311-linux_x86_64.whl#sha256=%[1]s">a_b-1.0-cp311-cp311-linux_x86_64.whl</a>
<A data-requires-python="&gt;=3" HREF="../../f/pure?x=1&amp;y=2#sha256=%[1]s">a_b-1.0-py2.py3-none-any.whl</A>
<a href="/f/bad#sha256=%[2]s">a_b-2.0-py3-none-any.whl</a>
<a href="/f/native">a_b-3.0-cp311-cp311-linux_x86_64.whl</a><a href="/f/src">a_b-4.0.tar.gz</a>
<a href="https://evil.test/f">a_b-5.0-py3-none-any.whl</a><a href="/f/up">../a_b-6.0-py3-none-any.whl</a></body></html>`, digest, digest[1:]+"0")
		case "/json/a-b/":
			w.Header().Set("Content-Type", simpleJSON)
			fmt.Fprintf(w, `{"files":[{"filename":"A.B-1.0-1-py3-none-any.whl","url":"/f/pure","hashes":{"sha256":%q}}]}`, digest)
		case "/f/pure", "/f/bad":
			fmt.Fprint(w, content)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	config := far(nil, nil)
	config.TLS = site.Client().Transport.(*http.Transport).TLSClientConfig
	config.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, site.Listener.Addr().String())
	}
	config.Allow = []netbroker.Grant{{Scheme: "https", Host: "example.com", Port: 443}}
	kept := map[string]string{}
	keep := func(_ context.Context, _ *dock.Call, w Wheel, content []byte) error {
		kept[w.Name+"=="+w.Version] = w.File + " " + w.SHA256 + " " + string(content)
		return nil
	}
	open := func(index string) *dock.Dock {
		return dock.New(dock.Config{Granted: []string{"net"}, Brokers: map[string]dock.Broker{"packages": Packages(netbroker.New(config), PackageConfig{Index: index, Keep: keep})}})
	}
	d := open("https://example.com/simple/")
	expect(t, ask(t, d, "packages.fetch", "A_b==1.0", ""), `{"name":"a-b","version":"1.0","file":"a_b-1.0-py2.py3-none-any.whl","sha256":"`+digest+`"}`)
	if got := kept["a-b==1.0"]; got != "a_b-1.0-py2.py3-none-any.whl "+digest+" "+content {
		t.Errorf("kept %q", got)
	}
	expect(t, ask(t, d, "packages.fetch", "a-b==1.0", `{"index":"https://example.com/json"}`), `{"name":"a-b","version":"1.0","file":"A.B-1.0-1-py3-none-any.whl"`)
	expect(t, ask(t, d, "packages.fetch", "a-b==2.0", ""), "failed: packages.fetch: a_b-2.0-py3-none-any.whl has the digest")
	expect(t, ask(t, d, "packages.fetch", "a-b==3.0", ""), "notfound: packages.fetch: a-b 3.0 has no wheel of pure Python")
	expect(t, ask(t, d, "packages.fetch", "a-b==4.0", ""), "notfound: packages.fetch: a-b 4.0 has no wheel of pure Python")
	expect(t, ask(t, d, "packages.fetch", "a-b==5.0", ""), "denied: request to https://evil.test/f denied: not granted")
	expect(t, ask(t, d, "packages.fetch", "a-b==6.0", ""), "notfound")
	expect(t, ask(t, d, "packages.fetch", "other==1", ""), "notfound: packages.fetch: the index has no package other (HTTP 404)")
	expect(t, ask(t, d, "packages.fetch", "a-b==1.0", `{"index":"https://elsewhere.test"}`), "denied")
	for _, wrong := range []string{"a-b", "a-b>=1", "../a==1", "a/b==1", "a==1/../..", "==1", "a==", "a==1 --index x", "a==1\n"} {
		expect(t, ask(t, d, "packages.fetch", wrong, ""), "invalid")
	}
	expect(t, ask(t, open(""), "packages.fetch", "a==1", ""), "invalid: packages.fetch: no package index is configured")
}

// FuzzIndex reads pages of indexes: whatever they say, a file has a plain name, an
// address and a digest or none.
func FuzzIndex(f *testing.F) {
	f.Add("text/html", `<a href="../../f/a-1-py3-none-any.whl#sha256=00">a-1-py3-none-any.whl</a>`)
	f.Add("text/html", `<A class=x HREF='http://[::1'>../a-1.whl</A><a href="">`)
	f.Add(simpleJSON, `{"files":[{"filename":"a-1-py3-none-any.whl","url":"w","hashes":{"sha256":"x"}}]}`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		page := &netbroker.Reply{URL: "https://example.com/simple/a/", Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
		files, err := filesOf(page)
		if err != nil {
			return
		}
		for _, file := range files {
			if strings.Contains(file.Name, "/") || file.URL == "" || file.SHA256 != "" && len(file.SHA256) != 64 {
				t.Errorf("%+v", file)
			}
		}
		if _, err := chooseWheel(page, Wheel{Name: "a", Version: "1"}); err != nil {
			var wrong *dock.Error
			if !errors.As(err, &wrong) {
				t.Error(err)
			}
		}
	})
}
