package toolchain

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A place of the user's serves archives under the names their publishers gave them,
// as a directory or over HTTP, so that neither npm nor apt-get is started.
func TestSources(t *testing.T) {
	packed, source := tarball(t, toolEntries...), xzBall(t, sourceEntries...)
	dir := t.TempDir()
	for name, data := range map[string][]byte{"x-tool-1.2.3.tgz": packed, "thing_1.2.orig.tar.xz": source} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	log := fakeNPM(t, packed, "exit 1")
	for _, place := range []string{dir, server.URL, server.URL + "/"} {
		s := openStore(t, tool(packed), thing(source, "thing_1.2.orig.tar.xz"))
		s.From(Sources(place))
		for _, name := range s.Names() {
			if _, err := s.Ensure(context.Background(), name, nil); err != nil {
				t.Errorf("%s from %s: %v", name, place, err)
			}
		}
	}
	if c := calls(t, log); len(c) > 0 {
		t.Errorf("npm was started: %v", c)
	}
}

// What a place has not comes from the network; what it has wrong is refused.
func TestSourcesAreNotTrusted(t *testing.T) {
	packed := tarball(t, toolEntries...)
	fakeNPM(t, packed, packs)
	empty, damaged := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "x-tool-1.2.3.tgz"), []byte("else"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, tool(packed))
	_, err := s.Install(context.Background(), "tool", nil, Options{Sources: Sources(damaged)})
	var wrong *IntegrityError
	if !errors.As(err, &wrong) {
		t.Errorf("a damaged archive: %v", err)
	}
	if _, err := s.Install(context.Background(), "tool", nil, Options{Sources: Sources(empty)}); err != nil {
		t.Errorf("a place that has not the archive: %v", err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer server.Close()
	var missing *UnavailableError
	_, err = s.Install(context.Background(), "tool", nil, Options{Force: true, Sources: Sources(server.URL)})
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "502") {
		t.Errorf("a server with a fault: %v", err)
	}
	for _, place := range []string{filepath.Join(empty, "nothing"), "ftp://example.org/x"} {
		if _, err := s.Install(context.Background(), "tool", nil, Options{Force: true, Sources: Sources(place)}); err == nil {
			t.Errorf("%s is taken as a place", place)
		}
	}
}

func TestReason(t *testing.T) {
	for _, c := range []struct{ client, output, want string }{
		{"npm", "npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error errno ECONNREFUSED\n" +
			"npm error FetchError: request to http://x/y failed, reason: connect ECONNREFUSED\nnpm error     at ClientRequest (x.js)\n",
			"FetchError: request to http://x/y failed, reason: connect ECONNREFUSED"},
		{"npm", "npm ERR! code E404\nnpm ERR! 404 Not Found - GET http://x/y\nnpm ERR! 404\n", "404 Not Found - GET http://x/y"},
		{"apt-get", "Reading...\nW: old\nE: Unable to find a source package for thing\n", "Unable to find a source package for thing"},
		{"go", "go: downloading\ngo: no module\n", "go: no module"},
		{"npm", "", ""},
	} {
		if got := reason(c.client, c.output); got != c.want {
			t.Errorf("%s: %q, want %q", c.client, got, c.want)
		}
	}
}
