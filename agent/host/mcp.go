package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"wb/agent"
	"wb/agent/mcptools"
	"wb/agent/mcptools/stdio"
	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/internal/trace"
	"wb/sandbox/netbroker"
)

// mcpTools are the tools of the MCP servers that an agent names, and a function
// that ends the connections to them.
func (rt *Runtime) mcpTools(ctx context.Context, d *agent.Definition, task Task, opts agent.Options) (all []agent.Tool, done func(), err error) {
	var servers []*mcptools.Server
	done = func() {
		for _, s := range servers {
			_ = s.Close() // what it says at its end changes nothing
		}
	}
	for _, want := range mcpNames(d) {
		s, err := rt.mcpServer(d, task, want, opts.Events)
		if err != nil {
			done()
			return nil, nil, err
		}
		servers = append(servers, s)
		listed, err := mcpListed(ctx, s, opts)
		if err != nil {
			done()
			return nil, nil, advised(err, want)
		}
		all = append(all, s.Tools(listed)...)
	}
	return all, done, nil
}

// mcpNames are the servers of a definition: :MCP: and the words mcp:NAME of
// :TOOLS:.
func mcpNames(d *agent.Definition) []string {
	names := slices.Clone(d.MCP)
	for _, word := range d.Tools {
		if name, ok := strings.CutPrefix(word, "mcp:"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// advised says which grant lets an agent reach a server on this machine or its network.
func advised(err error, want string) error {
	_, address, _ := strings.Cut(want, "=")
	u, parseErr := url.Parse(address)
	if denied, ok := errors.AsType[*netbroker.DeniedError](err); !ok || parseErr != nil || u.Host == "" || strings.Contains(denied.Reason, "revoked") {
		return err
	}
	return diag.Advise(err, fmt.Sprintf("allow it with --grant net:%s://%s, or configure it in wb.toml", u.Scheme, u.Host))
}

// mcpServer finds a server: one that the user has configured, by its name, or
// one at an address that the document gives, as NAME=URL. A document cannot
// name a program, and reaches one that is not public where the user granted its
// origin.
func (rt *Runtime) mcpServer(d *agent.Definition, task Task, want string, events agent.Recorder) (*mcptools.Server, error) {
	if name, address, ok := strings.Cut(want, "="); ok {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			return nil, diag.Errorf(d.Pos, "agent %s uses the MCP server %s, whose address is not an http URL", d.ID, want)
		}
		web, err := rt.network(d, events).towards(u, task)
		if err != nil {
			return nil, err
		}
		return &mcptools.Server{Name: name, Dial: mcptools.HTTP(address, "", web)}, nil
	}
	c, ok := rt.Settings.MCP[want]
	if !ok {
		hint := fmt.Sprintf(`add [mcp.%s] with command = ["PROGRAM", "ARGUMENT"] or url = "http://…" to %s`, want, cmp.Or(rt.Settings.Path, "wb.toml"))
		if near := nearest.Word(want, slices.Sorted(maps.Keys(rt.Settings.MCP))); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		pos := d.Pos
		if slices.Contains(d.Tools, "mcp:"+want) {
			pos = d.ToolsPos
		}
		return nil, diag.Errorf(pos, "agent %s uses the MCP server %s, which is not configured", d.ID, want).WithHint(hint)
	}
	s := &mcptools.Server{Name: want, Only: c.Tools}
	if c.URL == "" {
		var env []string
		for _, name := range append([]string{"PATH", "HOME", "LANG"}, c.Env...) {
			if v := rt.Getenv(name); v != "" {
				env = append(env, name+"="+v)
			}
		}
		s.Dial = stdio.Dial(c.Command, env, io.Discard)
		return s, nil
	}
	web, err := rt.network(d, events).configured(c.URL, netbroker.Limits{Timeout: agent.ToolTimeout})
	if err != nil {
		return nil, err
	}
	key := ""
	if c.KeyEnv != "" {
		key = rt.Getenv(c.KeyEnv)
	}
	s.Dial = mcptools.HTTP(c.URL, key, web)
	return s, nil
}

// mcpListed returns the tools a server offers: those in the journal, else those it lists now.
func mcpListed(ctx context.Context, s *mcptools.Server, opts agent.Options) (listed []mcptools.Listed, err error) {
	key := "mcp/" + s.Name
	if opts.Journal != nil {
		if e, ok := opts.Journal.Find(trace.EntryEffect, key); ok {
			body, err := opts.Journal.Body(e)
			if err != nil {
				return nil, err
			}
			err = json.Unmarshal(body, &listed)
			return listed, err
		}
	}
	if opts.Replay {
		return nil, fmt.Errorf("the journal does not record what the MCP server %s offered", s.Name)
	}
	if listed, err = s.List(ctx); err != nil || opts.Journal == nil {
		return listed, err
	}
	body, err := json.Marshal(listed)
	if err != nil {
		return nil, err
	}
	_, err = opts.Journal.Add(trace.EntryEffect, key, body)
	return listed, err
}
