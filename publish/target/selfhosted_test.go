package target_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"wb/proof/sign"
	"wb/publish/target"
	"wb/serve/sites"
)

const publishToken = "publish-token-0123"

// selfHosted is a server that keeps three releases of each site.
func selfHosted(t *testing.T, puts *atomic.Int64) string {
	t.Helper()
	server, err := sites.New(sites.Config{Dir: t.TempDir(), Keep: 3, Tenants: []sites.Tenant{{Name: "default", Token: publishToken}, {Name: "ada", Token: "token-of-ada-0123"}}})
	must(t, err)
	mux := http.NewServeMux()
	server.Register(mux, http.NotFound)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && puts != nil {
			puts.Add(1)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestSelfHosted(t *testing.T) {
	address := selfHosted(t, nil)
	issuer := newBuilder(t, 1).by
	config := target.Config{Kind: target.SelfHosted, URL: address, Site: "notes", Issuer: &issuer,
		Getenv: func(name string) string { return map[string]string{target.TokenVariable: publishToken}[name] }}
	behaves(t, config, func(path string) string {
		resp, err := http.Get(address + "/w/notes/" + strings.TrimSuffix(path, "index.html"))
		must(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		must(t, err)
		if resp.StatusCode != 200 {
			t.Fatalf("%s: %s", path, resp.Status)
		}
		return string(text)
	})
}

// TestSelfHostedSends sends what the server does not have, and no more.
func TestSelfHostedSends(t *testing.T) {
	var puts atomic.Int64
	config := target.Config{Kind: target.SelfHosted, URL: selfHosted(t, &puts), Site: "notes", Token: publishToken}
	b := newBuilder(t, 1)
	b.write("big.bin", strings.Repeat("x", 1<<20))
	place := newTarget(t, config)
	deploy(t, place, b.release("one"))
	first := puts.Swap(0)
	deploy(t, place, b.release("two"))
	// both pages carry their release's number; key log, style sheet and big.bin stay
	if again := puts.Load(); again >= first || again != 2+3 {
		t.Errorf("%d files, then %d", first, again)
	}
}

func TestSelfHostedRefuses(t *testing.T) {
	ctx := context.Background()
	address := selfHosted(t, nil)
	b := newBuilder(t, 1)
	config := target.Config{Kind: target.SelfHosted, URL: address, Site: "notes", Token: publishToken, Issuer: &b.by}
	deploy(t, newTarget(t, config), b.release("one"))
	deploy(t, newTarget(t, config), b.release("two"))
	for name, change := range map[string]func(*target.Config){
		"wrong token":      func(c *target.Config) { c.Token = "wrong-token-012345" },
		"no token":         func(c *target.Config) { c.Token = ""; c.Getenv = func(string) string { return "" } },
		"another tenant's": func(c *target.Config) { c.URL += "/t/ada" },
	} {
		wrong := config
		change(&wrong)
		place := newTarget(t, wrong)
		var no *target.RefusedError
		if _, err := place.Deploy(ctx, b.dir); !errors.As(err, &no) || no.ExitCode() != 7 || no.Hint() == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := place.Rollback(ctx, "1"); !errors.As(err, &no) || no.ExitCode() != 7 {
			t.Errorf("%s: rollback: %v", name, err)
		}
	}
	for name, change := range map[string]func(*target.Config){
		"plain http": func(c *target.Config) { c.URL = "http://example.org" },
		"no site":    func(c *target.Config) { c.Site = "" },
		"no server":  func(c *target.Config) { c.URL = "" },
		"no address": func(c *target.Config) { c.URL = "example.org" },
	} {
		wrong := config
		change(&wrong)
		var bad *target.ConfigError
		if _, err := target.New(wrong); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}

	// rolling back takes the site's key, as its newest key log has it
	stranger := newBuilder(t, 2).by
	config.Issuer = &stranger
	if _, err := newTarget(t, config).Rollback(ctx, "1"); err == nil {
		t.Error("a stranger rolled the site back")
	}
	config.Issuer = nil
	if _, err := newTarget(t, config).Rollback(ctx, "1"); err == nil {
		t.Error("the token alone rolled the site back")
	}
	config.Issuer = &b.by
	if back, err := newTarget(t, config).Rollback(ctx, "1"); err != nil || back.Sequence != 1 {
		t.Errorf("%+v %v", back, err)
	}
	rotated, err := b.by.Keys.Rotate(b.by.Signer, newBuilder(t, 3).by.Signer, 3, noon)
	must(t, err)
	old := b.by
	b.by = sign.Issuer{Signer: newBuilder(t, 3).by.Signer, Keys: rotated}
	config.Issuer = &b.by
	place := newTarget(t, config)
	deploy(t, place, b.release("three"))
	config.Issuer = &sign.Issuer{Signer: old.Signer, Keys: old.Keys}
	if _, err := newTarget(t, config).Rollback(ctx, "1"); err == nil {
		t.Error("a key that gave way rolled the site back")
	}
}
