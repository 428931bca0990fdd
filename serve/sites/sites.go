// Package sites receives signed sites over HTTP and serves them.
//
// Who holds a publish token uploads a release: first its manifest, to which the
// server answers what it lacks, then those files, then the request to show it.
// The server trusts the token to use space and nothing else. It verifies the
// whole release as any reader would, and as the next one after the newest it
// keeps, before readers see any of it; what fails is refused with the verifier's
// code. Showing an older release takes an order signed by the site's own key.
//
//	POST /w/SITE/.wb/releases          a manifest: what is missing of that release
//	PUT  /w/SITE/PATH?upload=DIGEST    one of its files, streamed
//	POST /w/SITE/.wb/publish?upload=…  verify it and show it
//	GET  /w/SITE/.wb/releases          the releases that are kept
//	POST /w/SITE/.wb/rollback          a signed order to show an older one
//	GET  /w/SITE/PATH                  what readers see
//
// A tenant's sites lie below /t/NAME/w/, the default tenant's below /w/ too. What
// one tenant's token opens does not exist for another's.
package sites

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wb/internal/identity"
	"wb/internal/lazyregexp"
	"wb/proof/releasedir"
)

// Config holds the settings for serving sites.
type Config struct {
	// Dir is where the releases of all sites are kept.
	Dir string
	// Tenants are who may publish.
	Tenants []Tenant
	// Quota bounds each tenant; zero fields are those of [DefaultQuota].
	Quota Quota
	// Keep is how many releases of a site stay; 0 is releasedir.DefaultKeep.
	Keep int
	// Warn receives failures that no caller caused.
	Warn func(error)
}

// Tenant is somebody with sites.
type Tenant struct {
	Name  string
	Token string // "" publishes nothing; what is there is served
}

// Quota bounds what a tenant may publish.
type Quota struct {
	Bytes int64 // of one release
	Files int   // of one release
	Sites int
}

// DefaultQuota is that of a tenant unless somebody says otherwise.
var DefaultQuota = Quota{Bytes: 256 << 20, Files: 20_000, Sites: 100}

// MinToken is the shortest publish token, in bytes.
const MinToken = 16

// Server serves sites. Make one with [New].
type Server struct {
	config  Config
	digests map[string][sha256.Size]byte // of the tokens, by tenant
	nothing http.HandlerFunc             // answers where there is no site

	mu    sync.Mutex
	sites map[string]*site // by tenant and name, once asked for
}

// New readies a server.
func New(config Config) (*Server, error) {
	if config.Quota.Bytes == 0 {
		config.Quota.Bytes = DefaultQuota.Bytes
	}
	if config.Quota.Files == 0 {
		config.Quota.Files = DefaultQuota.Files
	}
	if config.Quota.Sites == 0 {
		config.Quota.Sites = DefaultQuota.Sites
	}
	if config.Warn == nil {
		config.Warn = func(error) {}
	}
	s := &Server{config: config, digests: map[string][sha256.Size]byte{}, sites: map[string]*site{}}
	for _, t := range config.Tenants {
		switch {
		case t.Token == "":
			continue
		case len(t.Token) < MinToken:
			return nil, fmt.Errorf("tenant %s: a publish token has at least %d characters", t.Name, MinToken)
		}
		digest := sha256.Sum256([]byte(t.Token))
		for name, other := range s.digests {
			if other == digest {
				return nil, fmt.Errorf("tenants %s and %s have the same publish token", name, t.Name)
			}
		}
		s.digests[t.Name] = digest
	}
	return s, nil
}

// Register adds the server's addresses to a mux. Where there is no site, nothing
// answers.
func (s *Server) Register(mux *http.ServeMux, nothing http.HandlerFunc) {
	s.nothing = nothing
	for _, prefix := range []string{"/w/{site}", "/t/{tenant}/w/{site}"} {
		mux.HandleFunc("GET "+prefix+"/{path...}", s.get)
		mux.HandleFunc("GET "+prefix, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.EscapedPath()+"/", http.StatusMovedPermanently)
		})
		mux.Handle("GET "+prefix+"/.wb/releases", s.publisher(s.list))
		mux.Handle("POST "+prefix+"/.wb/releases", s.publisher(s.begin))
		mux.Handle("POST "+prefix+"/.wb/publish", s.publisher(s.publish))
		mux.Handle("POST "+prefix+"/.wb/rollback", s.publisher(s.rollback))
		mux.Handle("PUT "+prefix+"/{path...}", s.publisher(s.put))
	}
}

// Owns reports whether a path is one of a site.
func Owns(path string) bool { return strings.HasPrefix(path, "/w/") || strings.HasPrefix(path, "/t/") }

var siteName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,62}$`)

// site is one site of a tenant.
type site struct {
	dir     *releasedir.Dir
	address string // /w/notes/

	change sync.Mutex // of releases: one request at a time

	mu   sync.Mutex
	last *release // that was served last
}

// find is the site that a request is about. The name is checked; there need not
// be anything.
func (s *Server) find(r *http.Request) (tenant string, found *site, ok bool) {
	tenant, name := r.PathValue("tenant"), r.PathValue("site")
	address := "/t/" + tenant + "/w/" + name + "/"
	if tenant == "" {
		tenant, address = identity.DefaultTenant, "/w/"+name+"/"
	}
	known := false
	for _, t := range s.config.Tenants {
		known = known || t.Name == tenant
	}
	if !known || !siteName.MatchString(name) {
		return tenant, nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := tenant + "/" + name
	if s.sites[key] == nil {
		if _, err := os.Stat(s.path(tenant, name)); err != nil && r.Method != http.MethodPost {
			return tenant, nil, false // names that anybody asks for take no space
		}
		s.sites[key] = &site{dir: releasedir.New(s.path(tenant, name), s.config.Keep), address: address}
	}
	return tenant, s.sites[key], true
}

func (s *Server) path(tenant, name string) string { return filepath.Join(s.config.Dir, tenant, name) }

// publisher lets only those through whose token opens the tenant that the
// address names.
func (s *Server) publisher(next func(http.ResponseWriter, *http.Request, *site)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.PathValue("tenant")
		if tenant == "" {
			tenant = identity.DefaultTenant
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		digest := sha256.Sum256([]byte(strings.TrimSpace(token)))
		want, may := s.digests[tenant]
		if same := subtle.ConstantTimeCompare(digest[:], want[:]) == 1; !may || !same || !strings.EqualFold(scheme, "bearer") {
			w.Header().Set("WWW-Authenticate", `Bearer realm="wb publish"`)
			fail(w, http.StatusUnauthorized, "unauthorized", "", "publishing needs a token; wb serve --publish-token names it")
			return
		}
		_, found, ok := s.find(r)
		if !ok {
			fail(w, http.StatusNotFound, "not_found", "", "no such site; a name consists of small letters, digits and hyphens")
			return
		}
		next(w, r, found)
	})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// Problem is why a request was refused. Code is a verifier's code where the
// release is to blame.
type Problem struct {
	Code    string `json:"code"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

func fail(w http.ResponseWriter, status int, code, path, message string) {
	answer(w, status, map[string]any{"error": Problem{code, path, message}})
}
