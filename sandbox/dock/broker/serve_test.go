package broker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wb/sandbox/dock"
)

// serving is a guest that serves, and its address.
func serving(t *testing.T, module, granted string, config ServeConfig, options string, revoked func(string) bool) (*dock.Dock, string) {
	t.Helper()
	brokers := map[string]dock.Broker{"serve": Serve(config), "tcpserve": TCPServe(config)}
	d := dock.New(dock.Config{Granted: []string{granted}, Brokers: brokers, Revoked: revoked})
	t.Cleanup(d.Close)
	var at struct{ Address string }
	text := ask(t, d, module+".listen", "", options)
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		t.Fatal(text)
	}
	return d, at.Address
}

// answerAll answers what comes with its path or its text, until there is none.
func answerAll(t *testing.T, d *dock.Dock, module string) (count int) {
	t.Helper()
	for {
		text := ask(t, d, module+".next")
		if !strings.HasPrefix(text, "{") {
			return count
		}
		var r struct{ ID, Path, Text string }
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		count++
		args := []string{r.ID, "answer " + r.Path + r.Text}
		if module == "serve" {
			args = append(args, `{"status":201,"headers":{"X-Guest":"yes"}}`)
		}
		expect(t, ask(t, d, module+".reply", args...), "")
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	data, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(data)
}

// TestServe answers as many requests as it said, each by the guest, and the last
// of them arrives whole.
func TestServe(t *testing.T) {
	var told string
	config := ServeConfig{Started: func(_ *dock.Call, address string) { told = address }}
	d, address := serving(t, "serve", "serve", config, `{"requests":3}`, nil)
	if told != address || !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("listens on %s, tells %s", address, told)
	}
	expect(t, ask(t, d, "serve.listen", "", ""), "limit: serve.listen: already serving")
	expect(t, ask(t, d, "serve.reply", "7", "x", ""), "notfound")
	other := dock.New(dock.Config{Granted: []string{"serve"}, Brokers: map[string]dock.Broker{"serve": Serve(ServeConfig{})}})
	expect(t, ask(t, other, "serve.listen", address, ""), "failed: serve.listen: the port of "+address+" is in use")
	replies := make(chan string, 3)
	go func() {
		for i := range 3 {
			status, text := get(t, fmt.Sprintf("http://%s/%d", address, i))
			replies <- fmt.Sprint(status, " ", text)
		}
	}()
	if n := answerAll(t, d, "serve"); n != 3 {
		t.Errorf("%d requests", n)
	}
	for i := range 3 {
		if got, want := <-replies, fmt.Sprintf("201 answer /%d", i); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect(t, ask(t, d, "serve.next"), "(none)")
	// The guest may serve again.
	expect(t, ask(t, d, "serve.listen", "", `{"requests":1}`), "{")
	expect(t, ask(t, d, "serve.close"), "")
	expect(t, ask(t, d, "serve.next"), "(none)")
}

// TestTCPServe answers clients that hang up and clients that end with a text.
func TestTCPServe(t *testing.T) {
	d, address := serving(t, "tcpserve", "tcp-serve", ServeConfig{}, `{"requests":2,"until":"\n"}`, nil)
	replies := make(chan string, 2)
	go func() {
		for _, text := range []string{"half", "line\nrest"} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				replies <- err.Error()
				continue
			}
			io.WriteString(conn, text)
			if text == "half" {
				conn.(*net.TCPConn).CloseWrite()
			}
			data, _ := io.ReadAll(conn)
			conn.Close()
			replies <- string(data)
		}
	}()
	if n := answerAll(t, d, "tcpserve"); n != 2 {
		t.Errorf("%d clients", n)
	}
	for _, want := range []string{"answer half", "answer line\n"} {
		if got := <-replies; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestServeAddresses: a guest listens to this machine alone unless the grant says
// otherwise.
func TestServeAddresses(t *testing.T) {
	for _, c := range []struct{ granted, address, want string }{
		{"serve", "", "{"}, {"serve", "0", "{"}, {"serve", "localhost:0", "{"}, {"serve", "127.0.0.1:0", "{"},
		{"serve", "0.0.0.0:0", "denied: serve is granted for this machine only"},
		{"serve", "10.0.0.1:80", "denied"}, {"serve", "[::]:0", "denied"},
		{"serve:0", "", "{"}, {"serve:8080", "", "denied"}, {"serve:8080", "0", "denied"},
		{"serve:0.0.0.0:0", "0.0.0.0:0", "{"}, {"serve:0.0.0.0:0", "127.0.0.1:0", "denied"},
		{"serve", "65536", "invalid"}, {"serve", "-1", "invalid"}, {"serve", "+80", "invalid"}, {"serve", "080", "invalid"}, {"serve", "http", "invalid"},
		{"serve", "example.com:80", "invalid"}, {"serve", "[fe80::1%eth0]:80", "invalid"}, {"serve", "a:b:c", "invalid"}, {"serve", "127.0.0.1:0\x00", "invalid"},
	} {
		d := dock.New(dock.Config{Granted: []string{c.granted}, Brokers: map[string]dock.Broker{"serve": Serve(ServeConfig{})}})
		if got := ask(t, d, "serve.listen", c.address, ""); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s listens on %q: %q, want %q", c.granted, c.address, got, c.want)
		}
		d.Close()
	}
}

