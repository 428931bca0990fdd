package fetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wb/internal/identity"
	"wb/proof/fetch"
	"wb/proof/keys"
)

func TestKeys(t *testing.T) {
	key, err := identity.FromSeed([]byte(strings.Repeat("1", 32)))
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/did.json":
			_ = json.NewEncoder(w).Encode(keys.Document(keys.DIDWeb(r.Host), key.DID()))
		case "/people/ada/did.json":
			_ = json.NewEncoder(w).Encode(keys.Document(keys.DIDWeb(r.Host, "people", "ada"), key.DID()))
		case "/moved/did.json":
			http.Redirect(w, r, "/people/ada/did.json", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	host := strings.TrimPrefix(web.URL, "http://")
	ctx := context.Background()
	for _, did := range []string{keys.DIDWeb(host), keys.DIDWeb(host, "people", "ada")} {
		if got, err := fetch.Keys(ctx, did, false); err != nil || len(got) != 1 || got[0] != key.DID() {
			t.Errorf("%s: %v %v", did, got, err)
		}
	}
	for _, did := range []string{keys.DIDWeb(host, "people", "bob"), keys.DIDWeb(host, "moved"), "did:web:"} {
		if got, err := fetch.Keys(ctx, did, false); err == nil {
			t.Errorf("%s: %v", did, got)
		}
	}
}

// TestOffline: nothing but this machine is asked unless the user says so, and
// addresses that are not public are not asked even then.
func TestOffline(t *testing.T) {
	ctx := context.Background()
	var offline *fetch.OfflineError
	if _, err := fetch.Keys(ctx, "did:web:example.org", false); !errors.As(err, &offline) || offline.ExitCode() != 7 || offline.Hint() == "" {
		t.Errorf("%v", err)
	}
	if _, err := fetch.Site(ctx, "https://example.org/", false); !errors.As(err, &offline) {
		t.Errorf("%v", err)
	}
	for _, at := range []string{"http://192.0.2.1/", "https://10.0.0.1/", "https://169.254.169.254/", "file:///etc/", "x"} {
		if _, err := fetch.Site(ctx, at, true); err == nil {
			t.Errorf("%s was asked", at)
		}
	}
}
