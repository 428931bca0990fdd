// Package natsserver is a NATS server with JetStream inside this process, set up for
// package fabric: an account for each tenant, with a user that may do all there
// and one that may do what a worker needs and no more.
//
// Tenants of such a server do not see each other's subjects, streams or
// objects, since a name means something only within an account. How much a
// tenant may store is a limit of its account.
package natsserver

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"wb/compile/place/fabric"
)

// Tenant is one that the server knows.
type Tenant struct {
	Name string
	// Token authenticates its callers, WorkerToken its workers.
	// Empty ones are made up.
	Token, WorkerToken string
	Quota              fabric.Quota
}

// Config says where a server listens and for whom.
type Config struct {
	// Addr is host:port; port 0 is any that is free (127.0.0.1:0).
	Addr string
	// Dir keeps queues and results. Two servers cannot share it.
	Dir     string
	Tenants []Tenant
	// TLS is the server's certificate, and whose certificates clients must have,
	// if they must; nil leaves connections in the clear.
	TLS *tls.Config
	// AckWait is passed to the tenants' queues (see [fabric.Config]).
	AckWait time.Duration
}

// Server is a running server.
type Server struct {
	server  *server.Server
	tenants []Tenant
	url     string
	dir     string
}

// NoTLSError says that a server would be reached from other machines in the
// clear.
type NoTLSError struct{ Addr string }

func (e *NoTLSError) Error() string {
	return fmt.Sprintf("listening on %s needs a certificate: tokens and sources would cross the network in the clear", e.Addr)
}

// Hint shows the flags.
func (e *NoTLSError) Hint() string { return "--tls-cert FILE --tls-key FILE, or listen on 127.0.0.1" }

