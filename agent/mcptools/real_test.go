//go:build long

package mcptools_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/agent"
	"wb/agent/mcptools"
	"wb/agent/mcptools/stdio"
	"wb/sandbox/netbroker"
)

// Servers of the protocol's own authors, at the versions that were tried.
const (
	everything = "@modelcontextprotocol/server-everything@2026.8.31"
	filesystem = "@modelcontextprotocol/server-filesystem@2026.8.31"
)

// Servers that others have written offer their tools and answer, as programs and over
// HTTP.
func TestRealServers(t *testing.T) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm: install Node.js")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", everything, filesystem).CombinedOutput(); err != nil {
		t.Skipf("the servers cannot be fetched: %v\n%s", err, out)
	}
	program := func(name string) string { return filepath.Join(dir, "node_modules", ".bin", name) }
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}

	t.Run("everything", func(t *testing.T) {
		trySums(t, &mcptools.Server{Name: "s", Dial: stdio.Dial([]string{program("mcp-server-everything"), "stdio"}, env, io.Discard)})
	})
	t.Run("everything over HTTP", func(t *testing.T) {
		port := freePort(t)
		server := exec.CommandContext(t.Context(), program("mcp-server-everything"), "streamableHttp")
		server.Env = append(env, "PORT="+port)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		origin := "http://127.0.0.1:" + port
		grant, err := netbroker.ParseGrant(origin)
		if err != nil {
			t.Fatal(err)
		}
		web := netbroker.New(netbroker.Config{Allow: []netbroker.Grant{grant}, Private: netbroker.Local})
		for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
			if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
				c.Close()
				break
			}
		}
		trySums(t, &mcptools.Server{Name: "s", Dial: mcptools.HTTP(origin+"/mcp", "", web)})
	})
	t.Run("filesystem", func(t *testing.T) {
		box := t.TempDir()
		tools := toolsOf(t, &mcptools.Server{Name: "s", Dial: stdio.Dial([]string{program("mcp-server-filesystem"), box}, env, io.Discard)})
		says(t, tools, "mcp_s_write_file", agent.Args{"path": text(filepath.Join(box, "a.txt")), "content": text("one\n")}, "Successfully wrote")
		if got, err := os.ReadFile(filepath.Join(box, "a.txt")); err != nil || string(got) != "one\n" {
			t.Errorf("%q %v", got, err)
		}
		says(t, tools, "mcp_s_read_text_file", agent.Args{"path": text(filepath.Join(box, "a.txt"))}, "one")
		says(t, tools, "mcp_s_read_text_file", agent.Args{"path": text("/etc/passwd")}, "Access denied")
		if !tools["mcp_s_read_text_file"].ReadOnly() || tools["mcp_s_write_file"].ReadOnly() {
			t.Error("the hints were not taken")
		}
	})
}

// trySums uses the server that has everything.
func trySums(t *testing.T, s *mcptools.Server) {
	t.Helper()
	tools := toolsOf(t, s)
	says(t, tools, "mcp_s_echo", agent.Args{"message": text("grüße")}, "Echo: grüße")
	says(t, tools, "mcp_s_get-sum", agent.Args{"a": json.RawMessage("2"), "b": json.RawMessage("40")}, "42")
	says(t, tools, "mcp_s_get-sum", agent.Args{"a": text("two")}, "mcp_s_get-sum error: ")
	says(t, tools, "mcp_s_get-structured-content", agent.Args{"location": text("Chicago")}, `"temperature":`)
	out, err := tools["mcp_s_get-tiny-image"].Call(t.Context(), agent.Args{})
	if err != nil || len(out.Pictures) != 1 || out.Pictures[0].Type != "image/png" || len(out.Artifacts) != 1 {
		t.Errorf("%+v %v", out, err)
	}
}

// toolsOf are a server's tools by name; each has a schema that agents can use.
func toolsOf(t *testing.T, s *mcptools.Server) map[string]agent.Tool {
	t.Helper()
	t.Cleanup(func() { s.Close() })
	listed, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]agent.Tool{}
	for _, tool := range s.Tools(listed) {
		all[tool.Spec().Name] = tool
	}
	t.Logf("%d tools", len(all))
	return all
}

func says(t *testing.T, tools map[string]agent.Tool, name string, args agent.Args, want string) {
	t.Helper()
	tool, ok := tools[name]
	if !ok {
		t.Errorf("there is no %s", name)
		return
	}
	out, err := tool.Call(t.Context(), args)
	got := out.Text
	if err != nil {
		got = err.Error()
	}
	if !strings.Contains(got, want) {
		t.Errorf("%s gave %q, not %q", name, got, want)
	}
}

func text(s string) json.RawMessage {
	quoted, _ := json.Marshal(s)
	return quoted
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
