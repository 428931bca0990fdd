package main

import (
	"context"
	"os"
	"strings"

	"wb/app"
	"wb/internal/diag"
	"wb/sandbox/netbroker"
	"wb/search/federate"
	"wb/workbook/library"
)

// tables are the tables below the working directory and those of toolkits.
func (a *terminal) tables(flags app.TableFlags, given []string) (*federate.Catalog, error) {
	config := netbroker.Config{Private: a.private, Denied: func(e *netbroker.DeniedError) {
		if a.verbose {
			a.note("wb: %v", e)
		}
	}}
	for _, text := range flags.Grant {
		host, ok := strings.CutPrefix(text, "net:")
		if !ok {
			return nil, diag.Usagef("", "grant %s: tables need only net:HOST", text)
		}
		grant, err := netbroker.ParseGrant(host)
		if err != nil {
			return nil, &diag.CodedError{Err: err, Help: "", Code: diag.ExitUsage}
		}
		config.Allow = append(config.Allow, grant)
	}
	return federate.Open(federate.Config{Dir: ".", Given: given, Toolkits: federate.ToolkitDirs(".", os.Getenv), Fetch: netbroker.New(config), Getenv: os.Getenv,
		OnError: federate.OnError(flags.OnError), Note: func(format string, args ...any) { a.note("wb: "+format, args...) },
		Tables: map[string]func(context.Context) (federate.Source, error){library.TableName: app.LibraryTable}}), nil
}
