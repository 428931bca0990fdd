package target_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/publish/target"
)

// store is a stand-in for S3: it holds what is put, and asks for a signature of each
// request, which wb/internal/s3 holds against Amazon's own examples.
type store struct {
	mu      sync.Mutex
	objects map[string]string
	types   map[string]string
	puts    []string
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/bucket/my/site/")
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=who/") || name == r.URL.Path {
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
		return
	}
	switch r.Method {
	case http.MethodPut:
		data, _ := io.ReadAll(r.Body)
		s.objects[name], s.types[name] = string(data), r.Header.Get("Content-Type")
		s.puts = append(s.puts, name)
	case http.MethodDelete:
		delete(s.objects, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		data, ok := s.objects[name]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, data)
	}
}

// TestS3: a bucket is a target like others; only what changed is put, the manifest last,
// and a machine that never deployed there goes on from what is there.
func TestS3(t *testing.T) {
	s := &store{objects: map[string]string{}, types: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	at := func(state, secret string) target.Config {
		return target.Config{Kind: target.S3, To: "s3://bucket/my/site", URL: server.URL, Keep: 3, Getenv: func(name string) string {
			return map[string]string{"WB_STATE_DIR": state, "AWS_ACCESS_KEY_ID": "who", "AWS_SECRET_ACCESS_KEY": secret}[name]
		}}
	}
	config := at(t.TempDir(), "not-a-secret")
	behaves(t, config, func(path string) string { return s.objects[path] })
	if kind := s.types["index.html"]; kind != "text/html; charset=utf-8" {
		t.Errorf("a page is %s", kind)
	}
	b, place := newBuilder(t, 5), newTarget(t, at(t.TempDir(), "x"))
	clear(s.objects)
	b.write("very old/a + b%.txt", "text")
	deploy(t, place, b.release("one"))
	s.puts = nil
	deploy(t, place, b.release("two"))
	put := strings.Join(s.puts, " ")
	if strings.Contains(put, "style.css") || !strings.HasPrefix(put, "deep/er/index.html index.html ") && !strings.HasPrefix(put, "index.html deep/er/index.html ") || !strings.HasSuffix(put, " .well-known/wb-site.json") {
		t.Errorf("put %s", put)
	}
	status, err := place.Status(context.Background())
	must(t, err)
	must(t, status.Verdict.Err())
	history, err := newTarget(t, at(t.TempDir(), "x")).History(context.Background())
	if err != nil || history[".well-known/wb-site.json"] == nil {
		t.Errorf("another machine knows %v of it: %v", history, err)
	}
	if all, err := newTarget(t, at(t.TempDir(), "x")).List(context.Background()); err != nil || len(all) != 1 || !all[0].Current {
		t.Errorf("another machine lists %v: %v", all, err)
	}
	s.objects["index.html"] = "somebody else's"
	if status, err = place.Status(context.Background()); err != nil || status.Verdict.Err() == nil {
		t.Errorf("what readers see counts as signed: %v", err)
	}
	if _, err := target.New(at(t.TempDir(), "")); err == nil || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("without credentials: %v", err)
	}
}

// TestRsync deploys with the user's own rsync, whose ssh is a stand-in that runs the
// other rsync on this machine.
func TestRsync(t *testing.T) {
	if _, err := exec.LookPath("rsync"); err != nil {
		t.Skip("no rsync here: apt-get install rsync")
	}
	there := t.TempDir()
	ssh := filepath.Join(t.TempDir(), "ssh")
	must(t, os.WriteFile(ssh, []byte("#!/bin/sh\nwhile [ \"$1\" != example.org ]; do shift; done\nshift\nexec \"$@\"\n"), 0o755))
	t.Setenv("RSYNC_RSH", ssh)
	state := t.TempDir()
	config := target.Config{Kind: target.Rsync, To: "me@example.org:" + there + "/site", Keep: 3, Getenv: func(name string) string {
		return map[string]string{"WB_STATE_DIR": state}[name]
	}}
	behaves(t, config, func(path string) string {
		text, err := os.ReadFile(filepath.Join(there, "site", path))
		must(t, err)
		return string(text)
	})
	t.Setenv("PATH", t.TempDir())
	var exit interface{ ExitCode() int }
	if _, err := newTarget(t, config).Rollback(context.Background(), ""); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("without rsync: %v", err)
	}
	for _, bad := range []string{"", "-e sh:x", "/local", "host:-x", "a b:/x", "rsync://host/x"} {
		place, err := target.New(target.Config{Kind: target.Rsync, To: bad, Getenv: config.Getenv})
		if err == nil {
			_, err = place.Deploy(context.Background(), newBuilder(t, 1).release("x"))
		}
		if err == nil {
			t.Errorf("destination %q passed", bad)
		}
	}
}