// Start starts a server and makes its tenants' queues.
func Start(ctx context.Context, config Config) (*Server, error) {
	if config.Addr == "" {
		config.Addr = "127.0.0.1:0"
	}
	host, portText, err := net.SplitHostPort(config.Addr)
	if err != nil {
		return nil, fmt.Errorf("fabric server: %w", err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, fmt.Errorf("fabric server: port %q: %w", portText, err)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("fabric server: %w", err)
	}
	tenants, err := withTokens(config.Tenants)
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: "wb", Host: host, Port: port, NoLog: true, NoSigs: true, JetStream: true, StoreDir: filepath.Join(config.Dir, "jetstream"),
		DisableJetStreamBanner: true, MaxPayload: 1 << 20, TLSConfig: config.TLS, TLS: config.TLS != nil, TLSTimeout: 5,
		SyncInterval: 2 * time.Second, PingInterval: 10 * time.Second, MaxPingsOut: 3, JetStreamMaxStore: maxStore(tenants), JetStreamMaxMemory: 64 << 20,
	}
	for _, t := range tenants {
		account := server.NewAccount(t.Name)
		options.Accounts = append(options.Accounts, account)
		options.Users = append(options.Users,
			&server.User{Username: t.Name, Password: t.Token, Account: account},
			&server.User{Username: fabric.WorkerUser(t.Name), Password: t.WorkerToken, Account: account, Permissions: workerPermissions(t.Name)})
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("fabric server: %w", err)
	}
	ns.Start()
	s := &Server{server: ns, tenants: tenants, dir: config.Dir}
	if !ns.ReadyForConnections(20 * time.Second) {
		s.Close()
		return nil, fmt.Errorf("fabric server: it did not start on %s", config.Addr)
	}
	s.url = ns.ClientURL()
	for _, t := range tenants {
		if err := s.admit(ctx, t, config); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// admit bounds a tenant's account and makes its queue.
func (s *Server) admit(ctx context.Context, t Tenant, config Config) error {
	account, err := s.server.LookupAccount(t.Name)
	if err != nil {
		return fmt.Errorf("fabric server: tenant %s: %w", t.Name, err)
	}
	err = account.EnableJetStream(map[string]server.JetStreamAccountLimits{"": {
		MaxMemory: 4 << 20, MaxStore: t.Quota.Total(), MaxStreams: 8, MaxConsumers: 64, MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1,
	}}, nil)
	if err != nil {
		return fmt.Errorf("fabric server: tenant %s: %w", t.Name, err)
	}
	link, err := fabric.Dial(ctx, fabric.Config{URL: s.url, Tenant: t.Name, Token: t.Token, Within: s, AckWait: config.AckWait, Quota: t.Quota})
	if err != nil {
		return err
	}
	link.Close()
	return nil
}

// InProcessConn connects from within this process, whatever certificates others
// need.
func (s *Server) InProcessConn() (net.Conn, error) { return s.server.InProcessConn() }

// URL is where the server listens, Tenant what it knows of one.
func (s *Server) URL() string { return s.url }

// Dir is where the server keeps things.
func (s *Server) Dir() string { return s.dir }

// Tenant is one of the server's tenants, with its tokens.
func (s *Server) Tenant(name string) (Tenant, bool) {
	for _, t := range s.tenants {
		if t.Name == name {
			return t, true
		}
	}
	return Tenant{}, false
}

// Tenants are all of them.
func (s *Server) Tenants() []Tenant { return s.tenants }

// Load counts what a server has carried since it started.
type Load struct {
	Connections                                int
	InMessages, OutMessages, InBytes, OutBytes int64
	Memory                                     int64 // bytes
}

// Load returns what the server has carried.
func (s *Server) Load() (Load, error) {
	v, err := s.server.Varz(nil)
	if err != nil {
		return Load{}, fmt.Errorf("fabric server: %w", err)
	}
	return Load{Connections: v.Connections, InMessages: v.InMsgs, OutMessages: v.OutMsgs, InBytes: v.InBytes, OutBytes: v.OutBytes, Memory: v.Mem}, nil
}

// Close stops the server. What it keeps is on disk.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// Loopback reports whether an address is reached from this machine alone.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func withTokens(list []Tenant) ([]Tenant, error) {
	if len(list) == 0 {
		return nil, errors.New("fabric server: no tenants")
	}
	seen := map[string]bool{}
	var all []Tenant
	for _, t := range list {
		if err := fabric.CheckTenant(t.Name); err != nil {
			return nil, err
		}
		if seen[t.Name] {
			return nil, fmt.Errorf("fabric server: tenant %s twice", t.Name)
		}
		seen[t.Name] = true
		if t.Token == "" {
			t.Token = NewToken()
		}
		if t.WorkerToken == "" {
			t.WorkerToken = NewToken()
		}
		all = append(all, t)
	}
	return all, nil
}

// KeepTokens fills in tokens that are not given: those kept in dir from an
// earlier start, else new ones, which are then kept, for their owner to read:
// NAME.token for callers and NAME-worker.token for workers.
func KeepTokens(dir string, list []Tenant) ([]Tenant, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("fabric server: %w", err)
	}
	all := slices.Clone(list)
	for i := range all {
		t := &all[i]
		if err := fabric.CheckTenant(t.Name); err != nil {
			return nil, err
		}
		for _, one := range []struct {
			token *string
			user  string
		}{{&t.Token, t.Name}, {&t.WorkerToken, fabric.WorkerUser(t.Name)}} {
			if *one.token != "" {
				continue
			}
			path := filepath.Join(dir, one.user+".token")
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				text = []byte(NewToken() + "\n")
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				return nil, fmt.Errorf("fabric server: %w", err)
			}
			*one.token = strings.TrimSpace(string(text))
		}
	}
	return all, nil
}

// NewToken makes an unguessable token.
func NewToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func maxStore(list []Tenant) int64 {
	var sum int64
	for _, t := range list {
		sum += t.Quota.Total()
	}
	return sum
}

// workerPermissions let a worker take work, look for and store results, ask and
// tell callers, and store objects. It can neither queue work, nor answer
// callers' questions, nor remove what others stored.
func workerPermissions(tenant string) *server.Permissions {
	n := fabric.Names{Tenant: tenant}
	work, results, log := n.WorkStream(), n.ResultsStream(), n.LogStream()
	objects := "OBJ_" + n.Objects()
	publish := []string{
		"$JS.API.CONSUMER.INFO." + work + ".workers", "$JS.API.CONSUMER.MSG.NEXT." + work + ".workers", "$JS.ACK." + work + ".workers.>",
		n.Result("*"), n.Failure("*"), n.Log("*", "*"), n.Ask("*"), n.Live("*"),
		"$O." + n.Objects() + ".>", "$JS.API.STREAM.PURGE." + objects, "$JS.API.CONSUMER.CREATE." + objects + ".>", "$JS.API.CONSUMER.DELETE." + objects + ".>",
		"$JS.FC.>", "_INBOX.>",
	}
	for _, stream := range []string{work, results, log, objects} {
		publish = append(publish, "$JS.API.STREAM.INFO."+stream, "$JS.API.DIRECT.GET."+stream, "$JS.API.DIRECT.GET."+stream+".>", "$JS.API.STREAM.MSG.GET."+stream)
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX." + fabric.WorkerUser(tenant) + ".>", n.Cancel("*"), n.Roll()}},
		Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute},
	}
}