// TestServeBounds holds clients to their bounds: rate, body, header, time, and
// the number of connections.
func TestServeBounds(t *testing.T) {
	var now atomic.Int64
	config := ServeConfig{Now: func() time.Time { return time.Unix(now.Load(), 0) },
		Limits: ServeLimits{Rate: 3, Body: 1000, Header: 4096}}
	d, address := serving(t, "serve", "serve", config, "", nil)
	done := make(chan int)
	go func() { done <- answerAll(t, d, "serve") }()
	post := func(n int) int {
		r, err := http.Post("http://"+address+"/", "text/plain", strings.NewReader(strings.Repeat("x", n)))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		return r.StatusCode
	}
	for _, c := range []struct{ body, want int }{{1000, 201}, {1001, 413}, {1, 201}, {1, 201}, {1, 429}} {
		if got := post(c.body); got != c.want {
			t.Errorf("%d bytes: status %d, want %d", c.body, got, c.want)
		}
	}
	now.Add(60)
	if got := post(1); got != 201 {
		t.Errorf("a minute later: status %d", got)
	}
	// A browser that was led here by a name of the net is not served.
	request, _ := http.NewRequest("GET", "http://"+address+"/", nil)
	request.Host = "rebound.example"
	if r, err := http.DefaultClient.Do(request); err != nil || r.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another host: %v %v", r, err)
	} else {
		r.Body.Close()
	}
	// Nor is a page of the net, whatever it asks a browser for.
	for header, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		request, _ := http.NewRequest("POST", "http://"+address+"/", strings.NewReader("x"))
		request.Header.Set(header, value)
		if r, err := http.DefaultClient.Do(request); err != nil || r.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s: %v %v", header, value, r, err)
		} else {
			r.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if r, err := http.Get("http://" + address + "/?" + strings.Repeat("q", 10_000)); err != nil || r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a long header: %v %v", r, err)
	}
	expect(t, ask(t, d, "serve.close"), "")
	if n := <-done; n != 4 {
		t.Errorf("the guest saw %d requests", n)
	}
}

// TestSlowClients hangs up on a client that sends its header without end.
func TestSlowClients(t *testing.T) {
	_, address := serving(t, "serve", "serve", ServeConfig{Limits: ServeLimits{Slow: 50 * time.Millisecond}}, "", nil)
	slow, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	io.WriteString(slow, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
	if data, _ := io.ReadAll(slow); strings.Contains(string(data), "200") {
		t.Errorf("answered a request without end: %q", data)
	}
}

// TestServeConnections hangs up on the connection beyond the bound.
func TestServeConnections(t *testing.T) {
	_, address := serving(t, "tcpserve", "tcp-serve", ServeConfig{Limits: ServeLimits{Connections: 2, Slow: 10 * time.Second}}, "", nil)
	var held []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		held = append(held, c)
	}
	beyond, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer beyond.Close()
	if _, err := bufio.NewReader(beyond).ReadByte(); err == nil {
		t.Error("a connection beyond the bound is served")
	}
	_ = held
}

// TestServeRevoked closes the port when the grant is taken back, also while the
// guest does not ask for anything.
func TestServeRevoked(t *testing.T) {
	var gone atomic.Bool
	d, address := serving(t, "serve", "serve", ServeConfig{}, "", func(string) bool { return gone.Load() })
	waiting := make(chan string)
	go func() { waiting <- ask(t, d, "serve.next") }()
	gone.Store(true)
	if got := <-waiting; !strings.HasPrefix(got, "denied") && got != "(none)" {
		t.Errorf("next: %q", got)
	}
	for {
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
	}
	expect(t, ask(t, d, "serve.listen", "", ""), "denied: serve was revoked")
}

// TestServeUntil ends at the guest's time, and no later than it asked.
func TestServeUntil(t *testing.T) {
	d, _ := serving(t, "serve", "serve", ServeConfig{Time: time.Hour}, `{"seconds":0.02}`, nil)
	expect(t, ask(t, d, "serve.next"), "(none)")
	d, _ = serving(t, "serve", "serve", ServeConfig{Time: 20 * time.Millisecond}, `{"seconds":3600}`, nil)
	expect(t, ask(t, d, "serve.next"), "(none)")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, _ = serving(t, "serve", "serve", ServeConfig{}, "", nil)
	if _, err := d.Call(ctx, "serve.next"); err == nil {
		t.Error("next goes on after the run was interrupted")
	}
}
