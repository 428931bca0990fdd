package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"wb/agent/runtime"
	"wb/agent/settings"
	"wb/compile"
	"wb/serve/api"
	"wb/trace/identity"
)

// serveCmd serves agents and workbooks over HTTP.
type serveCmd struct {
	Dir       string   `arg:"" optional:"" default:"." help:"Directory that agents and workbooks are in." type:"existingdir"`
	Addr      string   `default:"127.0.0.1:7890" help:"Address to listen on." placeholder:"HOST:PORT"`
	Token     string   `help:"Where the bearer token is: env:NAME or file:PATH. Needed beyond this machine." placeholder:"REF"`
	Tenants   string   `help:"File that names several tenants with a directory and a token each." type:"existingfile" placeholder:"FILE"`
	AllowExec bool     `help:"Let callers grant git, publish and image."`
	Write     bool     `help:"Let runs change the directory and results be written into workbooks."`
	Grant     []string `help:"Grant a capability to what is run, where a document asks for it: kv, net:api.example.com; may be repeated." placeholder:"CAP"`
	MaxRuns   int      `default:"256" help:"Runs of a tenant at the same time."`
	Schedules bool     `default:"true" negatable:"" help:"Fire what documents schedule."`
}

func (c *serveCmd) Help() string {
	return `Examples:
  wb serve notes/
  wb serve notes/ --addr 0.0.0.0:7890 --token env:WB_SERVE_TOKEN
  wb serve --tenants tenants.toml --addr :7890

  curl -d '{"agent":"team.org#waldo","task":"find the decision"}' http://127.0.0.1:7890/api/run

Runs that had not ended when a server stopped, however it stopped, go on when the
next one starts. A tenants file:

  [tenants.ada]
  dir = "/srv/ada"
  token = "env:ADA_TOKEN"
  exec = true
  grant = ["kv"]

A tenant has what both --grant and its grant name; alone, what --grant names. Its keys,
queues, volumes and variables are its own.`
}

func (c *serveCmd) Run(a *app) error {
	tenants, err := c.tenants()
	if err != nil {
		return err
	}
	state, err := userState()
	if err != nil {
		return err
	}
	configured, err := settings.Load(os.Getenv)
	if err != nil {
		return err
	}
	revoked, err := revocations()
	if err != nil {
		return err
	}
	warn := func(err error) { a.note("wb: warning: %v", err) }
	return a.withLanes(func(env *compile.Env, lanes *compile.Registry) error {
		listener, err := api.Listen(a.ctx, c.Addr, tenants)
		if err != nil {
			return err
		}
		defer listener.Close()
		server, err := api.New(api.Config{Tenants: tenants, Lanes: lanes, State: state.Dir(), AllowExec: c.AllowExec, AllowWrite: c.Write,
			Schedules: c.Schedules, MaxRuns: c.MaxRuns, Version: version(), Warn: warn,
			Grants: c.Grant, Capabilities: tenantCapabilities,
			Runtime: func(api.Tenant) *runtime.Runtime {
				return &runtime.Runtime{Env: env, Lanes: lanes, Getenv: os.Getenv, Warn: warn, Settings: configured, Revoked: revoked}
			}})
		if err != nil {
			return err
		}
		a.note("serving %s on http://%s", c.Dir, listener.Addr())
		return server.Serve(a.ctx, listener)
	})
}

// tenants are who the server is for: those of the file, or one.
func (c *serveCmd) tenants() ([]api.Tenant, error) {
	if c.Tenants == "" {
		one := api.Tenant{Name: identity.DefaultTenant, Dir: c.Dir, Exec: true, Grants: c.Grant}
		if c.Token != "" {
			var err error
			if one.Token, err = api.ReadToken(c.Token, os.Getenv); err != nil {
				return nil, fmt.Errorf("--token: %w", err)
			}
		}
		return []api.Tenant{one}, nil
	}
	return readTenants(c.Tenants)
}

// readTenants reads a tenants file. Directories are relative to the file.
func readTenants(path string) ([]api.Tenant, error) {
	var file struct {
		Tenants map[string]struct {
			Dir   string   `toml:"dir"`
			Token string   `toml:"token"`
			Exec  bool     `toml:"exec"`
			Grant []string `toml:"grant"`
		} `toml:"tenants"`
	}
	meta, err := toml.DecodeFile(path, &file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s", path, unknown[0])
	}
	var all []api.Tenant
	for name, t := range file.Tenants {
		token, err := api.ReadToken(t.Token, os.Getenv)
		if err != nil {
			return nil, fmt.Errorf("%s: tenant %s: %w", path, name, err)
		}
		if !filepath.IsAbs(t.Dir) {
			t.Dir = filepath.Join(filepath.Dir(path), t.Dir)
		}
		all = append(all, api.Tenant{Name: name, Dir: t.Dir, Token: token, Exec: t.Exec, Grants: t.Grant})
	}
	return all, nil
}
