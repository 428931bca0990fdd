package capability

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/grants"
	"wb/workbook"
)

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
