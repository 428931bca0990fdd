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
	"wb/internal/test/lanetest"
	"wb/internal/test/mcptest"
	"wb/serve/mcp"
)

// conformancePackage are the protocol's own tests, at the version that runs on
// Node.js 20.
const conformancePackage = "@modelcontextprotocol/conformance@0.1.11"

// scenarios is how many scenarios for servers that version has.
const scenarios = 32

// passedScenario is a line of the suite's summary.
var passedScenario = regexp.MustCompile(`(?m)✓ ([a-z0-9-]+): ([0-9]+) passed, 0 failed`)

// warnsOnly is the scenario whose checks are recommendations of protocol 2025-11-25,
// which it makes in requests that say they are of 2025-03-26: the SDK sends no
// priming event there, as that protocol says. TestReconnection checks the same in
// requests of 2025-11-25.
const warnsOnly = "server-sse-polling"

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
	out, err := suite("server", "--url", listening.URL+"/mcp", "--suite", "all")
	if err != nil {
		t.Error(err)
	}
	passed := passedScenario.FindAllStringSubmatch(out, -1)
	if len(passed) != scenarios {
		t.Errorf("%d of %d scenarios passed", len(passed), scenarios)
	}
	for _, p := range passed {
		if p[2] == "0" && p[1] != warnsOnly {
			t.Errorf("%s has checked nothing", p[1])
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}
