package netbroker

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Exchange is one request and its reply over a socket.
type Exchange struct {
	Network string // tcp, udp or tls
	Address string // HOST:PORT
	Data    []byte // what is sent; over udp one datagram
	// KeepOpen leaves our half of the connection open after Data; else the
	// server sees its end.
	KeepOpen bool
	// Until ends the reply after these bytes, Bytes after so many; with neither
	// it ends where the server does.
	Until []byte
	Bytes int64
	// Timeout is shorter than the broker's own, or zero.
	Timeout time.Duration
}

// Networks are those of exchanges.
var Networks = []string{"tcp", "udp", "tls"}

// maxDatagram is the largest payload of UDP over IPv4.
const maxDatagram = 65507

// ParseSocketGrant reads the part of --grant tcp:HOST:PORT after "tcp:". Host may
// be * or *.example.com, port may be *.
func ParseSocketGrant(network, text string) (Grant, error) {
	host, port, err := splitAddress(text, true)
	if err != nil {
		return Grant{}, fmt.Errorf("grant %s:%s: %w; write %s:HOST:PORT", network, text, err, network)
	}
	return Grant{Scheme: network, Host: host, Port: port}, nil
}

// AnySocket allows every public address over a network.
func AnySocket(network string) Grant { return Grant{Scheme: network, Host: "*"} }

// splitAddress reads HOST:PORT; port 0 stands for *, where that may be.
func splitAddress(text string, wild bool) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(text)
	switch {
	case err != nil || canonicalHost(host) == "" || strings.ContainsAny(host, "%/@\\ "):
		return "", 0, errors.New("is not a HOST:PORT")
	case digits == "*" && wild:
		return canonicalHost(host), 0, nil
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 || digits[0] == '+' {
		return "", 0, fmt.Errorf("port %.20q is not between 1 and 65535", digits)
	}
	return canonicalHost(host), int(n), nil
}

// Exchange sends a request and reads the reply, under the same floor as
// requests over HTTP: the name is resolved here, an address that is not public
// refuses the exchange, and the connection goes to the address that was checked.
// Over tls the server proves to be the host that was named. It returns errors
// as [Broker.Do] does.
func (b *Broker) Exchange(ctx context.Context, x Exchange) ([]byte, error) {
	timeout := b.limits.Timeout
	if x.Timeout > 0 {
		timeout = min(timeout, x.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	u := &url.URL{Scheme: x.Network, Host: strings.ToValidUTF8(x.Address, "?")}
	host, port, err := splitAddress(x.Address, false)
	if err != nil {
		u.Host = ""
		return nil, &FetchError{URL: x.Network + " request", Err: err}
	}
	most := b.limits.Request
	if x.Network == "udp" {
		most = min(most, maxDatagram)
	}
	if int64(len(x.Data)) > most {
		return nil, &LimitError{shown(u), "request", most}
	}
	origin := Grant{Scheme: x.Network, Host: host, Port: port}
	if err := b.permitOrigin(u, origin); err != nil {
		return nil, err
	}
	addresses, err := b.resolve(ctx, u, origin)
	if err != nil {
		return nil, err
	}
	reply, err := b.converse(ctx, x, host, addresses)
	var limit *LimitError
	switch {
	case errors.As(err, &limit):
		limit.URL = shown(u)
		return nil, limit
	case err != nil:
		return nil, &FetchError{URL: shown(u), Err: b.reason(ctx, plain(err))}
	}
	return reply, nil
}

// converse connects, sends and reads.
func (b *Broker) converse(ctx context.Context, x Exchange, host string, addresses []string) ([]byte, error) {
	network := x.Network
	if network == "tls" {
		network = "tcp"
	}
	conn, err := b.dial(ctx, network, addresses)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends reads and writes that wait
	if x.Network == "tls" {
		config := b.tlsConfig()
		config.ServerName = host
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secure
	}
	if _, err := conn.Write(x.Data); err != nil {
		return nil, err
	}
	if x.Network == "udp" {
		return b.datagram(conn)
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && !x.KeepOpen {
		if err := half.CloseWrite(); err != nil && !errors.Is(err, syscall.ENOTCONN) {
			return nil, err
		}
	}
	return b.readReply(conn, x)
}

// datagram is the one datagram that answers.
func (b *Broker) datagram(conn net.Conn) ([]byte, error) {
	buffer := make([]byte, maxDatagram+1)
	n, err := conn.Read(buffer)
	if int64(n) > b.limits.Body {
		return nil, &LimitError{What: "reply", Limit: b.limits.Body}
	}
	return buffer[:n], err
}

// readReply reads as much as the exchange asks for. More than the limit is an
// error, never a part.
func (b *Broker) readReply(conn io.Reader, x Exchange) ([]byte, error) {
	most := b.limits.Body
	var reply []byte
	buffer := make([]byte, 32<<10)
	for {
		n, err := conn.Read(buffer)
		seen := max(0, len(reply)-len(x.Until)+1)
		reply = append(reply, buffer[:n]...)
		if len(x.Until) > 0 {
			if i := bytes.Index(reply[seen:], x.Until); i >= 0 {
				reply = reply[:seen+i+len(x.Until)]
				err = io.EOF
			}
		}
		if x.Bytes > 0 && int64(len(reply)) >= x.Bytes {
			reply, err = reply[:x.Bytes], io.EOF
		}
		switch {
		case int64(len(reply)) > most:
			return nil, &LimitError{What: "reply", Limit: most}
		case err == io.EOF:
			return reply, nil
		case err != nil:
			return nil, err
		}
	}
}

// dial connects to the first of the addresses that answers and to nothing else.
func (b *Broker) dial(ctx context.Context, network string, addresses []string) (conn net.Conn, err error) {
	dial := b.config.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	for _, address := range addresses {
		if conn, err = dial(ctx, network, address); err == nil || ctx.Err() != nil {
			break
		}
	}
	return conn, err
}

// tlsConfig is the configuration for a connection, which may change it.
func (b *Broker) tlsConfig() *tls.Config {
	if b.config.TLS != nil {
		return b.config.TLS.Clone()
	}
	return &tls.Config{MinVersion: tls.VersionTLS12}
}

// plain is a network error without the addresses of this machine.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	if system, ok := errors.AsType[*os.SyscallError](err); ok {
		err = system.Err
	}
	return err
}
