package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRequest bounds a request over HTTP, in bytes.
const maxRequest = 4 << 20

// Sessions end after sessionTimeout without a request. For clients whose
// connection breaks, the latest keptEvents bytes of all streams are kept: they
// come back with Last-Event-ID and miss nothing.
const (
	sessionTimeout = time.Hour
	keptEvents     = 16 << 20
)

// Handler speaks the protocol's streamable HTTP transport at /mcp.
func Handler(server *sdk.Server) http.Handler {
	kept := sdk.NewMemoryEventStore(nil)
	kept.SetMaxBytes(keptEvents)
	mux := http.NewServeMux()
	mux.Handle("/mcp", sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{EventStore: kept, SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxRequest}))
	return mux
}

// Guard lets in who presents the token. Without a token it lets in who reaches
// the server by a loopback name: a page elsewhere can have its own name resolve to
// this machine, and must not get in that way, nor by asking across origins.
func Guard(next http.Handler, token string) http.Handler {
	want := sha256.Sum256([]byte(token))
	guarded := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		if token == "" {
			if !loopbackName(r.Host) || r.Header.Get("Origin") != "" && !loopbackOrigin(r.Header.Get("Origin")) {
				http.Error(w, "this server is for this machine", http.StatusForbidden)
				return
			}
			guarded.ServeHTTP(w, r)
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="wb"`)
			http.Error(w, "this address needs a bearer token", http.StatusUnauthorized)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// loopbackName reports whether a host with or without a port is this machine as
// it calls itself.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func loopbackOrigin(origin string) bool {
	_, host, ok := strings.Cut(origin, "://")
	return ok && loopbackName(host)
}
