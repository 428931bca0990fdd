package tools_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	"github.com/go-git/go-git/v5/storage/memory"

	"wb/agent/tools"
)

const pushToken = "canary-token-4711"

// remote serves a repository over git's smart HTTP protocol to a user with the
// token, and pushes to it only.
func remote(t *testing.T) (*memory.Storage, string) {
	t.Helper()
	store := memory.NewStorage()
	if _, err := git.Init(store, nil); err != nil {
		t.Fatal(err)
	}
	var session transport.ReceivePackSession
	open := func() error {
		at, err := transport.NewEndpoint("/repo")
		if err == nil {
			session, err = server.NewServer(server.MapLoader{at.String(): store}).NewReceivePackSession(at, nil)
		}
		return err
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, token, _ := r.BasicAuth(); user != "ada" || token != pushToken {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if err := open(); err != nil {
			t.Error(err)
			return
		}
		refs, err := session.AdvertisedReferencesContext(r.Context())
		if err != nil {
			t.Error(err)
			return
		}
		switch r.Method + " " + r.URL.RequestURI() {
		case "GET /repo/info/refs?service=git-receive-pack":
			refs.Prefix = [][]byte{[]byte("# service=git-receive-pack"), pktline.Flush}
			if err := refs.Encode(w); err != nil {
				t.Error(err)
			}
		case "POST /repo/git-receive-pack":
			update := packp.NewReferenceUpdateRequest()
			if err := update.Decode(r.Body); err != nil {
				t.Error(err)
				return
			}
			status, err := session.ReceivePack(r.Context(), update)
			if err != nil {
				t.Error(err)
			}
			if status != nil {
				if err := status.Encode(w); err != nil {
					t.Error(err)
				}
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	return store, web.URL + "/repo"
}

// A commit is pushed to origin; when that fails the commit stands, the agent
// reads why, and the token is in nothing it reads.
func TestPush(t *testing.T) {
	dir, _ := workdir(t, map[string]string{"a.org": "* A\n", "events.org": "* private\n"})
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	store, address := remote(t)
	if _, err := repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{address}}); err != nil {
		t.Fatal(err)
	}
	as := func(token string) tools.Repository {
		return tools.Repository{Dir: dir, Tenant: "ada", User: "ada", Token: token, Now: func() time.Time { return time.Unix(1e9, 0) }}
	}
	wrong := call(t, tools.Git(as("wrong-token-0815")), map[string]any{"message": "first"})
	if !strings.HasPrefix(wrong, "committed: ") || !strings.Contains(wrong, "push failed: ") || strings.Contains(wrong, "wrong-token") {
		t.Errorf("with a wrong token: %q", wrong)
	}
	if _, err := store.Reference("refs/heads/master"); err == nil {
		t.Error("it was pushed with a wrong token")
	}
	got := call(t, tools.Git(as(pushToken)), map[string]any{"message": "first"})
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	if want := "committed + pushed: " + head.Hash().String()[:12]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	pushed, err := store.Reference(head.Name())
	if err != nil || pushed.Hash() != head.Hash() {
		t.Fatalf("the remote has %v %v, not %s", pushed, err, head.Hash())
	}
	theirs, err := git.Open(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := theirs.CommitObject(pushed.Hash())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commit.File("a.org"); err != nil {
		t.Error(err)
	}
	if _, err := commit.File("events.org"); err == nil {
		t.Error("what is private was pushed")
	}
}

// No token goes over a connection that others can read.
func TestPushNeedsHTTPS(t *testing.T) {
	for _, address := range []string{"http://git.example.org/repo", "ssh://git@git.example.org/repo", "git@git.example.org:repo", "file:///repo"} {
		dir, _ := workdir(t, map[string]string{"a.org": "* A\n"})
		repo, err := git.PlainInit(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{address}}); err != nil {
			t.Fatal(err)
		}
		tool := tools.Git(tools.Repository{Dir: dir, Tenant: "ada", Token: pushToken, Now: time.Now})
		if got := call(t, tool, map[string]any{"message": "first"}); !strings.HasSuffix(got, "(not pushed: the remote is not https)") {
			t.Errorf("%s: %q", address, got)
		}
	}
}
