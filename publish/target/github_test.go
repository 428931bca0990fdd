package target_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	gitclient "github.com/go-git/go-git/v5/plumbing/transport/client"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"wb/publish/target"
)

// githubToken is the one that the stand-in takes.
const githubToken = "not-a-secret"

// github stands in for github.com: git's own server program behind https, which asks for
// a token as GitHub does. The account ada has an empty repository there; its directory is
// the answer.
func github(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here: apt-get install git")
	}
	where, err := exec.Command(program, "--exec-path").Output()
	must(t, err)
	backend := filepath.Join(strings.TrimSpace(string(where)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git's http server is not here: " + backend)
	}
	root := t.TempDir()
	repo := filepath.Join(root, "ada", "site.git")
	_, err = git.PlainInit(repo, true)
	must(t, err)
	handler := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada",
		// the owner of the directory is whoever runs this
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user == "" || password != githubToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
			http.Error(w, "Repository not found.", http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(r.Body) // a program of CGI is told how long it is
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	before := gitclient.Protocols["https"]
	t.Cleanup(func() { gitclient.InstallProtocol("https", before) })
	gitclient.InstallProtocol("https", githttp.NewClient(&http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the stand-in has no certificate of GitHub's
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "github.com:443" {
				return nil, errors.New("only github.com is there, not " + address)
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}}}))
	return repo
}

// TestGitHub deploys to a repository at GitHub as people have it: over https, with a token.
func TestGitHub(t *testing.T) {
	dir, _ := project(t)
	remote := github(t)
	repo, err := git.PlainOpen(dir)
	must(t, err)
	_, err = repo.CreateRemote(&gitconfig.RemoteConfig{Name: "hub", URLs: []string{"https://github.com/ada/site.git"}})
	must(t, err)
	at := func(token string) target.Config {
		return target.Config{Kind: target.GHPages, Repo: dir, Remote: "hub", Domain: "ada.example.org", Keep: 3, Getenv: func(name string) string {
			return map[string]string{"GITHUB_TOKEN": token}[name]
		}}
	}
	for _, token := range []string{"", "another"} {
		if _, err := newTarget(t, at(token)).Deploy(context.Background(), newBuilder(t, 1).release("one")); err == nil || !strings.Contains(err.Error(), "authentication required") {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
	behaves(t, at(githubToken), func(path string) string {
		return gitSays(t, remote, "show", "gh-pages:"+path)
	})

	// what GitHub serves, as git itself reads it
	files := strings.Fields(gitSays(t, remote, "ls-tree", "-r", "--name-only", "gh-pages"))
	for _, want := range []string{".nojekyll", "CNAME", "index.html", "deep/er/index.html", ".well-known/wb-site.json"} {
		if !slices.Contains(files, want) {
			t.Errorf("no %s among %q", want, files)
		}
	}
	if domain := gitSays(t, remote, "show", "gh-pages:CNAME"); domain != "ada.example.org\n" {
		t.Errorf("CNAME says %q", domain)
	}
	gitSays(t, remote, "fsck", "--strict")
}

// gitSays runs git over a repository.
func gitSays(t *testing.T, repo string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "--git-dir", repo}, args...)...)
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, wrong.String())
	}
	return said.String()
}
