package main

import (
	"errors"
	"io"
	"os"

	"wb/compile"
	"wb/serve/mcp"
	"wb/trace"
)

// mcpCmd serves programs that speak the Model Context Protocol.
type mcpCmd struct {
	Dir   string `arg:"" optional:"" default:"." help:"Directory whose files are offered." type:"existingdir"`
	Write bool   `help:"Let run write results into workbooks."`
}

func (c *mcpCmd) Help() string {
	return "Example, in a client's configuration:\n  {\"mcpServers\": {\"wb\": {\"command\": \"wb\", \"args\": [\"mcp\", \"/home/ada/notes\"]}}}\n\nSpeaks on standard input and output. Offers search, query, plan, lint, read, events\nand run, and every file as a resource wb:///PATH. Nothing outside DIR is read."
}

func (c *mcpCmd) Run(a *app) error {
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		records := &runCmd{}
		server, closeRoot, err := mcp.New(mcp.Config{Dir: c.Dir, Version: version(), Lanes: lanes, Write: c.Write,
			Record: func(file string, src []byte) (*trace.Run, error) { return records.record(a, file, src) }})
		if err != nil {
			return err
		}
		defer closeRoot()
		err = mcp.ServeStdio(a.ctx, server, a.std.In, a.std.Out)
		if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
			return nil
		}
		return err
	})
}
