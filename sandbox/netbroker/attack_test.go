package netbroker

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// insideAnswers is what everything answers that no request may reach.
const insideAnswers = "INSIDE THE NETWORK"

// attack is a line of testdata/attacks.txt.
type attack struct {
	line    int
	outcome string
	url     string
	options []option
	message string
}

type option struct{ name, value string }

// unquoted reads a text that may have the escapes of Go.
func unquoted(text string) string {
	if q, err := strconv.Unquote(text); err == nil {
		return q
	}
	return text
}

func readAttacks(t testing.TB) []attack {
	t.Helper()
	data, err := os.ReadFile("testdata/attacks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []attack
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " |")
		if len(fields) != 4 {
			t.Fatalf("attacks.txt:%d: want 4 fields, have %d", i+1, len(fields))
		}
		a := attack{line: i + 1, outcome: strings.TrimSpace(fields[0]), url: unquoted(strings.TrimPrefix(fields[1], " ")), message: strings.TrimSpace(fields[3])}
		for part := range strings.SplitSeq(fields[2], ";") {
			if name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name != "" {
				a.options = append(a.options, option{name, value})
			}
		}
		list = append(list, a)
	}
	return list
}

// outside is the stand-in for the public internet: a server that answers raw
// bytes, whatever is asked.
type outside struct {
	net.Listener
	tls   *tls.Config // for port 443
	reply string
	stop  chan struct{} // ends servers that wait

	mu       sync.Mutex
	requests []string // heads, as they came
}

func newOutside(t *testing.T, cert *tls.Config, reply string) *outside {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &outside{Listener: listener, tls: cert, reply: reply, stop: make(chan struct{})}
	var all sync.WaitGroup
	t.Cleanup(func() { close(o.stop); listener.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				go func() { <-o.stop; conn.Close() }()
				o.serve(conn)
			})
		}
	})
	return o
}

func (o *outside) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	if first, err := r.Peek(1); err != nil || first[0] == 0x16 && o.reply != "plain" { // a TLS client
		if o.tls == nil || err != nil {
			return
		}
		secure := tls.Server(bufferedConn{conn, r}, o.tls)
		defer secure.Close()
		_ = secure.Handshake() // clients do not trust it
		return
	}
	head, err := http.ReadRequest(r)
	if err != nil {
		if o.reply == "plain" {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\nplain")
		}
		return
	}
	_, _ = io.Copy(io.Discard, head.Body)
	o.mu.Lock()
	o.requests = append(o.requests, head.Method+" "+head.Host+" "+fmt.Sprint(head.Header)+fmt.Sprint(head.TransferEncoding, head.ContentLength))
	o.mu.Unlock()
	o.answer(conn)
}

// bufferedConn reads what was peeked at first.
type bufferedConn struct {
	net.Conn
	r io.Reader
}

func (c bufferedConn) Read(p []byte) (int, error) { return c.r.Read(p) }

func (o *outside) answer(w io.Writer) {
	const ok = "HTTP/1.1 200 OK\r\n"
	say := func(parts ...string) { io.WriteString(w, strings.Join(parts, "")) }
	forever := func(text string) {
		for {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
	if code, location, is := strings.Cut(o.reply, " "); is {
		say("HTTP/1.1 ", code, " X\r\nLocation: ", location, "\r\nContent-Length: 2\r\n\r\nhi")
		return
	}
	switch o.reply {
	case "":
		say(ok, "Content-Length: 2\r\n\r\nhi")
	case "refresh":
		say(ok, "Refresh: 0; url=http://127.0.0.1/\r\nContent-Length: 2\r\n\r\nhi")
	case "metarefresh":
		say(ok, "Content-Type: text/html\r\n\r\n<meta http-equiv=refresh content='0; url=http://127.0.0.1/'>")
	case "big":
		say(ok, "Content-Length: 5000\r\n\r\n", strings.Repeat("x", 5000))
	case "endless":
		say(ok, "\r\n")
		forever(strings.Repeat("x", 4096))
	case "chunks":
		say(ok, "Transfer-Encoding: chunked\r\n\r\n")
		forever("1000\r\n" + strings.Repeat("x", 4096) + "\r\n")
	case "gzipbomb":
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		zeros := make([]byte, 1<<20)
		for range 64 {
			z.Write(zeros)
		}
		z.Close()
		say(ok, "Content-Encoding: gzip\r\n\r\n", packed.String())
	case "brokengzip":
		say(ok, "Content-Encoding: gzip\r\n\r\nthis is not gzip at all")
	case "bigheader":
		say(ok, "X: ", strings.Repeat("x", 50_000), "\r\n\r\n")
	case "manyheaders":
		say(ok, strings.Repeat("X: y\r\n", 10_000), "\r\n")
	case "manyinterim":
		say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10_000), ok, "\r\n")
	case "silent":
		<-o.stop
	case "halfheader":
		say(ok, "X: ")
		<-o.stop
	case "halfbody":
		say(ok, "Content-Length: 10\r\n\r\nhalf")
		<-o.stop
	case "cut":
		say(ok, "Content-Length: 10\r\n\r\nhalf")
	case "nothing":
	case "garbage":
		say("\x00\x01\x02\r\n\r\n")
	case "ssh":
		say("SSH-2.0-OpenSSH_9.9\r\n")
	case "switch":
		say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		<-o.stop
	case "badlength":
		say(ok, "Content-Length: -5\r\n\r\n")
	case "twolengths":
		say(ok, "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi")
	case "badchunk":
		say(ok, "Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n")
	case "secondreply":
		say(ok, "Content-Length: 2\r\n\r\nhi", ok, "Content-Length: 18\r\n\r\n", insideAnswers)
	case "cookie":
		say(ok, "Set-Cookie: a=b; Domain=test\r\nContent-Length: 2\r\n\r\nhi")
	default:
		panic("no reply " + o.reply)
	}
}

