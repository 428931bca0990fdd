//go:build long

package mcp_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wb/compile/lanes"
	"wb/compile/lanetest"
	"wb/serve/mcp"
)

// conformancePackage are the protocol's own tests, at the version that runs on
// Node.js 20.
const conformancePackage = "@modelcontextprotocol/conformance@0.1.11"

// conformanceScenarios are those that any server can be asked. The others ask for
// tools, prompts and resources of a demonstration server by name.
var conformanceScenarios = []string{"server-initialize", "logging-set-level", "ping", "tools-list", "server-sse-multiple-streams", "resources-list",
	"prompts-list", "dns-rebinding-protection"}

// The server conforms to the protocol as its authors test it.
func TestConformance(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm: install Node.js")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", conformancePackage).CombinedOutput(); err != nil {
		t.Skipf("%s cannot be fetched: %v\n%s", conformancePackage, err, out)
	}
	registry, err := lanes.New(lanetest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	served := t.TempDir()
	if err := os.WriteFile(filepath.Join(served, "a.org"), []byte("* TODO One\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server, closeRoot, err := mcp.New(mcp.Config{Dir: served, Version: "test", Lanes: registry})
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoot()
	listening := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
	defer listening.Close()
	for _, name := range conformanceScenarios {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", "conformance"), "server", "--url", listening.URL+"/mcp", "--scenario", name)
			command.Dir = dir
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
