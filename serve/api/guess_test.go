package api_test

import (
	"testing"

	"wb/serve/api"
)

// Who guesses tokens is refused after a while, also with the right one, and told of
// once.
func TestGuesses(t *testing.T) {
	warned := 0
	b := newBench(t, scribe, func(c *api.Config) {
		c.Warn = func(error) { warned++ }
	})
	last := 0
	for range 25 {
		last, _, _ = b.raw("no-token-of-anybody", "GET", "/api/run", nil)
	}
	right, header, _ := b.raw(adaToken, "GET", "/api/run", nil)
	if last != 429 || right != 429 || header.Get("Retry-After") == "" || warned != 1 {
		t.Errorf("after many guesses %d, the right one %d, %d warnings", last, right, warned)
	}
}
