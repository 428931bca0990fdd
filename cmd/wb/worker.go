package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/app"
	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
	"wb/compile/place/fabric/programs"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/tomlfile"
	"wb/serve/api"
)

// fabricFlags say which fabric, for callers and workers.
type fabricFlags struct {
	Nats   string `help:"Server of the fabric: nats://HOST:4222, or tls://." placeholder:"URL" env:"WB_NATS"`
	Tenant string `help:"The tenant whose queue it is." default:"default" env:"WB_NATS_TENANT"`
	Token  string `name:"nats-token" aliases:"token" help:"Where the fabric's token is: env:NAME or file:PATH." placeholder:"REF" env:"WB_NATS_TOKEN"`
	Creds  string `name:"nats-creds" help:"File of credentials, in place of a token." placeholder:"FILE" env:"WB_NATS_CREDS"`
	CA     string `name:"nats-ca" help:"Certificates to trust a tls:// server by, in place of the system's." placeholder:"FILE" env:"WB_NATS_CA"`
	Cert   string `name:"nats-cert" help:"Your certificate, for servers that ask for one." placeholder:"FILE" env:"WB_NATS_CERT"`
	Key    string `name:"nats-key" help:"The certificate's key." placeholder:"FILE" env:"WB_NATS_KEY"`

	Replicas int `name:"nats-replicas" help:"How many servers of a cluster keep a copy of everything; by default three, or all if there are fewer." placeholder:"N" env:"WB_NATS_REPLICAS"`
}

// config is where the flags lead; worker says as whom.
func (f *fabricFlags) config(worker bool) (fabric.Config, error) {
	c := fabric.Config{URL: f.Nats, Tenant: f.Tenant, Creds: f.Creds, Replicas: f.Replicas}
	if f.Replicas < 0 || f.Replicas > 5 {
		return c, diag.Usagef("", "--nats-replicas %d: a cluster keeps 1 to 5 copies", f.Replicas)
	}
	if err := fabric.CheckTenant(f.Tenant); err != nil {
		return c, &diag.CodedError{Err: err, Help: "", Code: diag.ExitUsage}
	}
	if worker {
		c.User = fabric.WorkerUser(f.Tenant)
	}
	if f.Token != "" && f.Creds != "" {
		return c, diag.Usagef("", "--nats-token and --nats-creds are alternatives: give one of them")
	}
	var err error
	if f.Token != "" {
		if c.Token, err = api.ReadToken(f.Token, os.Getenv); err != nil {
			err = fmt.Errorf("--nats-token: %w", err)
			if kind, _, _ := strings.Cut(f.Token, ":"); kind != "env" && kind != "file" {
				err = &diag.CodedError{Err: err, Help: "a token on the command line would be visible in process lists", Code: diag.ExitUsage}
			}
			return c, err
		}
	}
	c.TLS, err = f.tls()
	return c, err
}

// alone forgets a server that the environment names, where flags ask for one of
// this process's own.
func (f *fabricFlags) alone() {
	if f.Nats == os.Getenv("WB_NATS") {
		f.Nats = ""
	}
}

