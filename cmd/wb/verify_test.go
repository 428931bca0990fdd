package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
)

// TestVerifyURL verifies what a server of this machine shows, and runs it again:
// a site, a page and a bundle, each by its address.
func TestVerifyURL(t *testing.T) {
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs")
	cache, err := os.UserCacheDir() // of compiled engines
	if err != nil {
		t.Fatal(err)
	}
	freshUser(t)
	t.Setenv("XDG_CACHE_HOME", cache)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("made.org", "#+TITLE: Made\n\n#+begin_src js :exports both\nreturn 6 * 7\n#+end_src\n")
	if err := os.Mkdir("site", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"run -q made.org", "bundle made.org -o site/made.html", "bundle made.org -o site/made.wbundle", "sign site"} {
		if code, _, errs := wbNear(t, strings.Fields(args)...); code != 0 {
			t.Fatalf("wb %s: %d %s", args, code, errs)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir("site")))
	check := func(code int, want string, args ...string) {
		t.Helper()
		got, out, errs := wbNear(t, append([]string{"verify"}, args...)...)
		if got != code || !strings.Contains(out+errs, want) {
			t.Errorf("wb verify %s: %d, want %d and %q\n%s%s", strings.Join(args, " "), got, code, want, out, errs)
		}
	}
	check(0, "valid site", server.URL+"/")
	check(0, "valid site", server.URL)
	check(0, "ran 1 component again", server.URL+"/", "--rebuild")
	check(0, "valid page", server.URL+"/made.html")
	check(0, "ran 1 component again", server.URL+"/made.html", "--rebuild")
	check(0, "valid bundle", server.URL+"/made.wbundle")
	check(0, "ran 1 component again", server.URL+"/made.wbundle", "--rebuild")
	check(diag.ExitNotFound, "hint: the address of a whole site must end in /", server.URL+"/none.html")
	check(diag.ExitVerify, "wb-keys.jsonl is not signed", server.URL+"/.well-known/wb-keys.jsonl")
	check(diag.ExitForbidden, "--online", "https://example.org/made.html")

	text, err := os.ReadFile("site/made.html")
	if err != nil {
		t.Fatal(err)
	}
	write("site/made.html", strings.Replace(string(text), "Made", "Mode", 1))
	check(diag.ExitVerify, "asset-changed", server.URL+"/made.html", "--rebuild")
	check(diag.ExitVerify, "file-changed", server.URL+"/", "--rebuild")

	server.Close()
	check(diag.ExitUnavailable, "does not answer", server.URL+"/")
	check(diag.ExitUnavailable, "hint: is a server running there", server.URL+"/made.html")
}
