package capability

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"sync"
	"time"

	"wb/compile"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/dock/replica"
	"wb/sandbox/dock/store"
	"wb/sandbox/grants"
	"wb/sandbox/netbroker"
	"wb/workbook"
)

// Host serves runs on this machine. Its fields are set once, before the first
// run; those that are nil are not served.
type Host struct {
	Tenant   string
	StateDir string
	Grants   *grants.File
	// Tiers opens the tiers of isolation; nil has none but the process itself.
	Tiers workbook.Tiers
	// Signed gives what the user grants to whoever signed a workbook, of what it
	// asks for, by its file, or the page or bundle that it came in, and the digest
	// of its program; signer is "" without one. nil trusts no signatures.
	Signed func(file, program string, asks []string) (signer string, granted []string, err error)
	// Seal gives the key that secrets are sealed with.
	Seal func() ([]byte, error)
	// Net handles requests, besides the grants, the floor and the
	// limits of every broker; tests put their own network there.
	Net netbroker.Config
	// Complete asks a model; Readable turns pages into text.
	Complete broker.Completer
	Readable broker.Readable
	// Notice tells the person who started a run what happens in its middle, such
	// as where a component serves; nil is silent.
	Notice func(text string)
	// PythonIndex is the user's index of Python packages, a URL.
	PythonIndex string
	// TokenBudget bounds what components of one run spend on the model; 0 is
	// DefaultTokens.
	TokenBudget int64
	// Copies are kept of what projects keep; the zero value keeps none.
	Copies Copies

	mu       sync.Mutex
	tenant   *store.Store
	projects map[string]*store.Store
	copiers  []*replica.Copier
	warned   bool // that there is no target
}

// DefaultTokens is how many tokens the components of a run may spend on the model.
const DefaultTokens = 200_000

// Variables is the store of the user's variables and secrets.
func (h *Host) Variables() *store.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tenant == nil {
		h.tenant = store.Open(store.Config{Dir: filepath.Join(h.StateDir, "tenants", h.Tenant), Seal: h.Seal})
	}
	return h.tenant
}

// Project is the store of a directory.
func (h *Host) Project(dir string) *store.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.projects[dir]; s != nil {
		return s
	}
	if h.projects == nil {
		h.projects = map[string]*store.Store{}
	}
	sum := sha256.Sum256([]byte(dir))
	s := h.copied(store.Config{Dir: filepath.Join(h.StateDir, "projects", hex.EncodeToString(sum[:8]))}, dir)
	h.projects[dir] = s
	return s
}

// run is one run of a workbook: what its components share.
type run struct {
	host      *Host
	complete  broker.Completer
	principal dock.Principal
	call      string // the idempotency key of who started it, "" for none
	starter   string // whose grants these are besides, "" the user's alone
	signer    string // the signer whose grants apply, "" without one
	started   time.Time
	lanes     *compile.Registry
	jobs      int
	noWrite   bool // files beside the workbook stay as they are

	once sync.Once
	llm  dock.Broker
	// The programs of all components.
	live, running *broker.Counter
	mu            sync.Mutex
	docks         []*dock.Dock
	// instances counts how often a component was started.
	instances map[string]int
}

// holds reports whether a capability was granted for a name.
func holds(granted []string) func(capability, name string) bool {
	return func(capability, name string) bool {
		return len(grants.Ceiling(granted, []string{capability + ":" + name})) > 0
	}
}

// Copies says where the stores of projects are copied to while they change.
type Copies struct {
	// Open gives the target, nil for none. It is asked when the first store is used.
	Open func() (replica.Target, error)
	// Every is how long changes may wait for others to go along.
	Every time.Duration
}
