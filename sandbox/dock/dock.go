package dock

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/internal/clip"
	"wb/sandbox"
)

// Principal is on whose behalf calls are made.
type Principal struct {
	Tenant string
	// Project is the directory whose stores are used, an absolute path.
	Project string
	// Name is the workbook's absolute path or the agent's id.
	Name string
	Run  string
}

// Call is a call of an operation, for a broker to carry out. Args are as many as the
// operation has parameters, each within its size.
type Call struct {
	Principal Principal
	Operation *Operation
	Args      [][]byte
	// Scope are the narrowings under which the capability was granted: NAME of
	// --grant secrets:NAME. Nil means it was granted as a whole.
	Scope []string

	dock *Dock
	run  context.Context
}

// Run is the context of what outlives the call, such as a server: it ends with
// the guest or when [Dock.Close] is called.
func (c *Call) Run() context.Context { return c.run }

// Watch calls lost when the call's capability is taken back, until ctx ends.
func (c *Call) Watch(ctx context.Context, lost func()) {
	if c.dock.config.Revoked != nil {
		go c.dock.watch(ctx, c.Operation.Capability, lost)
	}
}

// Text is an argument as text.
func (c *Call) Text(i int) string { return string(c.Args[i]) }

// Within reports whether a name is inside the call's scope, whose entries may
// end in * for any name that begins so.
func (c *Call) Within(name string) bool {
	return c.Scope == nil || slices.ContainsFunc(c.Scope, func(s string) bool {
		if prefix, ok := strings.CutSuffix(s, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return s == name
	})
}

// Broker performs operations of one module. It must be safe for concurrent use
// and return a *[Error] for what the guest did wrong.
type Broker interface {
	Do(ctx context.Context, call *Call) (Reply, error)
}

// BrokerFunc is a function as a broker.
type BrokerFunc func(ctx context.Context, call *Call) (Reply, error)

// Do calls f.
func (f BrokerFunc) Do(ctx context.Context, call *Call) (Reply, error) { return f(ctx, call) }

// Rate bounds calls: at most Calls in a window of Per.
type Rate struct {
	Calls int
	Per   time.Duration
}

// DefaultRate is the rate of every capability that says nothing else.
var DefaultRate = Rate{Calls: 120_000, Per: time.Minute}

// Config says what a dock offers. The zero Config denies everything.
type Config struct {
	Principal Principal
	// Granted are the capabilities, each alone (kv) or narrowed to a name
	// (secrets:release-key, net:api.example.com, vars:build-*).
	Granted []string
	// Brokers perform operations, by module. One that is missing answers that
	// this program does not serve it here.
	Brokers map[string]Broker
	// Revoked is asked before every call, and while slow ones are under way,
	// whether a capability was taken back; nil never is.
	Revoked func(capability string) bool
	Rate    Rate // of each capability; zero is DefaultRate
	// Denied hears every refusal; nil is silent.
	Denied func(Denial)
	// Now is the clock that rates are counted by; nil is the system's.
	Now func() time.Time
}

// Dock serves the guests of one run. It is safe for concurrent use.
type Dock struct {
	config Config
	scopes map[string][]string // by capability; nil entry: as a whole
	// ask performs calls elsewhere, see Forward; nil performs them here.
	ask func(ctx context.Context, frame []byte) ([]byte, error)

	life context.Context // of what outlives a call
	end  context.CancelFunc

	mu      sync.Mutex
	windows map[string]*window
	counts  map[string]*Count
}

// window counts calls of one capability.
type window struct {
	start time.Time
	calls int
}

// Count counts a capability's uses in a run.
type Count struct {
	Calls  int64 `json:"calls"`
	Denied int64 `json:"denied"`
}

// New makes a dock.
func New(config Config) *Dock {
	if config.Rate == (Rate{}) {
		config.Rate = DefaultRate
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	life, end := context.WithCancel(context.Background())
	d := &Dock{life: life, end: end, config: config, scopes: map[string][]string{}, windows: map[string]*window{}, counts: map[string]*Count{}}
	for _, text := range config.Granted {
		capability, scope, narrowed := strings.Cut(text, ":")
		old, known := d.scopes[capability]
		switch {
		case !narrowed:
			d.scopes[capability] = nil
		case !known || old != nil:
			d.scopes[capability] = append(old, scope)
		}
	}
	return d
}

// Close ends what calls have started: servers, programs. Brokers that are an
// io.Closer are closed; they serve this dock alone. d may be nil.
func (d *Dock) Close() {
	if d == nil {
		return
	}
	for _, b := range d.config.Brokers {
		if c, ok := b.(io.Closer); ok {
			_ = c.Close() // of what the broker holds for this dock alone
		}
	}
	d.end()
}

// Granted reports whether the dock offers a capability.
func (d *Dock) Granted(capability string) bool {
	_, ok := d.scopes[capability]
	return ok
}

// Capabilities lists what the dock offers, sorted.
func (d *Dock) Capabilities() []string {
	var names []string
	for name := range d.scopes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ErrRevoked is the cause of a call's context when its grant is taken back
// while it is under way.
var ErrRevoked = errors.New("the grant was revoked")

// Call performs an operation. Errors are for the guest: a *[Error], or one whose
// text the guest may see.
func (d *Dock) Call(ctx context.Context, operation string, args ...[]byte) (Reply, error) {
	ctx = sandbox.Outlasting(ctx) // brokers wait in goroutines of their own
	if d.ask != nil {
		return d.forward(ctx, operation, args)
	}
	op, ok := Find(operation)
	if !ok {
		name := strings.ToValidUTF8(operation, "?")
		return Reply{}, d.deny(name, "", &Error{Code: CodeNotFound, Message: "the dock has no operation " + clip.Chars(name, 80), Help: "the modules are " + strings.Join(Modules(), ", ")})
	}
	if op.Module == "session" {
		return d.session()
	}
	if err := d.gate(op, args); err != nil {
		return Reply{}, err
	}
	if err := checkArgs(op, args); err != nil {
		return Reply{}, err
	}
	broker := d.config.Brokers[op.Module]
	if broker == nil {
		return Reply{}, d.deny(operation, op.Capability, Errorf(CodeDenied, "%s is granted, but nothing serves it here", op.Capability))
	}
	reply, err := d.perform(ctx, broker, &Call{Principal: d.config.Principal, Operation: op, Args: args, Scope: d.scopes[op.Capability], dock: d, run: d.life})
	var e *Error
	switch {
	case err != nil && errors.As(err, &e) && e.Code == CodeDenied:
		return Reply{}, d.deny(operation, op.Capability, e)
	case err != nil:
		return Reply{}, err
	case len(reply.Body) > MaxReply:
		return Reply{}, Errorf(CodeLimit, "%s: the answer has %d bytes, more than %d", operation, len(reply.Body), MaxReply)
	}
	return reply, nil
}

// gate checks what is the same for every operation.
func (d *Dock) gate(op *Operation, args [][]byte) error {
	switch {
	case !d.Granted(op.Capability):
		return d.deny(op.String(), op.Capability, NotGranted(op, args))
	case d.revoked(op.Capability):
		return d.deny(op.String(), op.Capability, Errorf(CodeDenied, "%s was revoked", op.Capability))
	case !d.count(op.Capability):
		return d.deny(op.String(), op.Capability, Errorf(CodeLimit, "%s: more than %d calls in %v", op.Capability, d.config.Rate.Calls, d.config.Rate.Per))
	}
	return nil
}

func (d *Dock) revoked(capability string) bool {
	return d.config.Revoked != nil && d.config.Revoked(capability)
}

// count takes a call out of the window and reports whether there was one left.
func (d *Dock) count(capability string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tally(capability).Calls++
	w, now := d.windows[capability], d.config.Now()
	if w == nil {
		w = &window{start: now}
		d.windows[capability] = w
	}
	if now.Sub(w.start) >= d.config.Rate.Per {
		w.start, w.calls = now, 0
	}
	w.calls++
	return w.calls <= d.config.Rate.Calls
}

func (d *Dock) tally(capability string) *Count {
	c := d.counts[capability]
	if c == nil {
		c = &Count{}
		d.counts[capability] = c
	}
	return c
}

// Counts returns the uses of each capability so far.
func (d *Dock) Counts() map[string]Count {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make(map[string]Count, len(d.counts))
	for name, c := range d.counts {
		all[name] = *c
	}
	return all
}

// checkArgs holds arguments against the operation's parameters.
func checkArgs(op *Operation, args [][]byte) error {
	if len(args) != len(op.Params) {
		return &Error{Code: CodeInvalid, Message: op.String() + ": wrong number of arguments", Help: op.Usage()}
	}
	for i, p := range op.Params {
		if most := p.most(); len(args[i]) > most {
			return Errorf(CodeLimit, "%s: %s has %d bytes, more than %d", op, p.Name, len(args[i]), most)
		}
		if p.JSON && len(args[i]) > 0 && !json.Valid(args[i]) {
			return Errorf(CodeInvalid, "%s: %s is not JSON", op, p.Name)
		}
	}
	return nil
}

// revocationWatch is how often a call under way looks whether it still may.
const revocationWatch = 50 * time.Millisecond

// perform runs a broker. A grant that is taken back meanwhile ends the call.
func (d *Dock) perform(ctx context.Context, broker Broker, call *Call) (Reply, error) {
	if d.config.Revoked == nil || !slices.Contains(waiting, call.Operation.Module) {
		return broker.Do(ctx, call)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go d.watch(ctx, call.Operation.Capability, func() { cancel(ErrRevoked) })
	reply, err := broker.Do(ctx, call)
	if errors.Is(context.Cause(ctx), ErrRevoked) {
		return Reply{}, Errorf(CodeDenied, "%s was revoked while %s was running", call.Operation.Capability, call.Operation)
	}
	return reply, err
}

// watch calls lost once when a capability is taken back before ctx ends.
func (d *Dock) watch(ctx context.Context, capability string, lost func()) {
	tick := time.NewTicker(revocationWatch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if d.revoked(capability) {
				lost()
				return
			}
		}
	}
}

func (d *Dock) deny(operation, capability string, e *Error) error {
	d.mu.Lock()
	d.tally(capability).Denied++
	d.mu.Unlock()
	if d.config.Denied != nil {
		d.config.Denied(Denial{Principal: d.config.Principal, Operation: clip.Chars(operation, 80), Capability: capability, Reason: e.Message})
	}
	return e
}

// session answers what every guest may know.
func (d *Dock) session() (Reply, error) {
	capabilities := d.Capabilities()
	if capabilities == nil {
		capabilities = []string{}
	}
	p := d.config.Principal
	body, err := json.Marshal(struct {
		Name         string   `json:"name"` // without the directories, which are the host's affair
		Run          string   `json:"run,omitempty"`
		Capabilities []string `json:"capabilities"`
	}{filepath.Base(p.Name), p.Run, capabilities})
	return Found(body), err
}
