package agent

import (
	"context"
	"slices"
	"sync"
	"time"

	"wb/internal/trace"
)

// Event is something that happened in a run, and whose it is. Events of one
// RootRunID belong together, whichever agents asked each other: the root is the
// first of the runs that were resumed from each other, and outermost.
type Event struct {
	trace.Event
	RunID     string // of the run, or of the run inside a run: the key of the call that started it
	RootRunID string
	SessionID string // the caller's label, "" for none
}

// Listener hears events. Those of one run come one after the other, those of
// runs at the same time may come at the same time. It must not keep the event's
// slices and must not wait for the run.
//
// There are three levels, and each event is heard at them in this order: by the
// definition's listeners ([Definition].On), which hear every run of it; by an
// [Agent]'s, which hear the runs of that one; and by the call's ([Options].On),
// which hear one run and the runs inside it.
//
// A run begins with [trace.KindRun] and ends with [trace.KindResult].
type Listener func(Event)

// Agent is an agent to be run many times: a definition and who listens to the
// runs of it that are started here. It is safe for concurrent use.
type Agent struct {
	Definition *Definition

	mu        sync.Mutex
	listeners []*Listener
}

// New makes an agent of a definition.
func New(d *Definition) *Agent { return &Agent{Definition: d} }

// On adds a listener and returns what takes it away again.
func (a *Agent) On(l Listener) (off func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	added := &l
	a.listeners = append(slices.Clone(a.listeners), added)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.listeners = slices.DeleteFunc(slices.Clone(a.listeners), func(l *Listener) bool { return l == added })
	}
}

// Run is one call of the agent.
func (a *Agent) Run(ctx context.Context, opts Options) *Result {
	if opts.Agent == nil {
		opts.Agent = a.Definition
	}
	opts.Instance = a
	return Run(ctx, opts)
}

// listening are the listeners there are now.
func (a *Agent) listening() []*Listener {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listeners
}

// audience is the [Recorder] of a run: it stamps each event with whose it is,
// records it, and tells the listeners of the three levels.
type audience struct {
	record     Recorder // nil records nothing
	definition *Definition
	instance   *Agent
	call       []Listener
	run, root  string
	session    string
	nested     bool // a run inside a run, which shares its record

	mu sync.Mutex
}

// Announced is o with names for its run and with Events that tell the
// listeners, too. [Run] does it; who gives Events to tools does it before.
func (o Options) Announced() Options {
	o.Agent = o.Agent.named(o.Tools)
	if o.RootRunID == "" {
		o.RootRunID = o.RunID
	}
	if o.Keys == "" {
		o.Keys = o.RootRunID
	}
	record := o.Events
	if outer, ok := record.(*audience); ok {
		if outer.run == o.RunID { // announced already
			return o
		}
		record = outer.record
	}
	o.Events = &audience{record: record, definition: o.Agent, instance: o.Instance, call: o.On,
		run: o.RunID, root: o.RootRunID, session: o.SessionID, nested: o.Keys != o.RootRunID}
	return o
}

// Emit records an event and tells the listeners.
func (a *audience) Emit(e trace.Event) error {
	e = a.stamped(e)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell(e)
	if a.record == nil {
		return nil
	}
	return a.record.Emit(e)
}

// announce tells the listeners what the record says in its own way: that the
// run begins or has ended.
func (a *audience) announce(e trace.Event) {
	e = a.stamped(e)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tell(e)
}

func (a *audience) stamped(e trace.Event) trace.Event {
	e.RootRun, e.Session = a.root, a.session
	if a.nested {
		e.InnerRun = a.run
	}
	return e
}

func (a *audience) tell(e trace.Event) {
	if e.Agent == "" {
		e.Agent = a.definition.ID
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	heard := Event{e, a.run, a.root, a.session}
	for _, l := range a.definition.On {
		l(heard)
	}
	for _, l := range a.instance.listening() {
		(*l)(heard)
	}
	for _, l := range a.call {
		l(heard)
	}
}