// TestAttacks makes every request of testdata/attacks.txt.
func TestAttacks(t *testing.T) {
	attacks := readAttacks(t)
	if len(attacks) < 150 {
		t.Fatalf("only %d attacks", len(attacks))
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1") // a proxy would be asked to do what is refused here
	}
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, insideAnswers) }))
	defer inside.Close()
	certificates := httptest.NewUnstartedServer(nil)
	certificates.StartTLS()
	defer certificates.Close()
	for _, a := range attacks {
		t.Run(strconv.Itoa(a.line), func(t *testing.T) { a.run(t, inside.Listener.Addr().String(), certificates.TLS) })
	}
}

// run makes the attack and holds what happens against what should.
func (a *attack) run(t *testing.T, inside string, cert *tls.Config) {
	c := Config{Limits: Limits{Timeout: time.Minute}}
	request := Request{URL: a.url, Header: http.Header{}}
	var reply, location string
	code := "302"
	first, then := []string{"93.184.216.34"}, []string(nil)
	var grants []string
	for _, o := range a.options {
		switch o.name {
		case "dns":
			first = strings.Split(o.value, ",")
		case "then":
			then = strings.Split(o.value, ",")
		case "grant":
			grants = append(grants, o.value)
		case "method":
			request.Method = unquoted(o.value)
		case "header":
			name, value, _ := strings.Cut(unquoted(o.value), ": ")
			request.Header[name] = []string{value}
		case "body":
			request.Body = []byte(unquoted(o.value))
			if o.value == "large" {
				request.Body = make([]byte, DefaultLimits.Request+1)
			}
		case "location":
			location = o.value
		case "code":
			code = o.value
		case "reply":
			reply = o.value
		case "body-limit":
			c.Limits.Body, _ = strconv.ParseInt(o.value, 10, 64)
		case "header-limit":
			c.Limits.Header, _ = strconv.ParseInt(o.value, 10, 64)
		case "brief":
			c.Limits.Timeout = 100 * time.Millisecond
		default:
			t.Fatalf("no option %q", o.name)
		}
	}
	if location != "" {
		reply = code + " " + location
	}
	if grants == nil {
		grants = []string{"http://*", "https://*"}
	}
	for _, text := range grants {
		g, err := ParseGrant(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Allow = append(c.Allow, g)
	}
	o := newOutside(t, cert, reply)
	var lookups int
	c.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		answer := first
		if lookups++; lookups > 1 && then != nil {
			answer = then
		}
		var list []netip.Addr
		for _, text := range answer {
			if text != "none" {
				list = append(list, netip.MustParseAddr(text))
			}
		}
		return list, nil
	}
	var mu sync.Mutex
	var dialed []string
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		dialed = append(dialed, address)
		mu.Unlock()
		target := inside
		if public(address) {
			target = o.Addr().String()
		}
		return (&net.Dialer{}).DialContext(ctx, network, target)
	}
	var told []*DeniedError
	c.Denied = func(e *DeniedError) { told = append(told, e) }
	got, err := New(c).Do(t.Context(), request)

	outcome, message := outcomeOf(err)
	if outcome != a.outcome || !strings.Contains(message, a.message) {
		t.Errorf("attacks.txt:%d: %q: %s: %v, want %s: %s", a.line, a.url, outcome, err, a.outcome, a.message)
	}
	if (outcome == "denied") != (len(told) == 1) {
		t.Errorf("attacks.txt:%d: %s, and %d denials were told of", a.line, outcome, len(told))
	}
	if i := slices.IndexFunc(dialed, func(address string) bool { return !public(address) }); i >= 0 {
		t.Errorf("attacks.txt:%d: dialed %s", a.line, dialed[i])
	}
	if got != nil && strings.Contains(string(got.Body), insideAnswers) {
		t.Errorf("attacks.txt:%d: the inside answered", a.line)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.requests {
		if strings.Contains(r, "127.0.0.1") || strings.Contains(r, "Proxy-Auth") || strings.Contains(r, "Upgrade") {
			t.Errorf("attacks.txt:%d: the server read %s", a.line, r)
		}
	}
}

// public reports whether a dialed address is.
func public(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return err == nil && PublicAddress(a)
}

func outcomeOf(err error) (outcome, message string) {
	var denied *DeniedError
	var limit *LimitError
	switch {
	case err == nil:
		return "harmless", ""
	case errors.As(err, &denied):
		return "denied", err.Error()
	case errors.As(err, &limit):
		return "limit", err.Error()
	}
	return "failed", err.Error()
}
