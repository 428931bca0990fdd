//go:build long

package mcp_test

import (
	"context"
	"errors"
	"maps"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
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

// applicable are the scenarios that ask for nothing by name which only a server made for
// the suite has.
var applicable = []string{"server-initialize", "logging-set-level", "ping", "completion-complete", "tools-list", warnsOnly, "server-sse-multiple-streams",
	"resources-list", "resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection"}

// The server conforms to the protocol as its authors test it: as it is, in every
// scenario that applies to it, and in all of them where equip adds what the suite
// asks a server for by name.
func TestConformance(t *testing.T) {
	suite := installed(t)
	t.Run("as it is", func(t *testing.T) {
		passed := suite(t, serving(t))
		for _, name := range applicable {
			if _, ok := passed[name]; !ok {
				t.Errorf("%s has not passed", name)
			}
		}
		if len(passed) != len(applicable) {
			t.Errorf("%d scenarios passed, not %d: %v", len(passed), len(applicable), slices.Sorted(maps.Keys(passed)))
		}
		t.Logf("%d of the %d scenarios apply, %d pass", len(applicable), scenarios, len(passed))
	})
	t.Run("with what the suite names", func(t *testing.T) {
		server := serving(t)
		equip(server)
		passed := suite(t, server)
		if len(passed) != scenarios {
			t.Errorf("%d of %d scenarios passed", len(passed), scenarios)
		}
		for name, checks := range passed {
			if checks == "0" && name != warnsOnly {
				t.Errorf("%s has checked nothing", name)
			}
		}
	})
}

// serving is the server of a directory with a workbook and an agent in it.
func serving(t *testing.T) *sdk.Server {
	t.Helper()
	registry, err := lanes.New(lanetest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	served := t.TempDir()
	write(t, filepath.Join(served, "a.org"), "* TODO One\n"+vat)
	write(t, filepath.Join(served, "desk.org"), desk)
	server, closeRoot, err := mcp.New(mcp.Config{Dir: served, Version: "test", Lanes: registry, Ask: func(context.Context, host.Task) (*agent.Result, error) {
		return nil, errors.New("there is no model here")
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeRoot() })
	return server
}

// installed is the suite: it gives the scenarios that a server passes, with how many
// checks each made.
func installed(t *testing.T) func(*testing.T, *sdk.Server) map[string]string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm: install Node.js")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", conformancePackage).CombinedOutput(); err != nil {
		t.Skipf("%s cannot be fetched: %v\n%s", conformancePackage, err, out)
	}
	return func(t *testing.T, server *sdk.Server) map[string]string {
		t.Helper()
		listening := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
		defer listening.Close()
		command := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", "conformance"), "server", "--url", listening.URL+"/mcp", "--suite", "all")
		command.Dir = dir
		out, _ := command.CombinedOutput() // its exit code says whether all have passed
		passed := map[string]string{}
		for _, p := range passedScenario.FindAllStringSubmatch(string(out), -1) {
			passed[p[1]] = p[2]
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
		return passed
	}
}
