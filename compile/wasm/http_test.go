package wasm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/netbroker"
)

// webDock is a dock whose net leads to one server, whatever name is asked for, at an
// address that resolve finds.
func webDock(t *testing.T, handler http.HandlerFunc, address string, allowed ...string) *dock.Dock {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	config := netbroker.Config{TLS: server.Client().Transport.(*http.Transport).TLSClientConfig,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(address)}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}}
	for _, host := range allowed {
		config.Allow = append(config.Allow, netbroker.Grant{Scheme: "https", Host: host, Port: 443})
	}
	return dock.New(dock.Config{Granted: []string{"net"}, Brokers: map[string]dock.Broker{"net": broker.Net(netbroker.New(config), nil)}})
}

// public is an address of the internet, which no test reaches.
const public = "93.184.216.34"

// echo tells what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", "seen\n")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "%s %s%s x-one=%s body=%s\n", r.Method, r.Host, r.URL, r.Header.Get("X-One"), body)
}

// TestHTTP runs a program that makes a request by wasi:http: with a grant, without, and
// where the floor of the net is in the way.
func TestHTTP(t *testing.T) {
	l, job := New(lanetest.Env(t)), httpJob(t)
	for _, c := range []struct {
		what         string
		dock         *dock.Dock
		out, printed string // all of stdout, a part of stderr
	}{
		{"granted", webDock(t, echo, public, "example.com"), "201\nseenPOST example.com/echo?x=1 x-one=eins body=hello\n", ""},
		{"redirects are the program's", webDock(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://other.test/", http.StatusFound)
		}, public, "example.com"), "302\n", ""},
		{"no grant", nil, "E015\n", "net is not granted"},
		{"another host's grant", webDock(t, echo, public, "other.test"), "E015\n", "request to https://example.com/echo denied: not granted"},
		{"a private address", webDock(t, echo, "10.0.0.1", "example.com"), "E015\n", "address 10.0.0.1 is not public"},
		{"a broken reply", webDock(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			w.Write([]byte("short"))
		}, public, "example.com"), "E038\n", ""},
	} {
		job.Dock = c.dock
		src := lanetest.Block("wasm", compile.ShapeBabel, "http.wasm")
		src.Results = compile.Results{"output"}
		out, err := lanetest.Execute(t, l, src, job)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		} else if string(out.Stdout) != c.out || !strings.Contains(string(out.Stderr), c.printed) {
			t.Errorf("%s: %q, stderr %q", c.what, out.Stdout, out.Stderr)
		}
	}
}

// TestHTTPEnds ends a request that is under way when its run is.
func TestHTTPEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	job := httpJob(t)
	job.Dock = webDock(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // else the server does not see the end of the connection
		close(asked)
		<-r.Context().Done()
	}, public, "example.com")
	l := New(lanetest.Env(t))
	art, err := l.Build(ctx, lanetest.Block("wasm", compile.ShapeCommand, "http.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	job.Source = lanetest.Block("wasm", compile.ShapeCommand, "http.wasm")
	go func() { <-asked; cancel() }()
	if _, err := l.Run(ctx, art, job); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// httpJob is a job that has the program of sandbox/testdata/http.wat.
func httpJob(t *testing.T) *compile.Job {
	wasm, err := os.ReadFile("../../sandbox/testdata/http.wasm")
	files := sandbox.NewMemFS()
	if err == nil {
		err = sandbox.WriteFile(files, "http.wasm", wasm)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &compile.Job{Files: files, Limits: sandbox.Limits{Wall: time.Minute}}
}
