package fabric

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"

	"wb/internal/diag"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// DialError says that no connection came about, or that what is there cannot be
// worked with.
type DialError struct {
	URL     string // without what proves who asks
	Refused bool   // the server is there and does not know the token, or the credentials
	Err     error
}

func (e *DialError) Error() string {
	if e.Refused {
		return fmt.Sprintf("fabric at %s: tenant or token refused", e.URL)
	}
	return fmt.Sprintf("fabric at %s: %v", e.URL, e.Err)
}

func (e *DialError) Unwrap() error { return e.Err }

// ExitCode tells a token that was refused from a service that is not there.
func (e *DialError) ExitCode() int {
	if e.Refused {
		return diag.ExitForbidden
	}
	return diag.ExitUnavailable
}

// Hint says what to check.
func (e *DialError) Hint() string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
		network   *net.OpError
		server    *jetstream.APIError
	)
	switch {
	case e.Refused:
		return "--tenant NAME --nats-token file:PATH; the host of the server keeps NAME.token and NAME-worker.token in its --dir"
	case errors.As(e.Err, &authority):
		return "--nats-ca FILE names the certificates to trust, in place of the system's"
	case errors.As(e.Err, &host):
		return "give --nats a name that is in the server's certificate"
	case errors.As(e.Err, &invalid):
		return "the server needs another certificate"
	case errors.Is(e.Err, nats.ErrTLS), errors.As(e.Err, &alert), // it hung up at once, by whatever comes first
		strings.Contains(e.URL, "tls://") && (errors.Is(e.Err, io.EOF) || errors.As(e.Err, &network) && network.Op != "dial"):
		return "the server may ask for a certificate of yours: --nats-cert FILE --nats-key FILE"
	case errors.Is(e.Err, nats.ErrSecureConnWanted):
		return "the server there has no TLS, so nothing was sent to it"
	case errors.As(e.Err, &server) && server.ErrorCode == codeNoStorage:
		return fmt.Sprintf("a tenant may use %d MiB there, more than the server has left: give it more disk, or a larger max_file_store", Quota{}.Total()>>20)
	}
	switch silent := new(NoLeaderError); {
	case errors.As(e.Err, &silent):
		return "a server that keeps the queue is down: start it again. With three copies one server may be down: --nats-replicas 3 while all are up"
	case errors.Is(e.Err, jetstream.ErrJetStreamNotEnabled), errors.Is(e.Err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "the server must have JetStream: nats-server -js, or a wb worker --embed"
	case isTooFew(e.Err):
		return "a cluster keeps at most one copy per running server with room; --nats-replicas sets the number of copies"
	}
	return "wb worker --embed hosts a server"
}

// NoLeaderError says that servers answer, but not for the tenant's streams: the
// one that leads them, or too many that keep copies, are away.
type NoLeaderError struct{ Err error }

func (e *NoLeaderError) Error() string {
	return fmt.Sprintf("a server answers, but this tenant's queue has no leader: %v", e.Err)
}

func (e *NoLeaderError) Unwrap() error { return e.Err }

func dialError(c Config, err error) error {
	return &DialError{URL: c.Where(), Refused: errors.Is(err, nats.ErrAuthorization), Err: err}
}

// Where is the server's URL for people to read: without a password or token.
func (c Config) Where() string {
	parts := strings.Split(c.URL, ",")
	for i, part := range parts {
		scheme, rest, ok := strings.Cut(part, "://")
		if !ok {
			scheme, rest = "nats", part
		}
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = rest[at+1:]
		}
		parts[i] = strings.TrimSpace(scheme) + "://" + rest
	}
	return strings.Join(parts, ",")
}

// schemes are how a server may be spoken to.
var schemes = []string{"nats", "tls", "ws", "wss"}

// checkURL refuses what names no server. Its errors do not repeat what may be a
// secret.
func checkURL(list string) error {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, err := url.Parse(part)
		if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
			return fmt.Errorf("fabric: %q is not a server: nats://HOST:4222 or tls://HOST:4222", Config{URL: part}.Where())
		}
	}
	return nil
}

// InClear reports whether others on the network can read what crosses this link:
// it has no TLS and leads to another machine.
func (l *Link) InClear() bool {
	if l.config.Within != nil {
		return false
	}
	if _, err := l.conn.TLSConnectionState(); err == nil {
		return false
	}
	u, err := url.Parse(l.conn.ConnectedUrl())
	if err != nil || u.Hostname() == "" {
		return false // it is not connected
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}
