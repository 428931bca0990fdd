package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/serve/sites"
	"wb/workbook/capability"
)

// Config holds the settings of a server.
type Config struct {
	Tenants []Tenant
	// Lanes are the languages of workbooks.
	Lanes *compile.Registry
	// Runtime makes what does a run of a tenant. Its State, Key, Sink and
	// Delta are set here.
	Runtime func(Tenant) *host.Runtime
	// State is the user's state directory; tenants other than the default one
	// have theirs below it.
	State string
	// AllowExec lets callers grant git, publish and image; AllowWrite lets runs
	// change the tenant's directory.
	AllowExec, AllowWrite bool
	// Grants are the capabilities that workbooks, and what agents start, may have
	// when they ask for them; of these a tenant has what its own Grants name.
	Grants []string
	// Capabilities makes what serves a tenant's grants, whose stores lie in a
	// directory of its own; nil serves nothing. The server closes it.
	Capabilities func(tenant, dir string, key identity.Key) (*capability.Host, error)
	// Sites receives and serves published sites; nil does neither.
	Sites *sites.Server
	// Schedules fires what documents schedule.
	Schedules bool
	// MaxRuns bounds the runs of a tenant at the same time; 0 is DefaultMaxRuns.
	MaxRuns int
	// LookEvery is how often it is looked for what runs do elsewhere; 0 is half a
	// second.
	LookEvery time.Duration
	// Version is told by the well-known document.
	Version string
	// Views hear the events of every run of a workbook besides its records.
	Views []trace.Sink
	// AccessLog is written a line for each request, in the combined format; nil is not.
	AccessLog io.Writer
	// Warn hears what could not be kept or was tried in vain.
	Warn func(error)
	// Clock is the system's when nil; tests turn their own.
	Clock Clock
	// Identity loads the signing key of a tenant; nil is [identity.Load].
	Identity func(tenant string) (identity.Key, error)
}

// Limits of requests and of the server.
const (
	DefaultMaxRuns = 256
	// HeaderTimeout is how long a request may take to arrive, without its body.
	HeaderTimeout = 10 * time.Second

	maxBody         = 1 << 20
	maxTask         = 256 << 10 // bytes of a task or a system prompt
	defaultSteps    = 40
	heartbeat       = 15 * time.Second // of a stream in which nothing happens
	writeTimeout    = 30 * time.Second // until a reader that takes nothing is dropped
	shutdownGrace   = 10 * time.Second
	workflowTimeout = 10 * time.Minute
	maxListed       = 200
)

// Tenant is one user of a server.
type Tenant struct {
	Name string
	Dir  string // the directory it works in
	// Token authenticates its callers; it is "" where the server has one tenant
	// and is reached from this machine only.
	Token string
	// Exec lets this tenant grant exec where the server allows it.
	Exec bool
	// Grants are the capabilities it may use of those the server allows.
	Grants []string
}

// minToken is the shortest token, in bytes.
const minToken = 16

// check says what is wrong with the tenants.
func (c *Config) check() error {
	if len(c.Tenants) == 0 {
		return fmt.Errorf("no tenant")
	}
	var names, dirs, tokens []string
	for i := range c.Tenants {
		t := &c.Tenants[i]
		if err := app.CheckTenant(t.Name); err != nil {
			return err
		}
		dir, err := filepath.Abs(t.Dir)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return fmt.Errorf("tenant %s: %w", t.Name, err)
		}
		t.Dir = dir
		if t.Token == "" && len(c.Tenants) > 1 {
			return fmt.Errorf("tenant %s has no token", t.Name)
		}
		if t.Token != "" && len(t.Token) < minToken {
			return fmt.Errorf("tenant %s: a token has at least %d characters", t.Name, minToken)
		}
		for j := range names {
			switch {
			case names[j] == t.Name:
				return fmt.Errorf("tenant %s is named twice", t.Name)
			case tokens[j] == t.Token:
				return fmt.Errorf("tenants %s and %s have the same token", names[j], t.Name)
			case within(dirs[j], dir) || within(dir, dirs[j]):
				return fmt.Errorf("the directories of tenants %s and %s overlap: %s, %s", names[j], t.Name, dirs[j], dir)
			}
		}
		names, dirs, tokens = append(names, t.Name), append(dirs, dir), append(tokens, t.Token)
	}
	return nil
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// PublicError refuses an address that others can reach without a token.
type PublicError struct{ Addr string }

func (e *PublicError) Error() string {
	return e.Addr + " can be reached from other machines, so it needs a token"
}

// Hint says how to serve there.
func (e *PublicError) Hint() string {
	return "give --token env:WB_SERVE_TOKEN, or listen on 127.0.0.1"
}

// ExitCode is that of what is not permitted.
func (e *PublicError) ExitCode() int { return diag.ExitForbidden }

// Listen opens the address of a server. Without a token only the loopback
// interface is listened on.
func Listen(ctx context.Context, addr string, tenants []Tenant) (net.Listener, error) {
	open := false
	for _, t := range tenants {
		open = open || t.Token == ""
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	// what was bound decides: a name may stand for any address
	if at, ok := listener.Addr().(*net.TCPAddr); open && (!ok || !at.IP.IsLoopback()) {
		_ = listener.Close()
		return nil, &PublicError{addr}
	}
	return listener, nil
}

// ReadToken resolves a reference to a token: env:NAME or file:PATH. The token
// itself is never an argument, which every user of a machine can read.
func ReadToken(ref string, getenv func(string) string) (string, error) {
	kind, name, _ := strings.Cut(ref, ":")
	token := ""
	switch kind {
	case "env":
		token = getenv(name)
	case "file":
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		token = string(text)
	default:
		return "", fmt.Errorf("a token is named by env:NAME or file:PATH")
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", fmt.Errorf("%s holds no token", ref)
	}
	return token, nil
}
