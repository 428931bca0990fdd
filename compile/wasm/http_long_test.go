//go:build long

package wasm

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// TestFetchComponent runs a program in JavaScript that componentize-js made a component
// (just wasi-http), and which asks by fetch: several requests at once, a body of 300 kB
// there and back, and what is not granted.
func TestFetchComponent(t *testing.T) {
	dir := os.Getenv("WB_WASI_HTTP")
	if dir == "" {
		t.Skip("WB_WASI_HTTP names no directory with fetch.wasm: just wasi-http")
	}
	wasm, err := os.ReadFile(filepath.Join(dir, "fetch.wasm"))
	files := sandbox.NewMemFS()
	if err == nil {
		err = sandbox.WriteFile(files, "fetch.wasm", wasm)
	}
	if err != nil {
		t.Fatal(err)
	}
	web := webDock(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.URL.String()+" "+r.Header.Get("X-One"))
		fmt.Fprintf(w, "[%s]", body)
	}, public, "example.com")
	l := New(lanetest.Env(t))
	large := strings.Repeat("x", 300_000)
	src := lanetest.Block("wasm", compile.ShapeCommand, "fetch.wasm GET,https://example.com/a POST,https://example.com/b?c=d,body PUT,https://example.com/e,"+large+" GET,https://elsewhere.test/")
	out, err := lanetest.Execute(t, l, src, &compile.Job{Files: files, Dock: web, Limits: sandbox.Limits{Memory: 256 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out.Stdout), "\n")
	want := []string{"200 GET /a eins []", "200 POST /b?c=d eins [body]", "200 PUT /e eins 300002", "failed: "}
	for i, line := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], line) {
			t.Errorf("line %d: want %q in %q, stderr %q", i, line, out.Stdout, out.Stderr)
		}
	}
	if !strings.Contains(string(out.Stderr), "request to https://elsewhere.test/ denied: not granted") {
		t.Errorf("stderr %q", out.Stderr)
	}
	t.Logf("fuel %d, memory %d", out.Usage.Fuel, out.Usage.Memory)
}
