package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// gate knows whose a request is.
type gate struct {
	digests [][sha256.Size]byte // of the tokens, in the order of tenants
	tenants []*tenant
	open    bool // one tenant without a token
	now     func() time.Time
	guesses *guesses

	mu       sync.Mutex
	sessions map[string]session // of browsers, by cookie
}

// session is a browser that has shown a token.
type session struct {
	tenant *tenant
	until  time.Time
}

const (
	sessionCookie = "wb-session"
	sessionTTL    = 12 * time.Hour
	maxSessions   = 1000
)

func newGate(tenants []*tenant, now func() time.Time, warn func(error)) *gate {
	g := &gate{tenants: tenants, now: now, sessions: map[string]session{}, guesses: &guesses{now: now, warn: warn, from: map[string]guessing{}}}
	for _, t := range tenants {
		g.digests = append(g.digests, sha256.Sum256([]byte(t.Token)))
		g.open = g.open || t.Token == ""
	}
	return g
}

// byToken finds the tenant of a token. It looks at every tenant and compares
// digests in constant time, so that how long it takes says nothing.
func (g *gate) byToken(token string) *tenant {
	digest := sha256.Sum256([]byte(token))
	found := -1
	for i := range g.digests {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], g.digests[i][:]), i, found)
	}
	if found < 0 || token == "" {
		return nil
	}
	return g.tenants[found]
}

// shown is the tenant of a token that a request shows.
func (g *gate) shown(r *http.Request, token string) *tenant {
	if g.guesses.tooMany(r) {
		return nil
	}
	t := g.byToken(strings.TrimSpace(token))
	if t == nil {
		g.guesses.wrong(r)
	}
	return t
}

// tenantOf is the tenant of a request, nil when unknown.
func (g *gate) tenantOf(r *http.Request) *tenant {
	if g.open {
		if !loopbackHost(r.Host) { // a name that a page elsewhere had resolve to here
			return nil
		}
		return g.tenants[0]
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "bearer") {
		return g.shown(r, token)
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[cookie.Value]
	if !ok || g.now().After(s.until) {
		delete(g.sessions, cookie.Value)
		return nil
	}
	return s.tenant
}

// loopbackHost reports whether a Host header names this machine to itself.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// enter starts the session of a browser that showed a token.
func (g *gate) enter(w http.ResponseWriter, r *http.Request, t *tenant) {
	id := rand.Text()
	g.mu.Lock()
	for old, s := range g.sessions {
		if g.now().After(s.until) || len(g.sessions) >= maxSessions {
			delete(g.sessions, old)
		}
	}
	g.sessions[id] = session{t, g.now().Add(sessionTTL)}
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, Path: "/", HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteStrictMode, MaxAge: int(sessionTTL.Seconds())})
}

// leave ends it.
func (g *gate) leave(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		g.mu.Lock()
		delete(g.sessions, cookie.Value)
		g.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", HttpOnly: true, MaxAge: -1})
}

type tenantKey struct{}

// tenantIn is the tenant that a request passed the gate as.
func tenantIn(ctx context.Context) *tenant { return ctx.Value(tenantKey{}).(*tenant) }

// known is the context of a request whose tenant is known.
func known(ctx context.Context, t *tenant) context.Context {
	if visitor, ok := ctx.Value(visitorKey{}).(*string); ok {
		*visitor = t.Name
	}
	return context.WithValue(ctx, tenantKey{}, t)
}

type visitorKey struct{}

// withVisitor is a context in which the name of the tenant is noted once it is known.
func withVisitor(ctx context.Context, name *string) context.Context {
	return context.WithValue(ctx, visitorKey{}, name)
}

// callers lets only tenants through; others get a 401.
func (g *gate) callers(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := g.tenantOf(r)
		if t == nil {
			if g.open {
				fail(w, http.StatusForbidden, "forbidden", "this server is for this machine; use a loopback address")
				return
			}
			if r.Header.Get("Authorization") != "" && g.guesses.tooMany(r) {
				w.Header().Set("Retry-After", "60")
				fail(w, http.StatusTooManyRequests, "too_many", guessRefused)
				return
			}
			w.Header().Set("WWW-Authenticate", `Bearer realm="wb"`)
			fail(w, http.StatusUnauthorized, "unauthorized", "this address needs a bearer token")
			return
		}
		next(w, r.WithContext(known(r.Context(), t)))
	})
}

// people lets only tenants through; others are sent to the page for tokens.
func (g *gate) people(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := g.tenantOf(r)
		switch {
		case t != nil:
			next(w, r.WithContext(known(r.Context(), t)))
		case g.open:
			fail(w, http.StatusForbidden, "forbidden", "this server is for this machine; use a loopback address")
		default:
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		}
	})
}
