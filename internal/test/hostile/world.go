package hostile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/dock/store"
	"wb/sandbox/netbroker"
)

// What no reply may ever hold.
const (
	canaryTenant = "CANARY-OF-ANOTHER-TENANT"
	canarySecret = "CANARY-SECRET-OF-THE-USER"
	canaryInside = "CANARY-INSIDE-THE-NETWORK"
)

// world has every broker, a tenant beside the guest's own, and a network of which
// only one address may be reached.
type world struct {
	brokers map[string]dock.Broker
	revoked atomic.Bool
	denials atomic.Int64
	strays  atomic.Int64 // connections to addresses that are not public
}

// public is the one public address; every granted name has it.
const public = "93.184.216.34"

// names are hosts with an address inside the network, and one that has both.
var names = map[string][]string{
	"inside.example.com": {"10.0.0.5"}, "loopback.example.com": {"127.0.0.1"}, "mapped.example.com": {"::ffff:169.254.169.254"},
	"both.example.com": {public, "192.168.0.1"}, "six.example.com": {"fd00::1"}, "cgnat.example.com": {"100.64.0.1"}, "zero.example.com": {"0.0.0.0"},
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{}
	limits := store.DefaultLimits
	limits.Query = time.Second // the corpus has queries without end
	s := store.Open(store.Config{Dir: t.TempDir(), Limits: limits, Seal: func() ([]byte, error) { return make([]byte, 32), nil }})
	t.Cleanup(func() { s.Close() })
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	for _, name := range []string{"shared", "victim"} {
		must(s.Put(ctx, "victim", name, []byte(canaryTenant)))
		must(s.Push(ctx, "victim", name, []byte(canaryTenant)))
		must(s.SetVar(ctx, "victim", name, store.Plain, []byte(canaryTenant)))
	}
	must(s.SetVar(ctx, "guest", "key", store.Secret, []byte(canarySecret)))
	must(s.SetVar(ctx, "guest", "region", store.Plain, []byte("eu-1")))
	w.brokers = w.all(t, s)
	return w
}

// grant is a dock that grants some of it, or everything when granted is nil.
func (w *world) grant(t testing.TB, granted []string) *dock.Dock {
	if granted == nil {
		granted = dock.Capabilities()
	}
	d := dock.New(dock.Config{Principal: dock.Principal{Tenant: "guest", Name: "/home/user/attack.org"}, Granted: granted,
		Revoked: func(string) bool { return w.revoked.Load() }, Denied: func(dock.Denial) { w.denials.Add(1) }, Brokers: w.brokers})
	t.Cleanup(d.Close)
	return d
}

// all makes the brokers.
func (w *world) all(t testing.TB, s *store.Store) map[string]dock.Broker {
	run := func(ctx context.Context, name string, args []string, input []byte) (broker.Output, error) {
		switch name {
		case "hang":
			<-ctx.Done()
			return broker.Output{}, ctx.Err()
		case "flood":
			return broker.Output{Stdout: make([]byte, dock.MaxReply+1)}, nil
		case "fail":
			return broker.Output{Exit: 1, Stderr: "no"}, nil
		}
		return broker.Output{Stdout: append([]byte(strings.Join(args, " ")), input...)}, nil
	}
	commands := []string{"echo", "fail", "flood", "hang"}
	build := func(_ context.Context, p broker.BuildRequest) (broker.Output, error) {
		return broker.Output{Stdout: fmt.Appendf(nil, "%v", p.Uses)}, nil
	}
	complete := func(_ context.Context, prompt string) (broker.Completion, error) {
		return broker.Completion{Text: prompt, Tokens: 100}, nil
	}
	web := w.network(t)
	socket := func(network string) dock.Broker { return broker.Socket(web, network) }
	return map[string]dock.Broker{
		"kv": broker.KV(s), "queue": broker.Queue(s), "vfs": broker.VFS(s), "vars": broker.Vars(s), "secrets": broker.Secrets(s, nil),
		"commands": broker.Commands(commands, run, 4, broker.NewCounter(broker.MaxRunning)), "exec": broker.Commands(commands, run, 4, broker.NewCounter(broker.MaxRunning)), "process": broker.Processes(commands, run, broker.NewCounter(broker.MaxLive)),
		"build": broker.Build(build), "llm": broker.LLM(complete, 1000),
		"net":      broker.Net(web, broker.Templates(s, func(string, string) bool { return true }, nil).Expand),
		"browse":   broker.Browse(web, func(r *netbroker.Reply) string { return string(r.Body) }),
		"packages": broker.Packages(web, broker.PackageConfig{Keep: func(context.Context, *dock.Call, broker.Wheel, []byte) error { return nil }}),
		"tcp":      socket("tcp"), "udp": socket("udp"), "tls": socket("tls"),
		"serve": broker.Serve(broker.ServeConfig{}), "tcpserve": broker.TCPServe(broker.ServeConfig{}),
	}
}

// network answers at the public address with what it was sent, and everywhere
// else with a canary.
func (w *world) network(t testing.TB) *netbroker.Broker {
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		fmt.Fprint(rw, r.Header.Get("X-Token"), string(data))
	}))
	t.Cleanup(site.Close)
	config := netbroker.Config{
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			list := []netip.Addr{}
			for _, a := range names[host] {
				list = append(list, netip.MustParseAddr(a))
			}
			if len(list) == 0 {
				list = append(list, netip.MustParseAddr(public))
			}
			return list, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if host, _, _ := net.SplitHostPort(address); host == public {
				return (&net.Dialer{}).DialContext(ctx, "tcp", site.Listener.Addr().String())
			}
			w.strays.Add(1)
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				_, _ = io.WriteString(theirs, canaryInside)
			}()
			return ours, nil
		},
		Allow: []netbroker.Grant{{Scheme: "http", Host: "*", Port: 80}, {Scheme: "https", Host: "*", Port: 443}, netbroker.AnySocket("tcp"), netbroker.AnySocket("udp"), netbroker.AnySocket("tls"),
			{Scheme: "http", Host: "named.example.com", Port: 80}},
	}
	return netbroker.New(config)
}

// inspect holds a reply against what none may hold.
func (w *world) inspect(t testing.TB, reply []byte) {
	t.Helper()
	for _, canary := range []string{canaryTenant, canarySecret, canaryInside} {
		if bytes.Contains(reply, []byte(canary)) {
			t.Errorf("a reply holds %s: %.200q", canary, reply)
		}
	}
	if w.strays.Load() > 0 {
		t.Error("an address inside the network was dialled")
	}
	if i := bytes.Index(reply, []byte("/home/")); i >= 0 || slices.Contains(strings.Fields(string(reply[:min(len(reply), 4096)])), "goroutine") {
		t.Errorf("a reply tells of the host: %.200q", reply)
	}
}
