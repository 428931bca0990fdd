package fabric_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"wb/compile/place/fabric"
)

// operator is a cluster whose users have credentials: an operator's key vouches
// for accounts, an account's for users.
type operator struct {
	t            *testing.T
	url          string
	account, bad nkeys.KeyPair
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{t: t}
	root := o.pair(nkeys.CreateOperator())
	o.account, o.bad = o.pair(nkeys.CreateAccount()), o.pair(nkeys.CreateAccount())
	system := o.pair(nkeys.CreateAccount())
	resolver := &server.MemAccResolver{}
	for _, account := range []nkeys.KeyPair{o.account, system} {
		claims := jwt.NewAccountClaims(o.name(account))
		if account == o.account {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		token, err := claims.Encode(root)
		if err == nil {
			err = resolver.Store(o.name(account), token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	claims := jwt.NewOperatorClaims(o.name(root))
	claims.SystemAccount = o.name(system)
	o.url = serve(t, server.Options{TrustedOperators: []*jwt.OperatorClaims{claims}, SystemAccount: o.name(system), AccountResolver: resolver,
		JetStreamMaxStore: 64 << 30}) // else three quarters of what the disk has left
	return o
}

// serve starts a server that is not ours and gives its URL.
func serve(t *testing.T, options server.Options) string {
	t.Helper()
	options.Host, options.Port, options.NoLog, options.NoSigs, options.JetStream, options.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, true, t.TempDir()
	ns, err := server.NewServer(&options)
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	if !ns.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server did not start")
	}
	return ns.ClientURL()
}

func (o *operator) pair(pair nkeys.KeyPair, err error) nkeys.KeyPair {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	return pair
}

func (o *operator) name(pair nkeys.KeyPair) string {
	o.t.Helper()
	name, err := pair.PublicKey()
	if err != nil {
		o.t.Fatal(err)
	}
	return name
}

// creds writes the credentials of a user that an account vouches for.
func (o *operator) creds(account nkeys.KeyPair) string {
	o.t.Helper()
	user := o.pair(nkeys.CreateUser())
	token, err := jwt.NewUserClaims(o.name(user)).Encode(account)
	if err != nil {
		o.t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		o.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		o.t.Fatal(err)
	}
	file := filepath.Join(o.t.TempDir(), "user.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		o.t.Fatal(err)
	}
	return file
}

// TestCredentials works on a cluster that is not ours, as a user whose account an
// operator vouches for, and is refused as another.
func TestCredentials(t *testing.T) {
	o := newOperator(t)
	s := &site{t: t, config: fabric.Config{URL: o.url, Tenant: "ada", Creds: o.creds(o.account), AckWait: time.Minute, Poll: time.Second}}
	s.worker("w", fabric.WorkerConfig{Execute: upper})
	r, err := s.queue(fabric.QueueConfig{}).Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("vouched for")})
	if err != nil || string(r.Body) != "VOUCHED FOR" {
		t.Errorf("%v %q", err, r.Body)
	}
	for _, creds := range []string{"", o.creds(o.bad)} {
		config := s.config
		config.Creds = creds
		failed := new(fabric.DialError)
		if link, err := fabric.Dial(t.Context(), config); err == nil {
			link.Close()
			t.Errorf("with credentials %q it connected", creds)
		} else if !errors.As(err, &failed) || !failed.Refused {
			t.Errorf("with credentials %q: %v", creds, err)
		}
	}
	config := s.config
	config.Creds = filepath.Join(t.TempDir(), "none")
	if _, err := fabric.Dial(t.Context(), config); err == nil {
		t.Error("without the file it connected")
	}
}

// TestNoRoom tells the host of a server what a tenant needs there.
func TestNoRoom(t *testing.T) {
	url := serve(t, server.Options{JetStreamMaxStore: 1 << 30})
	link, err := fabric.Dial(t.Context(), fabric.Config{URL: url, Tenant: "ada"})
	if err == nil {
		link.Close()
		t.Fatal("a tenant fits into less than its quota")
	}
	failed := new(fabric.DialError)
	if !errors.As(err, &failed) || !strings.Contains(failed.Hint(), "5440 MiB") {
		t.Errorf("%v; hint: %s", err, failed.Hint())
	}
}
