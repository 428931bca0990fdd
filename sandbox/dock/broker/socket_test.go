package broker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
)

// far puts servers of this machine in the place of the public internet: every
// host has the address of the example, and what is dialled there is the server
// of its network.
func far(servers map[string]string, roots *x509.CertPool) netbroker.Config {
	return netbroker.Config{
		TLS: &tls.Config{RootCAs: roots},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, servers[port])
		}}
}

// answering serves TCP: each connection is handled by handle and closed.
func answering(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func socketDock(network string, config netbroker.Config, granted ...string) *dock.Dock {
	for _, g := range granted {
		if text, ok := strings.CutPrefix(g, network+":"); ok {
			if grant, err := netbroker.ParseSocketGrant(network, text); err == nil {
				config.Allow = append(config.Allow, grant)
			}
		} else {
			config.Allow = append(config.Allow, netbroker.AnySocket(network))
		}
	}
	return dock.New(dock.Config{Granted: granted, Brokers: map[string]dock.Broker{network: Socket(netbroker.New(config), network)}})
}

// TestTCP speaks to a server that answers at the end of what it is sent, and to
// one that goes on.
func TestTCP(t *testing.T) {
	echo := answering(t, func(c net.Conn) {
		data, _ := io.ReadAll(c)
		c.Write([]byte("heard " + string(data)))
	})
	chatty := answering(t, func(c net.Conn) {
		c.Write([]byte("one\ntwo\nthree\n"))
		io.Copy(io.Discard, c)
	})
	endless := answering(t, func(c net.Conn) {
		for {
			if _, err := c.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	config := far(map[string]string{"7": echo, "8": chatty, "9": endless}, nil)
	config.Limits.Body = 10_000
	d := socketDock("tcp", config, "tcp:a.test:7", "tcp:a.test:8", "tcp:a.test:9")
	expect(t, ask(t, d, "tcp.request", "a.test:7", "hello", ""), "heard hello")
	expect(t, ask(t, d, "tcp.request", "A.TEST.:7", "", ""), "heard ")
	expect(t, ask(t, d, "tcp.request", "a.test:8", "x", `{"until":"\n","keepOpen":true}`), "one\n")
	expect(t, ask(t, d, "tcp.request", "a.test:8", "x", `{"until":"o\nth","keepOpen":true}`), "one\ntwo\nth")
	expect(t, ask(t, d, "tcp.request", "a.test:8", "x", `{"bytes":5,"keepOpen":true}`), "one\nt")
	expect(t, ask(t, d, "tcp.request", "a.test:8", "x", `{"keepOpen":true,"timeout":0.05}`), "failed: fetch tcp://a.test:8: time limit")
	expect(t, ask(t, d, "tcp.request", "a.test:9", "", ""), "limit: tcp://a.test:9: reply limit 10000")
	expect(t, ask(t, d, "tcp.request", "a.test:9", "", `{"bytes":10000}`), "\x00")
	expect(t, ask(t, d, "tcp.request", "a.test:9", "", `{"bytes":10001}`), "limit")
	expect(t, ask(t, d, "tcp.request", "b.test:7", "", ""), "denied: request to tcp://b.test:7 denied: not granted")
	expect(t, ask(t, d, "tcp.request", "a.test:10", "", ""), "denied")
	expect(t, ask(t, d, "tcp.request", "a.test", "", ""), "failed")
}

// TestUDP sends a datagram.
func TestUDP(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		buffer := make([]byte, 1<<16)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if string(buffer[:n]) != "silence" {
				server.WriteTo(append([]byte("heard "), buffer[:min(n, 100)]...), from)
			}
		}
	}()
	d := socketDock("udp", far(map[string]string{"53": server.LocalAddr().String()}, nil), "udp:*:53")
	expect(t, ask(t, d, "udp.request", "a.test:53", "hello", ""), "heard hello")
	expect(t, ask(t, d, "udp.request", "a.test:53", strings.Repeat("x", 60_000), ""), "heard x")
	expect(t, ask(t, d, "udp.request", "a.test:53", strings.Repeat("x", 65_508), ""), "limit: udp://a.test:53: request limit 65507")
	expect(t, ask(t, d, "udp.request", "a.test:53", "silence", `{"timeout":0.05}`), "failed: fetch udp://a.test:53: time limit")
	expect(t, ask(t, d, "udp.request", "a.test:54", "hello", ""), "denied")
}

// TestTLS believes a server only when it is the host that was named.
func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(web.Close)
	names := make(chan string, 8)
	address := answering(t, func(c net.Conn) {
		config := &tls.Config{Certificates: web.TLS.Certificates, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			names <- h.ServerName
			return nil, nil
		}}
		s := tls.Server(c, config)
		data, err := io.ReadAll(s)
		if err == nil {
			s.Write([]byte("heard " + string(data)))
			s.Close()
		}
	})
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	config := far(map[string]string{"853": address}, roots)
	d := socketDock("tls", config, "tls")
	expect(t, ask(t, d, "tls.request", "example.com:853", "hello", ""), "heard hello")
	if name := <-names; name != "example.com" {
		t.Errorf("SNI %q", name)
	}
	expect(t, ask(t, d, "tls.request", "other.test:853", "hello", ""), "failed: fetch tls://other.test:853: tls: failed to verify")
	config.TLS = nil
	expect(t, ask(t, socketDock("tls", config, "tls"), "tls.request", "example.com:853", "hello", ""), "failed: fetch tls://example.com:853: tls: failed to verify")
}
