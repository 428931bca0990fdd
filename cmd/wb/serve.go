package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/tomlfile"
	"wb/serve/api"
	"wb/serve/sites"
)

// serveCmd serves agents and workbooks over HTTP.
type serveCmd struct {
	Dir          string   `arg:"" optional:"" default:"." help:"Directory with the agents and workbooks." type:"existingdir"`
	Addr         string   `default:"127.0.0.1:7890" help:"Address to listen on." placeholder:"HOST:PORT"`
	Token        string   `help:"Where the bearer token is: env:NAME or file:PATH. Required unless the address is local." placeholder:"REF"`
	Tenants      string   `help:"File that names several tenants, each with a directory and a token." type:"existingfile" placeholder:"FILE"`
	AllowExec    bool     `help:"Let callers grant git, publish and image."`
	Write        bool     `help:"Let runs change the directory and results be written into workbooks."`
	Grant        []string `help:"Grant a capability to what is run, where a document asks for it: kv, net:api.example.com; may be repeated." placeholder:"CAP"`
	MaxRuns      int      `default:"256" help:"The most runs of a tenant at the same time."`
	PublishToken string   `help:"Where the token for publishing sites is: env:NAME or file:PATH. Without one nothing can be published." placeholder:"REF"`
	PublishBytes int64    `default:"268435456" help:"The most bytes in one release of a site."`
	PublishFiles int      `default:"20000" help:"The most files in one release of a site."`
	PublishKeep  int      `default:"5" help:"The number of releases of a site to keep."`
	AccessLog    string   `help:"Append a line for each request to a file, in the combined log format; - is standard output." placeholder:"FILE"`
	Schedules    bool     `default:"true" negatable:"" help:"Run what documents schedule."`
}

func (c *serveCmd) Help() string {
	return `Examples:
  wb serve notes/
  wb serve notes/ --addr 0.0.0.0:7890 --token env:WB_SERVE_TOKEN
  wb serve --tenants tenants.toml --addr :7890
  wb serve notes/ --access-log -

  wb serve notes/ --publish-token env:WB_PUBLISH_TOKEN

  curl -d '{"agent":"team.org#waldo","task":"find the decision"}' http://127.0.0.1:7890/api/run

Runs that had not ended when a server stopped, however it stopped, go on when the
next one starts. A tenants file:

  [tenants.ada]
  dir = "/srv/ada"
  token = "env:ADA_TOKEN"
  publish_token = "env:ADA_PUBLISH_TOKEN"
  exec = true
  grant = ["kv"]

A tenant has what both --grant and its grant name; alone, what --grant names. Its keys,
queues, volumes and variables are its own.

Sites that were published are served at /w/NAME/, those of a tenant other than
default at /t/TENANT/w/NAME/. wb publish site publishes; the server verifies
each release before readers see it.`
}

func (c *serveCmd) Run(a *terminal) error {
	tenants, publishers, err := c.tenants()
	if err != nil {
		return err
	}
	state, err := app.UserState()
	if err != nil {
		return err
	}
	configured, err := settings.Load(os.Getenv)
	if err != nil {
		return err
	}
	granted, err := app.UserGrants()
	if err != nil {
		return err
	}
	warn := func(err error) { a.note("wb: warning: %v", err) }
	requests, closeLog, err := c.accessLog(a)
	if err != nil {
		return err
	}
	defer closeLog()
	published, err := sites.New(sites.Config{Dir: filepath.Join(state.Dir(), "sites"), Tenants: publishers, Keep: c.PublishKeep,
		Quota: sites.Quota{Bytes: c.PublishBytes, Files: c.PublishFiles}, Warn: warn})
	if err != nil {
		return err
	}
	return a.withLanes(func(env *compile.Env, lanes *compile.Registry) error {
		listener, err := api.Listen(a.ctx, c.Addr, tenants)
		if err != nil {
			return err
		}
		defer listener.Close()
		server, err := api.New(api.Config{Tenants: tenants, Lanes: lanes, State: state.Dir(), AllowExec: c.AllowExec, AllowWrite: c.Write,
			AccessLog: requests, Schedules: c.Schedules, MaxRuns: c.MaxRuns, Version: version(), Warn: warn, Views: a.views(),
			Sites: published, Grants: c.Grant, Capabilities: app.TenantCapabilities,
			Runtime: func(api.Tenant) *host.Runtime {
				return &host.Runtime{Env: env, Lanes: lanes, Table: app.ForAgents{}, Getenv: os.Getenv, Warn: warn, Views: a.views(), Settings: configured, Revoked: granted.Revoked}
			}})
		if err != nil {
			return err
		}
		a.note("serving %s on http://%s", c.Dir, listener.Addr())
		return server.Serve(a.ctx, listener)
	})
}

