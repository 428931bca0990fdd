package api

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// How many wrong tokens an address may show, and within what time; then it is refused
// until that time is over, whatever it shows.
const (
	maxGuesses   = 20
	guessWindow  = time.Minute
	maxGuessers  = 10_000 // addresses that are remembered
	guessRefused = "too many wrong tokens from your address; try again in a minute"
)

// guesses counts wrong tokens by the address they came from. It is safe for concurrent
// use.
type guesses struct {
	now  func() time.Time
	warn func(error)

	mu   sync.Mutex
	from map[string]guessing
}

type guessing struct {
	count int
	until time.Time
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// tooMany reports whether an address is refused for now.
func (g *guesses) tooMany(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.from[address(r)]
	return now.count >= maxGuesses && g.now().Before(now.until)
}

// wrong counts a wrong token, and tells whoever runs the server of too many.
func (g *guesses) wrong(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for who, old := range g.from {
		if !g.now().Before(old.until) || len(g.from) >= maxGuessers {
			delete(g.from, who)
		}
	}
	who := address(r)
	one := g.from[who]
	if one.count == 0 {
		one.until = g.now().Add(guessWindow)
	}
	one.count++
	g.from[who] = one
	if one.count == maxGuesses && g.warn != nil {
		g.warn(fmt.Errorf("%d wrong tokens from %s; the address is refused for %v", one.count, who, guessWindow))
	}
}
