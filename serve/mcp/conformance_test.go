//go:build long

package mcp_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"wb/compile/lanes"
	"wb/compile/lanetest"
	"wb/serve/mcp"
	"wb/serve/mcp/mcptest"
)

// conformancePackage are the protocol's own tests, at the version that runs on
// Node.js 20.
const conformancePackage = "@modelcontextprotocol/conformance@0.1.11"

// scenarios is how many scenarios for servers that version has.
const scenarios = 32

// scenario is a line of the suite's list of scenarios.
var scenario = regexp.MustCompile(`(?m)^\s+- ([a-z0-9-]+)$`)

// The server conforms to the protocol as its authors test it, in every scenario for
// servers that their suite has. What the suite asks a server for by name is added
// by mcptest; everything else is what `wb mcp --http` serves.
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
	t.Cleanup(func() { closeRoot() })
	mcptest.Equip(server)
	listening := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
	t.Cleanup(listening.Close)
	suite := func(args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", "conformance"), args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		return string(out), err
	}
	list, err := suite("list", "--server")
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	found := scenario.FindAllStringSubmatch(list, -1)
	if len(found) < scenarios {
		t.Fatalf("the suite lists %d scenarios, not %d:\n%s", len(found), scenarios, list)
	}
	for _, name := range found {
		t.Run(name[1], func(t *testing.T) {
			t.Parallel()
			if out, err := suite("server", "--url", listening.URL+"/mcp", "--scenario", name[1]); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
