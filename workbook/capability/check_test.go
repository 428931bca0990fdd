package capability

import (
	"errors"
	"strings"
	"testing"
)

// TestCheckGrants tells grants that would grant nothing from those that do.
func TestCheckGrants(t *testing.T) {
	for _, good := range []string{"kv", "kv:cache/*", "workbook:kv", "net", "net:api.example.com", "net:http://a.test:8080", "net:*.example.com", "browse:example.com", "tcp:a.test:7", "tls:*.a.test:*", "udp:*:53", "udp", "serve", "serve:8080", "tcp-serve:0.0.0.0:99", "serve:[::1]:80", "clock", "commands:jq", "build:js"} {
		if err := CheckGrants([]string{good}); err != nil {
			t.Error(err)
		}
	}
	for bad, want := range map[string]string{"bogus": "there is no capability bogus", "comands": "did you mean --grant commands?", "netwrok": "--profile network", "net-privat:10.0.0.0/8": "did you mean --grant net-private:10.0.0.0/8?", "": "there is no capability", "tcp:example.com": "--grant tcp:example.com: is not a HOST:PORT", "tcp:a:0": "port", "tls:": "HOST:PORT",
		"net:http://a:b": "is not an origin", "net:a/b": "is not an origin", "browse:a b": "is not an origin", "serve:http": "is not a port", "serve:99999": "is not a port", "serve:localhost:80": "not an ADDRESS:PORT"} {
		err := CheckGrants([]string{"kv", bad})
		var wrong *GrantError
		if !errors.As(err, &wrong) || wrong.Hint() == "" || wrong.ExitCode() != 2 || !strings.Contains(err.Error()+wrong.Hint(), want) {
			t.Errorf("%q: %v (%v), want %s", bad, err, wrong, want)
		}
	}
}
