package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/serve/api"
	"wb/serve/mcp"
	"wb/workbook"
)

// mcpCmd serves programs that speak the Model Context Protocol.
type mcpCmd struct {
	Dir   string   `arg:"" optional:"" default:"." help:"Directory whose files are served." type:"existingdir"`
	Write bool     `help:"Let run write results into workbooks."`
	Grant []string `help:"Grant a capability to workbooks that ask for it: kv, net:api.example.com; may be repeated." placeholder:"CAP"`
	HTTP  string   `name:"http" help:"Speak over HTTP on this address instead of standard input and output." placeholder:"HOST:PORT"`
	Token string   `help:"With --http: where the bearer token is, env:NAME or file:PATH. Required unless the address is local." placeholder:"REF"`
}

func (c *mcpCmd) Help() string {
	var names []string
	for _, row := range app.At(app.Tools) {
		names = append(names, row.Name)
	}
	return "Examples, the first in a client's configuration:\n  {\"mcpServers\": {\"wb\": {\"command\": \"wb\", \"args\": [\"mcp\", \"/home/ada/notes\"]}}}\n  wb mcp notes/ --http 127.0.0.1:7891\n\nSpeaks on standard input and output, or over HTTP at /mcp. Offers\n" + strings.Join(names, ", ") + ", read and events,\nand every file as a resource wb:///PATH. Nothing outside DIR is read."
}

func (c *mcpCmd) Run(a *terminal) error {
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		server, end, err := a.mcpServer(c, lanes)
		if err != nil {
			return err
		}
		defer end()
		if c.HTTP != "" {
			return c.serve(a, mcp.Handler(server))
		}
		err = mcp.ServeStdio(a.ctx, server, a.std.In, a.std.Out)
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		return err
	})
}

// mcpServer makes a server of a directory; end lets go of it.
func (a *terminal) mcpServer(c *mcpCmd, lanes *compile.Registry) (server *sdk.Server, end func(), err error) {
	records, err := a.recorder("")
	if err != nil {
		return nil, nil, err
	}
	brokers, err := app.Capabilities()
	if err != nil { // a machine without a home: workbooks have nothing but their files
		a.note("wb: warning: %v", err)
	}
	server, closeRoot, err := mcp.New(mcp.Config{Dir: c.Dir, Version: version(), Lanes: lanes, Write: c.Write, Grants: c.Grant, Capabilities: brokers,
		Agents: func() workbook.Agents { return a.componentAgents(lanes, brokers) }, Record: records.Begin,
		Ask: func(ctx context.Context, task host.Task) (*agent.Result, error) {
			rt, err := a.agents(a.env, lanes, brokers)
			if err != nil {
				return nil, err
			}
			rt.Sink = nil
			task.Dir, task.Write, task.Grants, task.NoWait = c.Dir, c.Write, c.Grant, true
			return rt.Run(ctx, task)
		}})
	if err != nil {
		return nil, nil, err
	}
	return server, func() {
		err := closeRoot()
		if brokers != nil {
			err = errors.Join(err, brokers.Close())
		}
		if err != nil {
			a.note("wb: warning: %v", err)
		}
	}, nil
}

// serve answers over HTTP until the process is told to end.
func (c *mcpCmd) serve(a *terminal, handler http.Handler) error {
	token := ""
	if c.Token != "" {
		var err error
		if token, err = api.ReadToken(c.Token, os.Getenv); err != nil {
			return err
		}
	}
	listener, err := api.Listen(a.ctx, c.HTTP, []api.Tenant{{Token: token}})
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mcp.Guard(handler, token), ReadHeaderTimeout: api.HeaderTimeout, MaxHeaderBytes: 64 << 10}
	defer context.AfterFunc(a.ctx, func() { _ = server.Close() })()
	a.note("serving %s on http://%s/mcp", c.Dir, listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
