package capability

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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

// Close closes the stores.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.endCopies()
	var err error
	for _, s := range h.projects {
		err = errors.Join(err, s.Close())
	}
	if h.tenant != nil {
		err = errors.Join(err, h.tenant.Close())
	}
	h.projects, h.tenant = nil, nil
	return err
}

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

// Prepare gives a run what the user granted its document for good, and its
// docks. Call finish when the run is over. A run without a file keeps nothing:
// it has no project.
func (h *Host) Prepare(opts *workbook.Options, plan *workbook.Plan) (finish func(context.Context) error, err error) {
	if opts.Tiers == nil {
		opts.Tiers = h.Tiers
	}
	file, err := filepath.Abs(opts.File)
	if err != nil || opts.File == "" {
		return func(context.Context) error { return nil }, err
	}
	if err := CheckGrants(opts.Grants); err != nil {
		return nil, err
	}
	started := time.Now()
	if h.Grants != nil && opts.TrustTier != "instance" {
		trust, found, err := h.Grants.Trusted(workbook.ProgramDigest(plan))
		if err != nil {
			return nil, err
		}
		if found {
			opts.Grants = append(slices.Clone(opts.Grants), trust.Grants...)
		}
	}
	signer, err := h.signed(opts, file, plan)
	if err != nil {
		return nil, err
	}
	run := &run{signer: signer, live: broker.NewCounter(broker.MaxLive), running: broker.NewCounter(broker.MaxRunning), host: h, complete: h.Complete, started: started, lanes: opts.Lanes, jobs: opts.Jobs, noWrite: opts.Write == workbook.WriteNothing,
		principal: dock.Principal{Tenant: h.Tenant, Project: filepath.Dir(file), Name: file}}
	opts.Docks = run.dock
	return run.finish, nil
}

// signed gives a run what the user grants to whoever signed its workbook.
func (h *Host) signed(opts *workbook.Options, file string, plan *workbook.Plan) (signer string, err error) {
	asks := workbook.Asks(plan)
	if h.Signed == nil || len(asks) == 0 || opts.TrustTier == "instance" {
		return "", nil
	}
	if opts.Principal != "" { // the page or bundle that it came in
		file = opts.Principal
	}
	signer, granted, err := h.Signed(file, workbook.ProgramDigest(plan), asks)
	if signer != "" {
		opts.Grants = append(slices.Clone(opts.Grants), granted...)
	}
	return signer, err
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

// begin readies what components share, when the first of them needs it.
func (r *run) begin() {
	r.once.Do(func() {
		if r.complete != nil {
			budget := r.host.TokenBudget
			if budget == 0 {
				budget = DefaultTokens
			}
			r.llm = broker.LLM(r.complete, budget)
		}
	})
}

// dock is the dock of a component.
func (r *run) dock(_ context.Context, want workbook.DockRequest) *dock.Dock {
	var granted []string
	for _, g := range want.Granted {
		granted = append(granted, strings.TrimPrefix(g, "workbook:"))
	}
	config := dock.Config{Principal: r.principal, Granted: granted, Denied: want.Denied}
	if r.host.Grants != nil {
		config.Revoked = func(capability string) bool {
			return r.host.Grants.Revoked(r.principal.Name, capability, r.started) ||
				r.starter != "" && r.host.Grants.Revoked(r.starter, capability, r.started) ||
				r.signer != "" && r.host.Grants.Revoked(r.signer, capability, r.started)
		}
	}
	if len(granted) > 0 {
		r.begin()
		config.Brokers = r.brokers(granted, want)
	}
	d := dock.New(config)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.docks = append(r.docks, d)
	return d
}

// brokers are those of the capabilities that were granted.
func (r *run) brokers(granted []string, want workbook.DockRequest) map[string]dock.Broker {
	h, all := r.host, map[string]dock.Broker{}
	used := func(call *dock.Call, name string) {
		if want.Used != nil {
			want.Used(call.Operation.String(), name)
		}
	}
	project := h.Project(r.principal.Project)
	once := broker.Once(project, r.instance(want.Component))
	for _, g := range granted {
		switch grants.Capability(g) {
		case "kv":
			all["kv"] = once(broker.KV(project))
		case "queue":
			all["queue"] = once(broker.Queue(project))
		case "vfs":
			all["vfs"] = once(broker.VFS(project))
		case "vars":
			all["vars"] = broker.Vars(h.Variables())
		case "secrets":
			all["secrets"] = broker.Secrets(h.Variables(), used)
		case "llm":
			if r.llm != nil {
				all["llm"] = r.llm
			}
		case "commands", "parallel":
			if b := r.commands(want.Limits); b != nil {
				all["commands"] = b
			}
		case "exec":
			if b := r.commands(want.Limits); b != nil {
				all["exec"] = b
			}
		case "process":
			if run := r.runner(want.Limits); run != nil {
				all["process"] = broker.Processes(Registered(), run, r.live)
			}
		case "build":
			if r.lanes != nil {
				all["build"] = broker.Build(r.builder(granted, want))
			}
		case "tcp", "udp", "tls":
			network := grants.Capability(g)
			all[network] = broker.Socket(h.web(socketGrants(network, granted), granted), network)
		case "serve":
			all["serve"] = broker.Serve(h.serving(want))
		case "tcp-serve":
			all["tcpserve"] = broker.TCPServe(h.serving(want))
		case "net":
			all["net"] = broker.Net(h.web(netGrants(granted), granted), broker.Templates(h.Variables(), holds(granted), used).Expand)
			if keep := r.keepWheel(); keep != nil {
				all["packages"] = broker.Packages(h.web(netGrants(granted), granted), broker.PackageConfig{Index: h.PythonIndex, Keep: keep})
			}
		case "browse":
			if h.Readable != nil {
				all["browse"] = broker.Browse(h.web(publicWeb(granted), granted), h.Readable)
			}
		}
	}
	return all
}

// instance is the idempotency key of a component at work: components that are
// mapped over many inputs are several. Without a call there is none.
func (r *run) instance(component string) string {
	if r.call == "" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.instances == nil {
		r.instances = map[string]int{}
	}
	r.instances[component]++
	return fmt.Sprintf("%s\x00%s\x00%s\x00%d", r.call, r.principal.Name, component, r.instances[component])
}

// holds reports whether a capability was granted for a name.
func holds(granted []string) func(capability, name string) bool {
	return func(capability, name string) bool {
		return len(grants.Ceiling(granted, []string{capability + ":" + name})) > 0
	}
}

// finish closes the books of a run: what its principal used, and the files that
// last no longer than a run.
func (r *run) finish(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := map[string]dock.Count{}
	for _, d := range r.docks {
		for capability, c := range d.Counts() {
			t := total[capability]
			total[capability] = dock.Count{Calls: t.Calls + c.Calls, Denied: t.Denied + c.Denied}
		}
	}
	if len(total) == 0 {
		return nil
	}
	s := r.host.Project(r.principal.Project)
	var err error
	for capability, c := range total {
		if capability == "" {
			continue // an operation that does not exist
		}
		err = errors.Join(err, r.host.Variables().AddUse(ctx, r.principal.Name, capability, c.Calls, c.Denied))
	}
	if total["vfs"].Calls > 0 {
		err = errors.Join(err, s.ClearVolume(ctx, "tmp"))
	}
	return err
}