// accessLog is where requests are written down; nil for nowhere.
func (c *serveCmd) accessLog(a *terminal) (io.Writer, func(), error) {
	switch c.AccessLog {
	case "":
		return nil, func() {}, nil
	case "-":
		return a.std.Out, func() {}, nil
	}
	file, err := os.OpenFile(c.AccessLog, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("--access-log: %w", err)
	}
	return file, func() { _ = file.Close() }, nil
}

// tenants are who the server is for, those of the file or one, and who of them
// may publish.
func (c *serveCmd) tenants() ([]api.Tenant, []sites.Tenant, error) {
	if c.Tenants != "" {
		if c.PublishToken != "" {
			return nil, nil, diag.Usagef("give each tenant a publish_token in that file", "--publish-token is for a server without --tenants")
		}
		return readTenants(c.Tenants)
	}
	one := api.Tenant{Name: identity.DefaultTenant, Dir: c.Dir, Exec: true, Grants: c.Grant}
	publisher := sites.Tenant{Name: one.Name}
	for _, t := range []struct {
		flag, ref string
		to        *string
	}{{"--token", c.Token, &one.Token}, {"--publish-token", c.PublishToken, &publisher.Token}} {
		if t.ref == "" {
			continue
		}
		var err error
		if *t.to, err = api.ReadToken(t.ref, os.Getenv); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.flag, err)
		}
	}
	return []api.Tenant{one}, []sites.Tenant{publisher}, nil
}

// readTenants reads a tenants file, in order of their names. Directories are
// relative to the file.
func readTenants(path string) ([]api.Tenant, []sites.Tenant, error) {
	var file struct {
		Tenants map[string]struct {
			Dir          string   `toml:"dir"`
			Token        string   `toml:"token"`
			PublishToken string   `toml:"publish_token"`
			Exec         bool     `toml:"exec"`
			Grant        []string `toml:"grant"`
		} `toml:"tenants"`
	}
	read, err := tomlfile.Read(path, &file)
	if err == nil {
		err = read.Unknown()
	}
	if err != nil {
		return nil, nil, err
	}
	var all []api.Tenant
	var publishers []sites.Tenant
	for _, name := range slices.Sorted(maps.Keys(file.Tenants)) {
		t := file.Tenants[name]
		token, err := api.ReadToken(t.Token, os.Getenv)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: tenant %s: %w", path, name, err)
		}
		publisher := sites.Tenant{Name: name}
		if t.PublishToken != "" {
			if publisher.Token, err = api.ReadToken(t.PublishToken, os.Getenv); err != nil {
				return nil, nil, fmt.Errorf("%s: tenant %s: publish_token: %w", path, name, err)
			}
		}
		if !filepath.IsAbs(t.Dir) {
			t.Dir = filepath.Join(filepath.Dir(path), t.Dir)
		}
		all = append(all, api.Tenant{Name: name, Dir: t.Dir, Token: token, Exec: t.Exec, Grants: t.Grant})
		publishers = append(publishers, publisher)
	}
	return all, publishers, nil
}
