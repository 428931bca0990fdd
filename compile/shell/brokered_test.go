package shell

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/netbroker"
)

// webDock is a dock whose net leads to one server, which tells what it was asked.
func webDock(t *testing.T, granted ...string) *dock.Dock {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/missing":
			http.Error(w, "no such page", http.StatusNotFound)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/bytes":
			w.Write([]byte{0, 0xff, '\n', 0xfe})
		default:
			fmt.Fprintf(w, "%s %s", r.Method, r.URL)
			for _, name := range []string{"Content-Type", "Accept", "Authorization", "X-Own", "User-Agent"} {
				if v := r.Header.Get(name); v != "" {
					fmt.Fprintf(w, " %s=%s", name, v)
				}
			}
			if len(body) > 0 {
				fmt.Fprintf(w, " body=%q", body)
			}
			fmt.Fprintln(w)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the test breaks
	server.StartTLS()
	t.Cleanup(server.Close)
	config := netbroker.Config{TLS: server.Client().Transport.(*http.Transport).TLSClientConfig,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "nowhere.example.com" {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}}
	for _, host := range []string{"example.com", "nowhere.example.com", "other.test"} {
		config.Allow = append(config.Allow, netbroker.Grant{Scheme: "https", Host: host, Port: 443})
	}
	return dock.New(dock.Config{Granted: granted, Brokers: map[string]dock.Broker{"net": broker.Net(netbroker.New(config), nil)}})
}

