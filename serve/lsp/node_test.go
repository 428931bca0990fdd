package lsp_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The client library of VS Code, which other editors use as well.
const protocolPackage = "vscode-languageserver-protocol@3.18.5"

// TestVSCodeClient drives `wb lsp` through VS Code's own client library. The
// library is installed once into the user's cache.
func TestVSCodeClient(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program+" is not here: apt-get install nodejs npm")
		}
	}
	wb := buildWB(t)
	modules := installProtocol(t)
	dir := t.TempDir()
	script, err := filepath.Abs("testdata/vscode.mjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script, wb, dir)
	cmd.Env = append(os.Environ(), "NODE_MODULES="+modules, "XDG_STATE_HOME="+dir+"/.state", "XDG_CONFIG_HOME="+dir+"/.config")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// missing skips, except where everything must be there.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// buildWB makes wb, unless WB_TEST_BIN names a directory that has one.
func buildWB(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("WB_TEST_BIN"); dir != "" {
		return filepath.Join(dir, "wb")
	}
	name := filepath.Join(t.TempDir(), "wb")
	if out, err := exec.Command("go", "build", "-o", name, "wb/cmd/wb").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

func installProtocol(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "wb", "test", protocolPackage)
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "vscode-languageserver-protocol", "package.json")); err == nil {
		return modules
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, protocolPackage)
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "npm cannot install "+protocolPackage+": "+string(out))
	}
	return modules
}