// tls is how to know the server, and how it knows this end; nil leaves it to the
// system's certificates.
func (f *fabricFlags) tls() (*tls.Config, error) {
	if f.CA == "" && f.Cert == "" && f.Key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if f.CA != "" {
		if config.RootCAs, err = readCertificates(f.CA); err != nil {
			return nil, fmt.Errorf("--nats-ca: %w", err)
		}
	}
	switch {
	case f.Cert == "" && f.Key == "":
		return config, nil
	case f.Cert == "" || f.Key == "":
		return nil, diag.Usagef("", "--nats-cert and --nats-key go together")
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("--nats-cert, --nats-key: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

func readCertificates(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: the file holds no certificate", file)
	}
	return pool, nil
}

// dial connects, warns of a way that others can read along, and from then on says
// when the server does not answer.
func (a *terminal) dial(ctx context.Context, config fabric.Config) (*fabric.Link, error) {
	config.Told = func(text string) { a.note("wb: %s", text) }
	link, err := fabric.Dial(ctx, config)
	if err == nil && link.InClear() {
		a.note("wb: warning: the connection to %s is not encrypted; tls:// encrypts it", config.Where())
	}
	return link, err
}

// workerCmd does the work of runs elsewhere, and may host the fabric.
type workerCmd struct {
	fabricFlags
	Slots int           `default:"-1" help:"The most programs at once; by default one per processor; 0 only hosts the server." placeholder:"N"`
	Name  string        `help:"The worker's name; host and process id by default."`
	Grace time.Duration `default:"30s" help:"How long running work may continue after the worker is told to stop."`
	List  bool          `help:"List the connected workers, and end."`

	Embed   bool   `help:"Host the fabric's server here."`
	Addr    string `default:"127.0.0.1:4222" help:"With --embed: address to listen on." placeholder:"HOST:PORT"`
	Dir     string `help:"With --embed: directory for queues, results and tokens; in the state directory by default." type:"path" placeholder:"DIR"`
	Tenants string `help:"With --embed: file that names tenants with tokens and quotas." type:"existingfile" placeholder:"FILE"`
	URLFile string `name:"url-file" help:"With --embed: write the server's URL there when it listens." type:"path" placeholder:"FILE"`
	TLSCert string `name:"tls-cert" help:"With --embed: certificate. Required unless the address is local." type:"existingfile" placeholder:"FILE"`
	TLSKey  string `name:"tls-key" help:"With --embed: the certificate's key." type:"existingfile" placeholder:"FILE"`
	TLSCA   string `name:"tls-client-ca" help:"With --embed: clients need a certificate signed by one of these." type:"existingfile" placeholder:"FILE"`

	UntilStdinEnds bool `hidden:"" help:"Stop when standard input ends."`
}

func (c *workerCmd) Help() string {
	return `Examples:
  wb worker --embed --dir fabric/                    hosts a server and works
  wb run big.org --nats nats://127.0.0.1:4222 --nats-token file:fabric/default.token
  wb worker --nats tls://fabric.example.com:4222 --token file:default-worker.token
  wb worker --list --nats nats://127.0.0.1:4222 --nats-token file:fabric/default.token

A worker joins from any machine and takes programs of one tenant's runs. On
SIGTERM it finishes what it has begun; killed, its work goes to others.

With --embed it works for all tenants of the server, --slots programs of each at
once and with caches of each one's own; --slots 0 only hosts. A tenants file, where tokens that are not given are made up and kept beside the queues:

  [tenants.ada]
  token = "env:ADA_TOKEN"
  worker_token = "file:/etc/wb/ada-worker.token"
  results = "2GiB"
  objects = "8GiB"
  queue = 5000`
}

func (c *workerCmd) Run(a *terminal) (err error) {
	if c.Slots < 0 {
		c.Slots = max(1, processors())
	}
	if c.Embed {
		c.alone()
	}
	config, err := c.config(true)
	if err != nil {
		return err
	}
	config.Name = c.Name
	ends := []end{{config: config}}
	switch {
	case c.Embed && (c.Nats != "" || c.List):
		return diag.Usagef("", "--embed hosts a server, --nats and --list use an existing one")
	case c.Embed:
		server, err := c.host(a)
		if err != nil {
			return err
		}
		defer server.Close()
		if c.Slots == 0 {
			<-a.ctx.Done()
			return nil
		}
		ends = c.ends(server)
	case c.Nats == "":
		return diag.Usagef("wb help worker", "a worker needs --nats URL, or --embed")
	case c.List:
		config.User = ""
		return c.list(a, config)
	}
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	if c.UntilStdinEnds {
		go func() {
			_, _ = io.Copy(io.Discard, a.std.In) // whatever ends it ends the worker
			stop()
		}()
	}
	return c.work(ctx, a, ends)
}

// end is a tenant that this process works for.
type end struct {
	config fabric.Config
	caches string // directory of the tenant's own caches, "" for the user's
}

// ends are the tenants of a server in this process. Where there are several,
// none may find what another has compiled, and so tell what that was.
func (c *workerCmd) ends(server *natsserver.Server) []end {
	var all []end
	for _, t := range server.Tenants() {
		e := end{config: fabric.Config{URL: server.URL(), Within: server, Tenant: t.Name, User: fabric.WorkerUser(t.Name), Token: t.WorkerToken, Name: c.Name}}
		if len(server.Tenants()) > 1 {
			e.caches = filepath.Join(server.Dir(), "caches", t.Name)
		}
		all = append(all, e)
	}
	return all
}

// work takes programs off the queues of tenants until ctx ends, or no more can
// be taken off one of them.
func (c *workerCmd) work(ctx context.Context, a *terminal, ends []end) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failures := make([]error, len(ends))
	var all sync.WaitGroup
	for i, e := range ends {
		all.Go(func() {
			defer stop()
			failures[i] = c.workFor(ctx, a, e)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

func (c *workerCmd) workFor(ctx context.Context, a *terminal, e end) error {
	return a.withLanesIn(e.caches, func(env *compile.Env, lanes *compile.Registry) error {
		link, err := a.dial(ctx, e.config)
		if err != nil {
			return err
		}
		defer link.Close()
		peer := &programs.Peer{Lanes: lanes, Tools: env.Tools, Progress: env.Progress, Link: link}
		a.note("wb worker: %s works for %s at %s, %d at once", link.Name(), e.config.Tenant, e.config.Where(), c.Slots)
		return fabric.NewWorker(link, fabric.WorkerConfig{Slots: c.Slots, Execute: peer.Execute, Same: programs.Same, Grace: c.Grace, Told: a.tellWork}).Run(ctx)
	})
}

// withLanesIn runs do with lanes of its own, which keep what is compiled in a
// directory of their own over the user's, unless it is "".
func (a *terminal) withLanesIn(caches string, do func(*compile.Env, *compile.Registry) error) error {
	progress, stop := a.progress()
	defer stop()
	config := compile.EnvConfig{Progress: progress, Sources: toolchain.Sources(os.Getenv("WB_SOURCES"))}
	if caches != "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		config = compile.EnvConfig{Dir: caches, Shared: filepath.Join(user, "wb")}
	}
	env, err := compile.NewEnv(a.ctx, config)
	if err != nil {
		return err
	}
	defer env.Close(a.ctx)
	registry, err := lanes.New(env)
	if err != nil {
		return err
	}
	return do(env, registry)
}

// tellWork says what a worker did, with -v, and what went wrong, always.
func (a *terminal) tellWork(e fabric.Ended) {
	switch {
	case e.Err != nil:
		a.note("wb worker: %s: %v", e.Tag, e.Err)
	case a.verbose:
		a.note("wb worker: %s in %s", e.Tag, e.Took.Round(time.Millisecond))
	}
}

func (c *workerCmd) list(a *terminal, config fabric.Config) error {
	link, err := a.dial(a.ctx, config)
	if err != nil {
		return err
	}
	defer link.Close()
	members, err := link.Roll(a.ctx, 500*time.Millisecond)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		a.note("no worker serves tenant %s", config.Tenant)
	}
	return a.answer("worker", members, func(w io.Writer) error {
		for _, m := range members {
			if _, err := fmt.Fprintf(w, "%s  %d slots, %d busy, %d done\n", m.Name, m.Slots, m.Busy, m.Done); err != nil {
				return err
			}
		}
		return nil
	})
}

// host starts the server and says how to reach it.
func (c *workerCmd) host(a *terminal) (*natsserver.Server, error) {
	config := natsserver.Config{Addr: c.Addr, Dir: c.Dir}
	if config.Dir == "" {
		state, err := app.UserState()
		if err != nil {
			return nil, err
		}
		config.Dir = filepath.Join(state.Dir(), "fabric")
	}
	if c.TLSCert != "" || c.TLSKey != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
		}
		config.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		if c.TLSCA != "" {
			if config.TLS.ClientCAs, err = readCertificates(c.TLSCA); err != nil {
				return nil, fmt.Errorf("--tls-client-ca: %w", err)
			}
			config.TLS.ClientAuth = tls.RequireAndVerifyClientCert
		}
	} else if c.TLSCA != "" {
		return nil, diag.Usagef("", "--tls-client-ca needs --tls-cert and --tls-key")
	} else if !natsserver.Loopback(c.Addr) {
		return nil, &natsserver.NoTLSError{Addr: c.Addr}
	}
	tenants, err := c.tenants()
	if err != nil {
		return nil, err
	}
	if config.Tenants, err = natsserver.KeepTokens(config.Dir, tenants); err != nil {
		return nil, err
	}
	server, err := natsserver.Start(a.ctx, config)
	if err != nil {
		return nil, err
	}
	if c.URLFile != "" {
		if err := os.WriteFile(c.URLFile, []byte(server.URL()+"\n"), 0o644); err != nil {
			server.Close()
			return nil, err
		}
	}
	a.note("wb worker: the fabric is at %s; tokens are in %s", server.URL(), config.Dir)
	return server, nil
}

// tenantsFile is the file that --tenants reads.
type tenantsFile struct {
	Tenants map[string]struct {
		Token       string `toml:"token"`
		WorkerToken string `toml:"worker_token"`
		Queue       int64  `toml:"queue"`
		Results     string `toml:"results"`
		Objects     string `toml:"objects"`
	} `toml:"tenants"`
}

func (c *workerCmd) tenants() ([]natsserver.Tenant, error) {
	if c.Tenants == "" {
		return []natsserver.Tenant{{Name: c.Tenant}}, nil
	}
	var file tenantsFile
	read, err := tomlfile.Read(c.Tenants, &file)
	if err == nil {
		err = read.Unknown()
	}
	if err != nil {
		return nil, err
	}
	var list []natsserver.Tenant
	for name, t := range file.Tenants {
		tenant := natsserver.Tenant{Name: name, Quota: fabric.Quota{Messages: t.Queue}}
		for _, field := range []struct {
			ref string
			to  *string
		}{{t.Token, &tenant.Token}, {t.WorkerToken, &tenant.WorkerToken}} {
			if field.ref == "" {
				continue
			}
			if *field.to, err = api.ReadToken(field.ref, os.Getenv); err != nil {
				return nil, fmt.Errorf("%s: tenant %s: %w", c.Tenants, name, err)
			}
		}
		for _, field := range []struct {
			text string
			to   *int64
		}{{t.Results, &tenant.Quota.ResultBytes}, {t.Objects, &tenant.Quota.ObjectBytes}} {
			if field.text == "" {
				continue
			}
			if *field.to, err = app.ParseBytes(field.text); err != nil {
				return nil, fmt.Errorf("%s: tenant %s: %q is not a size", c.Tenants, name, field.text)
			}
		}
		list = append(list, tenant)
	}
	slices.SortFunc(list, func(x, y natsserver.Tenant) int { return strings.Compare(x.Name, y.Name) })
	return list, nil
}