// TestNetCommands runs curl, wget and http: what they print, and how they end.
func TestNetCommands(t *testing.T) {
	env := lanetest.Env(t)
	lane := New(env)
	lanetest.Need(t, env, lane.Info().Toolchains...)
	granted, bare := webDock(t, "net"), webDock(t)
	for _, c := range []struct {
		script string
		dock   *dock.Dock
		out    string // all of standard output
		errors string // a part of standard error
		exit   int
	}{
		{"curl https://example.com/a", granted, "GET /a Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"curl -sS example.com/a -H 'X-Own: 1' -H 'Accept:' -A me", granted, "GET /a X-Own=1 User-Agent=me\n", "", 0},
		{"curl -d a=1 -d b=2 example.com/p", granted, "POST /p Content-Type=application/x-www-form-urlencoded Accept=*/* User-Agent=curl/wb body=\"a=1&b=2\"\n", "", 0},
		{"curl -G -d a=1 --data-urlencode 'q=x y&z' example.com/p", granted, "GET /p?a=1&q=x%20y%26z Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"printf 'l1\\nl2\\n' | curl --data-binary @- example.com/p", granted, "POST /p Content-Type=application/x-www-form-urlencoded Accept=*/* User-Agent=curl/wb body=\"l1\\nl2\\n\"\n", "", 0},
		{"printf 'l1\\nl2\\n' >f; curl -d @f example.com/p", granted, "POST /p Content-Type=application/x-www-form-urlencoded Accept=*/* User-Agent=curl/wb body=\"l1l2\"\n", "", 0},
		{"printf '\\377\\000' | curl --data-binary @- example.com/p", granted, "POST /p Content-Type=application/x-www-form-urlencoded Accept=*/* User-Agent=curl/wb body=\"\\xff\\x00\"\n", "", 0},
		{"curl --json '{\"a\":1}' example.com/p", granted, "POST /p Content-Type=application/json Accept=application/json User-Agent=curl/wb body=\"{\\\"a\\\":1}\"\n", "", 0},
		{"curl -X PUT -u me:secret example.com/p", granted, "PUT /p Accept=*/* Authorization=Basic bWU6c2VjcmV0 User-Agent=curl/wb\n", "", 0},
		{"curl -I example.com/p | head -1", granted, "HTTP/1.1 200 OK\r\n", "", 0},
		{"curl -si example.com/p | tail -1", granted, "GET /p Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"curl -s example.com/moved -o /dev/null -w '%{http_code}\\n'", granted, "302\n", "", 0},
		{"curl -sL example.com/moved", granted, "GET /there Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"curl -sfS example.com/missing", granted, "", "curl: (22) The requested URL returned error: 404", 22},
		{"curl -s example.com/missing", granted, "no such page\n", "", 0},
		{"curl -sf example.com/missing", granted, "", "", 22},
		{"curl -sSL example.com/loop", granted, "", "curl: (47)", 47},
		{"curl -sO example.com/dir/name.txt; cat name.txt", granted, "GET /dir/name.txt Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"curl -so out example.com/bytes; od -An -tx1 out | tr -d ' '", granted, "00ff0afe\n", "", 0},
		{"curl -so none/out example.com/a", granted, "", "", 23},
		{"curl -sSo none/out example.com/a", granted, "", "curl: (23) Failure writing output", 23},
		{"curl -sS example.com", granted, "GET / Accept=*/* User-Agent=curl/wb\n", "", 0},
		{"curl", granted, "", "no URL", 2},
		{"curl -o", granted, "", "requires a parameter", 2},
		{"curl --what", granted, "", "option --what: is unknown", 2},
		{"curl -k example.com", granted, "", "always verified", 2},
		{"curl -sS http://", granted, "", "curl:", 7},
		{"curl -sS https://nowhere.example.com/", granted, "", "curl: (6)", 6},
		{"curl -sS https://other.test/", granted, "", "curl: (60)", 60},
		{"curl -sS https://evil.test/", granted, "", "curl: (7) request to https://evil.test/ denied: not granted (allow it with --grant net:evil.test)", 7},
		{"curl -sS http://169.254.169.254/latest", granted, "", "denied", 7},
		{"curl -sS example.com", bare, "", "curl: (7) net is not granted (the block asks with :uses net, and wb run --grant net:example.com grants it)", 7},
		{"curl -sS http://example.com:8080/a", nil, "", "wb run --grant net:http://example.com:8080 grants it", 7},
		{"curl -sS 'https://$(id)/'", nil, "", "wb run --grant net grants it", 7},
		{"wb tcp request example.com:7 x", bare, "", "wb run --grant tcp:example.com:7 grants it", 7},
		{"curl -s example.com", nil, "", "", 7},
		{"wget -qO- example.com/a", granted, "GET /a User-Agent=Wget/wb\n", "", 0},
		{"wget -q -O - --header 'X-Own: 1' --post-data=x=1 example.com/a", granted, "POST /a Content-Type=application/x-www-form-urlencoded X-Own=1 User-Agent=Wget/wb body=\"x=1\"\n", "", 0},
		{"wget example.com/dir/page; cat page", granted, "GET /dir/page User-Agent=Wget/wb\n", "\"page\" saved [33]", 0},
		{"wget -q example.com/; cat index.html", granted, "GET / User-Agent=Wget/wb\n", "", 0},
		{"mkdir d; wget -q -P d example.com/x example.com/y; cat d/y", granted, "GET /y User-Agent=Wget/wb\n", "", 0},
		{"wget example.com/missing", granted, "", "ERROR 404: Not Found.", 8},
		{"wget -q --spider example.com/broken", granted, "", "", 8},
		{"wget --spider example.com/fine", granted, "", "", 0},
		{"wget --no-check-certificate example.com", granted, "", "always verified", 2},
		{"wget https://evil.test/", granted, "", "not granted", 7},
		{"wget example.com", nil, "", "wget: net is not granted", 7},
		{"http example.com/a q==1 X-Own:2", granted, "GET /a?q=1 Accept=application/json, */*;q=0.5 X-Own=2 User-Agent=http/wb\n", "", 0},
		{"http example.com/a name=Ann age:=7", granted, "POST /a Content-Type=application/json Accept=application/json, */*;q=0.5 User-Agent=http/wb body=\"{\\\"age\\\":7,\\\"name\\\":\\\"Ann\\\"}\"\n", "", 0},
		{"http -f PUT example.com/a name='A n'", granted, "PUT /a Content-Type=application/x-www-form-urlencoded Accept=application/json, */*;q=0.5 User-Agent=http/wb body=\"name=A+n\"\n", "", 0},
		{"http -h example.com/a | head -1", granted, "HTTP/1.1 200 OK\n", "", 0},
		{"http --check-status example.com/missing >/dev/null", granted, "", "HTTP 404 Not Found", 4},
		{"http --check-status example.com/broken", granted, "", "HTTP 502", 5},
		{"http --check-status example.com/moved", granted, "", "HTTP 302", 3},
		{"http -F example.com/moved", granted, "GET /there Accept=application/json, */*;q=0.5 User-Agent=http/wb\n", "", 0},
		{"http example.com/a x:={", granted, "", "is not JSON", 2},
		{"http", granted, "", "usage: http", 2},
		{"http example.com", nil, "", "http: net is not granted", 7},
		{"pip-fetch tabulate==0.9.0", nil, "", "pip-fetch: net is not granted", 7},
		{"pip-fetch tabulate==0.9.0", granted, "", "nothing serves it here", 7},
		{"pip-fetch", granted, "", "usage: pip-fetch", 2},
		{"command -v curl >/dev/null && echo there", nil, "there\n", "", 0},
		{"type wb", nil, "", "not found", 1},
	} {
		tree := sandbox.NewMemFS()
		job := &compile.Job{Dock: c.dock, Files: tree}
		out, err := lanetest.Execute(t, lane, lanetest.Block("sh", compile.ShapeCommand, c.script), job)
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
			continue
		}
		if string(out.Stdout) != c.out || !strings.Contains(string(out.Stderr), c.errors) || out.Exit != c.exit || c.errors == "" && !strings.HasPrefix(c.script, "wget") && len(out.Stderr) > 0 {
			t.Errorf("%s: exit %d, want %d\n out %q\nwant %q\n err %q\nwant %q", c.script, out.Exit, c.exit, out.Stdout, c.out, out.Stderr, c.errors)
		}
	}
}
