package fabric_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
)

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	last int64
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t}
	a.cert, a.key = a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
	return a
}

// sign makes a certificate and its key; without a parent it signs itself.
func (a *authority) sign(template, parent *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.last++
	template.SerialNumber = big.NewInt(a.last)
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	signer := a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// pair is a certificate of the authority; change may make it a bad one.
func (a *authority) pair(change func(*x509.Certificate)) tls.Certificate {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "a server"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if change != nil {
		change(template)
	}
	cert, key := a.sign(template, a.cert)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// secureSite is a site whose server speaks TLS.
func secureSite(t *testing.T, server *tls.Config) *site {
	t.Helper()
	s := &site{t: t}
	var err error
	if s.server, err = natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), Tenants: []natsserver.Tenant{{Name: "ada"}}, TLS: server, AckWait: time.Minute}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.server.Close)
	s.tenant, _ = s.server.Tenant("ada")
	s.config = fabric.Config{URL: s.server.URL(), Tenant: "ada", Token: s.tenant.Token, AckWait: time.Minute, Poll: time.Second}
	return s
}

// TestTLS has work done over a server whose certificate an authority of its own
// has signed, by ends that prove themselves with certificates and tokens.
func TestTLS(t *testing.T) {
	ca := newAuthority(t, "the fabric's authority")
	s := secureSite(t, &tls.Config{Certificates: []tls.Certificate{ca.pair(nil)}, ClientCAs: ca.pool(), ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12})
	if !strings.HasPrefix(s.config.URL, "tls://") {
		t.Errorf("it listens at %s", s.config.URL)
	}
	s.config.TLS = &tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{ca.pair(nil)}, MinVersion: tls.VersionTLS12}
	s.worker("w", fabric.WorkerConfig{Execute: upper})
	r, err := s.queue(fabric.QueueConfig{}).Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("over tls")})
	if err != nil || string(r.Body) != "OVER TLS" {
		t.Errorf("%v %q", err, r.Body)
	}
	if s.dial(s.config).InClear() {
		t.Error("it is said to be in the clear")
	}
	// The process of the server needs no certificate to reach it.
	inside := s.config
	inside.TLS, inside.Within = nil, s.server
	s.dial(inside)
}

// TestTLSRefused tries servers that are not who they should be, and clients
// that do not prove who they are. Each is refused with what to do about it.
func TestTLSRefused(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	server := func(pair tls.Certificate) *site {
		return secureSite(t, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	good := server(ours.pair(nil))
	strict := secureSite(t, &tls.Config{Certificates: []tls.Certificate{ours.pair(nil)}, ClientCAs: ours.pool(), ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12})
	trusting := func(a *authority) *tls.Config { return &tls.Config{RootCAs: a.pool(), MinVersion: tls.VersionTLS12} }
	named := func(pair tls.Certificate) *tls.Config {
		c := trusting(ours)
		c.Certificates = []tls.Certificate{pair}
		return c
	}
	plain := newSite(t, fabric.Quota{})
	for _, c := range []struct {
		name       string
		site       *site
		tls        *tls.Config
		url        string
		says, hint string
		code       int
	}{
		{"another authority", good, trusting(theirs), "", "signed by unknown authority", "--nats-ca FILE", 3},
		{"the system's authorities", good, nil, "", "", "--nats-ca FILE", 3},
		{"another name", server(ours.pair(func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"elsewhere.example"}, nil })), trusting(ours), "", "127.0.0.1", "a name that is in the server's certificate", 3},
		{"an old certificate", server(ours.pair(func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
		})), trusting(ours), "", "expired", "another certificate", 3},
		{"no client certificate", strict, trusting(ours), "", "tls", "--nats-cert FILE", 3},
		{"a stranger's client certificate", strict, named(theirs.pair(nil)), "", "tls", "--nats-cert FILE", 3},
		{"a server without tls", plain, trusting(ours), strings.Replace(plain.config.URL, "nats://", "tls://", 1), "secure connection not available", "nothing was sent", 3},
		{"a wrong token", good, trusting(ours), "", "tenant or token refused", "--nats-token", 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := c.site.config
			config.TLS = c.tls
			if c.url != "" {
				config.URL = c.url
			}
			if c.code == 7 {
				config.Token = "wrong"
			}
			link, err := fabric.Dial(t.Context(), config)
			if err == nil {
				link.Close()
				t.Fatal("it connected")
			}
			failed := new(fabric.DialError)
			if !errors.As(err, &failed) || failed.ExitCode() != c.code || !strings.Contains(err.Error(), c.says) || !strings.Contains(failed.Hint(), c.hint) {
				t.Errorf("%v (%T), hint %q", err, errors.Unwrap(err), failed.Hint())
			}
		})
	}
}

// TestSecretsInURLs sees to it that a token in a URL is not shown to anybody.
func TestSecretsInURLs(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	u, err := url.Parse(s.config.URL)
	if err != nil {
		t.Fatal(err)
	}
	config := s.config
	u.User = url.UserPassword("ada", s.tenant.Token)
	config.URL, config.Token = u.String(), ""
	s.dial(config) // it is a way to give one
	for _, bad := range []string{"nats://ada:s3cret@127.0.0.1:1", "nats://s3cret@127.0.0.1:1", "ada:s3cret@127.0.0.1:1", "nats://s3cret@127.0.0.1:no", "http://ada:s3cret@x", "nats://ada:s3c%zzret@x", "nats://ok:4222,nats://s3cret@"} {
		config.URL = bad
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		link, err := fabric.Dial(ctx, config)
		cancel()
		if err == nil {
			link.Close()
			t.Errorf("%s: it connected", bad)
		} else if strings.Contains(err.Error(), "s3c") {
			t.Errorf("%v", err)
		}
	}
}
